/**
 * Numbers of JSON as a function sees them, and what is remembered of how they were written. Runs inside the isolate: its text
 * is what is run, and uses nothing from outside.
 */

/** Digits to keep, by the key under which a number, or an object that holds some, lies. */
export interface Digits {
  [key: string]: string | Digits | undefined;
}

/** What `writeNumbers` needs to give numbers their digits back. */
export interface Origin {
  /** Of each input its numbers by value; null: written in more than one way. */
  sections: Map<unknown, string | null>[];
  /** By path, the record's paths also without `record`. */
  digits: Digits;
  /** By the object of an input that holds them. */
  nodes: Map<unknown, Digits>;
}

/** What a function is called with, beside the action. */
export interface Inputs {
  record: unknown;
  changes: unknown;
  metadata: unknown;
}

export interface ReadNumbers {
  seen(source: string): number | bigint;
  follow(values: Inputs): Origin;
}

export function readNumbers(): ReadNumbers {
  type Reviver = (this: object, ...found: [key: string, value: unknown, context?: { source?: string }]) => unknown;
  const parse: (text: string, reviver: Reviver) => unknown = JSON.parse;
  const { create, keys } = Object;

  /** A number of JSON as the function sees it: an integer that a double cannot hold is a BigInt. */
  function seen(source: string): number | bigint {
    const number = +source;
    if (Number.isSafeInteger(number)) return number;
    for (let at = source[0] === '-' ? 1 : 0; at < source.length; at += 1) {
      const character = source[at];
      if (character === undefined || character < '0' || character > '9') return number;
    }
    return BigInt(source);
  }

  /** Parses; returns the value and its numbers by value, and adds the digits that need keeping to `nodes`. */
  function exact(text: string, nodes: Origin['nodes']): { value: unknown; numbers: Map<unknown, string | null> } {
    const numbers = new Map<unknown, string | null>();
    const remember = (holder: object, key: string, digits: string | Digits) => {
      const node = nodes.get(holder) ?? (create(null) as Digits);
      node[key] = digits;
      nodes.set(holder, node);
    };
    const value = parse(text, function (key, item, context) {
      if (typeof item === 'number') {
        const source = context?.source ?? '';
        const number = seen(source);
        const known = numbers.get(number);
        numbers.set(number, known === undefined || known === source ? source : null);
        if (`${item}` !== source) remember(this, key, source);
        return number;
      }
      if (typeof item === 'object' && item !== null) {
        const node = nodes.get(item);
        if (node !== undefined) remember(this, key, node);
      }
      return item;
    });
    return { value, numbers };
  }

  /** Parses the inputs that are still texts. */
  function follow(values: Inputs): Origin {
    const origin: Origin = { sections: [], digits: create(null) as Digits, nodes: new Map() };
    for (const name of ['record', 'changes', 'metadata'] as const) {
      const text = values[name];
      // The metadata come as a value unless a number in them needs it.
      if (typeof text !== 'string') continue;
      const { value, numbers } = exact(text, origin.nodes);
      values[name] = value;
      origin.sections.push(numbers);
      const digits = origin.nodes.get(value);
      if (digits === undefined) continue;
      origin.digits[name] ??= digits;
      if (name === 'record') for (const key of keys(digits)) origin.digits[key] = digits[key];
    }
    return origin;
  }

  return { seen, follow };
}
