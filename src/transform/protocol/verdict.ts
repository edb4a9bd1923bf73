/**
 * Judges what a function answered for one message by what its purpose asks for: a filter a boolean, a routing function
 * an object with an `index_name`, a transform for a search index an object, any other transform a JSON value.
 */
import type { FunctionSettings } from '../../model/declared.ts';
import type { Answer } from './answer.ts';
import { shapeError } from './complaint.ts';
import type { ShapeError } from './shape-error.ts';

export type Verdict<T> = { value: T } | { error: ShapeError };

const UNUSABLE: Record<string, string> = {
  undefined: 'returned nothing (undefined)',
  function: 'returned a function',
  symbol: 'returned a symbol',
  promise: 'returned a promise, but functions here are synchronous',
  null: 'returned null',
  boolean: 'returned a boolean',
  number: 'returned a number',
  bigint: 'returned a number',
  string: 'returned a string',
  array: 'returned an array',
  object: 'returned an object of another shape',
  nothing: 'returned an object that has no JSON form',
  unnamed: 'returned an object whose index_name is not a text',
  long: 'returned an index name of more than 255 bytes',
  deep: 'returned JSON that is nested in more than 5,000 levels',
  large: 'returned more than 4 MB of JSON',
};
/** What a search engine takes as the name of an index, in UTF-8. */
const INDEX_NAME_BYTES = 255;

export function judgeFilter(fn: FunctionSettings, answer: Answer): Verdict<boolean> {
  return judge(fn, answer, {
    rule: 'a filter must return true or false',
    accept: (text) => (text === 'true' ? true : text === 'false' ? false : undefined),
  });
}

export function judgeRouting(fn: FunctionSettings, answer: Answer): Verdict<string> {
  const rule = 'a routing function must return an object with the index name as text, { index_name: "..." }';
  const accept = (text: string): string | undefined => {
    if (!text.startsWith('{')) return undefined;
    const { index_name } = JSON.parse(text) as { index_name?: unknown };
    return typeof index_name === 'string' ? index_name : undefined;
  };
  const verdict = judge(fn, answer, { rule, accept });
  const fault = 'value' in verdict ? nameFault(verdict.value) : undefined;
  return fault === undefined ? verdict : { error: badOutput(fn, `returned an index name ${fault}`, rule) };
}

/** Without the name: it may be a value of the row. */
function nameFault(name: string): string | undefined {
  if (name === '') return 'without a character';
  if (!name.isWellFormed()) return 'with half of a surrogate pair';
  if (name.includes('\0')) return 'with the character U+0000';
  return Buffer.byteLength(name) > INDEX_NAME_BYTES ? `of more than ${INDEX_NAME_BYTES} bytes` : undefined;
}

/** The value is the JSON text. */
export function judgeTransform(fn: FunctionSettings, answer: Answer, replaces: boolean): Verdict<string> {
  const rule = replaces
    ? 'a transform for a search index must return an object, the document'
    : 'a transform must return a JSON value';
  const accept = (text: string) => (replaces && !text.startsWith('{') ? undefined : text);
  return judge(fn, answer, { rule, accept });
}

/** By what its purpose asks for: `rule` says it, `accept` reads the value of a text that keeps to it. */
function judge<T>(
  fn: FunctionSettings,
  answer: Answer,
  { rule, accept }: { rule: string; accept: (text: string) => T | undefined },
): Verdict<T> {
  if ('complaint' in answer) return { error: shapeError(answer.complaint, fn.name) };
  const value = 'text' in answer ? accept(answer.text) : undefined;
  if (value !== undefined) return { value };
  const what = 'text' in answer ? kindOf(answer.text) : answer.unusable;
  return { error: badOutput(fn, UNUSABLE[what] ?? UNUSABLE.nothing!, rule) };
}

function badOutput(fn: FunctionSettings, what: string, rule: string): ShapeError {
  return { kind: 'bad_output', message: `The function ${what}; ${rule}`, function: fn.name };
}

/** What kind of JSON a text is, without showing it. */
function kindOf(text: string): string {
  const first = text[0];
  if (first === '{') return 'object';
  if (first === '[') return 'array';
  if (first === '"') return 'string';
  if (first === 't' || first === 'f') return 'boolean';
  return first === 'n' ? 'null' : 'number';
}
