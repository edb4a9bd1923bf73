/**
 * Runs inside the isolate, after `freezeRealm` and before the user's code: calls the function once per message and
 * answers in lines, so that only strings cross. Its text is what is run: it must use nothing from outside itself.
 *
 * What must stay true: the user's code never holds an object or function of this file; each message gets freshly parsed
 * inputs, a freshly evaluated function, and `RegExp.$1` and its like empty; a line is added in one assignment, so that what a
 * timeout leaves behind is whole lines; JSON text holds no line break, so that nothing a function returns or throws can forge
 * a line.
 *
 * A chunk is a JSON array of [mode, action, record, changes, metadata]. Mode bit 1: the last three may be JSON texts
 * whose numbers must keep their digits (see `exact`), else they are values. Mode bit 2: show the row as it was before the update.
 * Lines: `v` + JSON text; `u` + why there is none; `e` + [name, message, stack]. A last line `!`: the realm is spoilt.
 */
import type { Measures } from './measure.ts';

export interface HarnessLimits {
  /** A filter answers `true` or `false`, a routing function `{"index_name":...}`: nothing else of what they return is written. */
  purpose: 'filter' | 'routing' | 'transform';
  /** After this many milliseconds no further message of the chunk is begun. */
  sliceMs: number;
  /** Bytes of one answer in UTF-8. */
  answerBytes: number;
  /** Characters of answers after which no further message is begun. */
  linesLength: number;
}

