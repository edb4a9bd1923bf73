/**
 * The line for what a function returned or threw (runtime.ts says how one looks). Runs inside the isolate: its text is what
 * is run, and uses nothing from outside.
 */
import type { Measures } from './measure.ts';
import type { Origin } from './read-numbers.ts';
import type { WriteValue } from './write-numbers.ts';

export interface AnswerLimits {
  /** A filter answers `true` or `false`, a routing function `{"index_name":...}`: nothing else of what they return is written. */
  purpose: 'filter' | 'routing' | 'transform';
  /** Bytes of one answer in UTF-8. */
  answerBytes: number;
}

export interface AnswerLines {
  /** The `v` or `u` line of a result. */
  answer(value: unknown, origin: Origin | undefined): string;
  /** The `e` line of whatever was thrown. */
  complaint(thrown: unknown): string;
}

export function answerLines(limits: AnswerLimits, { isLonger, isDeeper }: Measures, write: WriteValue): AnswerLines {
  const stringify: (value: unknown) => unknown = JSON.stringify;
  const { isArray } = Array;

  function isPromise(value: unknown): boolean {
    return typeof value === 'object' && value !== null && typeof (value as { then?: unknown }).then === 'function';
  }

  function kindOf(value: unknown): string {
    return value === null ? 'null' : isArray(value) ? 'array' : typeof value;
  }

  function answer(value: unknown, origin: Origin | undefined): string {
    if (limits.purpose === 'filter') {
      if (typeof value === 'boolean') return `v${value}`;
      return `u${isPromise(value) ? 'promise' : kindOf(value)}`;
    }
    if (limits.purpose === 'routing') return routed(value);
    const text = write(value, origin);
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

  return { answer, complaint };
}
