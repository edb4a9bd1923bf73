/** What stands in an address behind `?`: read with care, because anybody may have written it. */

type Reader<Value> = (value: unknown) => Value | undefined;

/** Each value is the text that it is: a key with more digits than a number has stays that key. */
export const parseSearch = (given: string): Record<string, string> => Object.fromEntries(new URLSearchParams(given));

/** What is undefined is left out. */
export function stringifySearch(search: Readonly<Record<string, unknown>>): string {
  const written = new URLSearchParams();
  for (const [key, value] of Object.entries(search)) if (value !== undefined) written.set(key, String(value));
  return written.size === 0 ? '' : `?${written}`;
}

export const text: Reader<string> = (value) => (typeof value === 'string' && value !== '' ? value : undefined);

export const flag: Reader<true> = (value) => (value === true || value === 'true' || value === '1' ? true : undefined);

export const oneOf =
  <const Words extends readonly string[]>(...words: Words): Reader<Words[number]> =>
  (value) =>
    words.find((word) => word === value);

/** For a route's `validateSearch`: what is not known, or not of its kind, is left out. */
export const searchOf =
  <Readers extends Record<string, Reader<unknown>>>(readers: Readers) =>
  (given: Record<string, unknown>): { [Key in keyof Readers]?: Exclude<ReturnType<Readers[Key]>, undefined> } => {
    const found: Record<string, unknown> = {};
    for (const [key, read] of Object.entries(readers)) {
      const value = read(given[key]);
      if (value !== undefined) found[key] = value;
    }
    return found as { [Key in keyof Readers]?: Exclude<ReturnType<Readers[Key]>, undefined> };
  };