export function harness(
  limits: HarnessLimits,
  { isLonger, isDeeper }: Measures,
): (wrap: unknown) => (chunk: string | undefined) => string {
  type Section = Map<unknown, string | null>;
  interface Digits {
    [key: string]: string | Digits | undefined;
  }
  type Reviver = (this: object, key: string, value: unknown, context?: { source?: string }) => unknown;
  const parse: (text: string, reviver?: Reviver) => unknown = JSON.parse;
  const stringify: (value: unknown, replacer?: (this: object, key: string, value: unknown) => unknown) => unknown =
    JSON.stringify;
  const { rawJSON } = JSON as JSON & { rawJSON(text: string): object };
  const now = Date.now;
  const { isArray } = Array;
  const { create, keys, defineProperty, getPrototypeOf, isExtensible } = Object;
  const { ownKeys, getOwnPropertyDescriptor, apply } = Reflect;
  const toSource = Function.prototype.toString;
  const regExp = RegExp.prototype;
  const regExpShape = ownKeys(regExp).map((key) => ({ key, ...getOwnPropertyDescriptor(regExp, key) }));
  const exec = regExp.exec;
  const nineGroups = /()()()()()()()()()/;

  /** Is `RegExp.prototype`, the one built-in that is not frozen, as it was? */
  function untouched(): boolean {
    if (ownKeys(regExp).length !== regExpShape.length || getPrototypeOf(regExp) !== Object.prototype) return false;
    if (!isExtensible(regExp)) return false;
    for (const was of regExpShape) {
      const is = getOwnPropertyDescriptor(regExp, was.key);
      if (is === undefined || is.value !== was.value || is.get !== was.get || is.set !== was.set) return false;
      if (is.configurable !== was.configurable || is.enumerable !== was.enumerable) return false;
      if (is.writable !== was.writable) return false;
    }
    return true;
  }

  /** `RegExp.input`, `lastMatch`, `$1` to `$9` and the rest tell of the last match: of an empty text, with empty groups. */
  function forgetMatch(): void {
    apply(exec, nineGroups, ['']);
  }

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

  /**
   * Parses; returns the value and its numbers by value (null: written in more than one way), and adds the digits that
   * need keeping to `nodes`, by the object that holds them.
   */
  function exact(text: string, nodes: Map<unknown, Digits>): { value: unknown; numbers: Section } {
    const numbers: Section = new Map();
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

  interface Origin {
    sections: Section[];
    /** By path, the record's paths also without `record`. */
    digits: Digits;
    nodes: Map<unknown, Digits>;
  }

  /**
   * Writes a value; a number it passes on gets the digits it came with: those of the same path or of the same object of
   * the input, else those of a unique equal value.
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

  function write(value: unknown): unknown {
    try {
      return stringify(value);
    } catch {
      // Perhaps a BigInt, which JSON.stringify refuses. Anything else throws again.
      return stringify(value, (_key, item) => plain(item));
    }
  }

  function isPromise(value: unknown): boolean {
    return typeof value === 'object' && value !== null && typeof (value as { then?: unknown }).then === 'function';
  }

  function kindOf(value: unknown): string {
    return value === null ? 'null' : isArray(value) ? 'array' : typeof value;
  }

  /** The `v` or `u` line of a result. */
  function answer(value: unknown, origin: Origin | undefined): string {
    if (limits.purpose === 'filter') {
      if (typeof value === 'boolean') return `v${value}`;
      return `u${isPromise(value) ? 'promise' : kindOf(value)}`;
    }
    if (limits.purpose === 'routing') return routed(value);
    const text = origin === undefined ? write(value) : restore(value, origin);
    if (isPromise(value)) return 'upromise';
    if (typeof text !== 'string') return value === null || typeof value !== 'object' ? `u${typeof value}` : 'unothing';
    if (isLonger(text, limits.answerBytes)) return 'ularge';
    return isDeeper(text, 5_000) ? 'udeep' : `v${text}`;
  }

  /** Of a routing function's object its `index_name` alone, and that only as text: what else it holds is not looked at. */
  function routed(value: unknown): string {
    const kind = kindOf(value);
    if (isPromise(value)) return 'upromise';
    if (kind !== 'object') return `u${kind}`;
    const name = (value as { index_name?: unknown }).index_name;
    if (typeof name !== 'string')
      return name === undefined && !('index_name' in (value as object)) ? 'uobject' : 'uunnamed';
    return name.length > 255 ? 'ulong' : `v${stringify({ index_name: name }) as string}`;
  }

  /** The `e` line of whatever was thrown. */
  function complaint(thrown: unknown): string {
    try {
      if (typeof thrown !== 'object' || thrown === null) {
        const text = typeof thrown === 'string' ? thrown : `${thrown as string}`;
        return `e${stringify(['', text.slice(0, 2000), ''])}`;
      }
      const { name, message, stack } = thrown as { name?: unknown; message?: unknown; stack?: unknown };
      const frames = typeof stack === 'string' ? stack.slice(stack.indexOf('\n    at ')).slice(0, 2000) : '';
      const texts = [name, message].map((text) => (typeof text === 'string' ? text.slice(0, 2000) : ''));
      return `e${stringify([...texts, frames])}`;
    } catch {
      return 'e["","",""]';
    }
  }

  interface Inputs {
    record: unknown;
    changes: unknown;
    metadata: unknown;
  }

  /** The row before an update: the old values over the new ones. */
  function before(inputs: Inputs): Inputs {
    const { record, changes, metadata } = inputs;
    if (typeof record === 'object' && record !== null && typeof changes === 'object' && changes !== null) {
      for (const key of keys(changes)) {
        const value = (changes as Record<string, unknown>)[key];
        defineProperty(record, key, { value, writable: true, enumerable: true, configurable: true });
      }
    }
    return { record, changes: {}, metadata };
  }

  /** How many of the inputs a function can see: what it does not read need not be brought. In doubt, all four. */
  function inputsOf(made: { length: number }): number {
    const source: unknown = apply(toSource, made, []);
    if (typeof source !== 'string') return 4;
    const parameters = /^\s*(?:async\s*)?([\w$]+)\s*=>/.exec(source)?.[1] ?? /^[^()]*\(([^()]*)\)/.exec(source)?.[1];
    const isPlain = parameters !== undefined && /^[\w$\s,{}:]*$/.test(parameters);
    return isPlain && !/\barguments\b|\beval\b|\[native code\]/.test(source) ? made.length : 4;
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

  type Wrapped = () => (action: unknown, record: unknown, changes: unknown, metadata: unknown) => unknown;

  function one(wrap: Wrapped, item: readonly unknown[]): string {
    const mode = item[0] as number;
    const values: Inputs = { record: item[2], changes: item[3], metadata: item[4] };
    const origin = (mode & 1) === 1 ? follow(values) : undefined;
    const { record, changes, metadata } = (mode & 2) === 2 ? before(values) : values;
    forgetMatch();
    try {
      return answer(wrap()(item[1], record, changes, metadata), origin);
    } catch (thrown) {
      return complaint(thrown);
    }
  }

  return (wrap) => {
    let lines = '';
    return (chunk) => {
      // No chunk: the lines of the call that was cut short.
      if (chunk === undefined) return lines;
      lines = '';
      // An empty one: is it a function, and how many of its four inputs does it read?
      if (chunk === '') {
        try {
          const made = (wrap as () => unknown)();
          return typeof made === 'function' ? `v${inputsOf(made)}` : 'unothing';
        } catch (thrown) {
          return complaint(thrown);
        }
      }
      if (!untouched()) return '!\n';
      const items = parse(chunk);
      if (!isArray(items)) return '';
      const start = now();
      for (let at = 0; at < items.length; at += 1) {
        lines = `${lines}${one(wrap as Wrapped, items[at] as unknown[])}\n`;
        if (lines.length > limits.linesLength || now() - start > limits.sliceMs) break;
      }
      return untouched() ? lines : `${lines}!\n`;
    };
  };
}
