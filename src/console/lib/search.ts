/** What stands in an address behind `?`: read with care, because anybody may have written it. */

type Reader<Value> = (value: unknown) => Value | undefined;

export const text: Reader<string> = (value) =>
  typeof value === 'string' && value !== '' ? value : typeof value === 'number' ? String(value) : undefined;

export const flag: Reader<true> = (value) => (value === true || value === 'true' || value === 1 ? true : undefined);

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
