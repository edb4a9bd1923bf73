/**
 * The sandbox runtime: runs inside the isolate, after `freezeRealm` and before the user's code, calls the function once per
 * message and answers in lines, so that only strings cross. Its text, and that of its parts, is what is run: none may use
 * anything from outside itself.
 *
 * What must stay true: the user's code never holds an object or function of these files; each message gets freshly parsed
 * inputs, a freshly evaluated function, and `RegExp.$1` and its like empty; a line is added in one assignment, so that what a
 * timeout leaves behind is whole lines; JSON text holds no line break, so that nothing a function returns or throws can forge
 * a line.
 *
 * A chunk is a JSON array of [mode, action, record, changes, metadata]. Mode bit 1: the last three may be JSON texts
 * whose numbers must keep their digits (read-numbers.ts), else they are values. Mode bit 2: show the row as it was before the update.
 * Lines: `v` + JSON text; `u` + why there is none; `e` + [name, message, stack]. A last line `!`: the realm is spoilt.
 */
import { type AnswerLimits, type AnswerLines, answerLines } from './answer-lines.ts';
import { guardRegExp, type RegExpGuard } from './guard-regexp.ts';
import { measure } from './measure.ts';
import { type Inputs, type ReadNumbers, readNumbers } from './read-numbers.ts';
import { writeNumbers } from './write-numbers.ts';

export interface RuntimeLimits extends AnswerLimits {
  /** After this many milliseconds no further message of the chunk is begun. */
  sliceMs: number;
  /** Characters of answers after which no further message is begun. */
  linesLength: number;
}

/** An expression to be evaluated in a realm: given the user's script as a function, it returns what runs a chunk. */
export function runtimeText({ purpose, answerBytes, sliceMs, linesLength }: RuntimeLimits): string {
  const limits: RuntimeLimits = { purpose, answerBytes, sliceMs, linesLength };
  return `(() => {
    const limits = ${JSON.stringify(limits)};
    const numbers = (${readNumbers})();
    const lines = (${answerLines})(limits, (${measure})(), (${writeNumbers})(numbers.seen));
    return (${runChunks})(limits, { ...numbers, ...lines, ...(${guardRegExp})() });
  })()`;
}

function runChunks(
  limits: RuntimeLimits,
  { follow, answer, complaint, untouched, forgetMatch }: ReadNumbers & AnswerLines & RegExpGuard,
): (wrap: unknown) => (chunk: string | undefined) => string {
  const parse: (text: string) => unknown = JSON.parse;
  const now = Date.now;
  const { isArray } = Array;
  const { keys, defineProperty } = Object;
  const { apply } = Reflect;
  const toSource = Function.prototype.toString;

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

  type Wrapped = () => (...inputs: [action: unknown, record: unknown, changes: unknown, metadata: unknown]) => unknown;

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
