/**
 * Writes what a function returned as JSON, the numbers with the digits that they came with. Runs inside the isolate: its text
 * is what is run, and uses nothing from outside.
 */
import type { Digits, Origin, ReadNumbers } from './read-numbers.ts';

/** The JSON text of a value; undefined where it has none. Without an origin no number's digits were looked at. */
export type WriteValue = (value: unknown, origin: Origin | undefined) => unknown;

export function writeNumbers(seen: ReadNumbers['seen']): WriteValue {
  const stringify: (value: unknown, replacer?: (this: object, key: string, value: unknown) => unknown) => unknown =
    JSON.stringify;
  const { rawJSON } = JSON as JSON & { rawJSON(text: string): object };

  /**
   * A number that the function passed on gets the digits it came with: those of the same path or of the same object of the
   * input, else those of a unique equal value.
   */
  function restore(value: unknown, { sections, digits, nodes }: Origin): unknown {
    const places = new Map<object, Digits | undefined>();
    let begun = false;
    return stringify(value, function (key, item) {
      const isNumber = typeof item === 'number' || typeof item === 'bigint';
      if (!isNumber && (typeof item !== 'object' || item === null)) return item;
      const place = begun ? places.get(this)?.[key] : digits;
      begun = true;
      if (!isNumber) {
        places.set(item as object, typeof place === 'object' ? place : nodes.get(item));
        return item;
      }
      if (typeof place === 'string' && seen(place) === item) return rawJSON(place);
      for (const section of sections) {
        const source = section.get(item);
        if (typeof source === 'string') return `${item}` === source ? plain(item) : rawJSON(source);
        if (source === null) break;
      }
      return plain(item);
    });
  }

  function plain(item: unknown): unknown {
    return typeof item === 'bigint' ? rawJSON(`${item}`) : item;
  }

  return (value, origin) => {
    if (origin !== undefined) return restore(value, origin);
    try {
      return stringify(value);
    } catch {
      // Perhaps a BigInt, which JSON.stringify refuses. Anything else throws again.
      return stringify(value, (_key, item) => plain(item));
    }
  };
}
