/**
 * Functions that are only a path (`record.id`): read from the JSON text itself, so that a value leaves exactly as it is
 * written there, and no code runs. Of duplicate keys the last one counts, as everywhere in JSON.
 */
import type { FunctionInput } from '../model/message.ts';

const PATH_ROOTS = ['record', 'changes', 'metadata', 'action'];

/** The steps of a path, or undefined if it is none. */
export function readPath(path: string): readonly string[] | undefined {
  const steps = path.split('.');
  return steps.includes('') || !PATH_ROOTS.includes(steps[0]!) || (steps[0] === 'action' && steps.length > 1)
    ? undefined
    : steps;
}

/** How many of action, record, changes, metadata a path reads. */
export function pathReads(path: string): number {
  return ['action', 'record', 'changes', 'metadata'].indexOf(path.split('.')[0] ?? '') + 1;
}

/** The JSON text at a path of a message; `null` where there is nothing. */
export function evaluatePath(steps: readonly string[], input: FunctionInput): string {
  const [root, ...keys] = steps;
  if (root === 'action') return JSON.stringify(input.action);
  let text = (root === 'record' ? input.record : root === 'changes' ? input.changes : input.metadata) ?? 'null';
  for (const key of keys) text = member(text, key) ?? 'null';
  return text.trim();
}

/** The text of an object's member or of an array's item. */
function member(json: string, key: string): string | undefined {
  let at = skipSpace(json, 0);
  const isArray = json[at] === '[';
  if (!isArray && json[at] !== '{') return undefined;
  let found: string | undefined;
  let index = 0;
  at = skipSpace(json, at + 1);
  while (at < json.length && json[at] !== '}' && json[at] !== ']') {
    let name = String(index);
    if (!isArray) {
      const end = skipString(json, at);
      name = keyOf(json.slice(at, end));
      at = skipSpace(json, skipSpace(json, end) + 1);
    }
    const end = skipValue(json, at);
    if (name === key) found = json.slice(at, end);
    at = skipSpace(json, end);
    if (json[at] === ',') at = skipSpace(json, at + 1);
    index += 1;
  }
  return found;
}

function keyOf(quoted: string): string {
  return quoted.includes('\\') ? (JSON.parse(quoted) as string) : quoted.slice(1, -1);
}

function skipSpace(json: string, from: number): number {
  let at = from;
  while (json.charCodeAt(at) <= 32) at += 1;
  return at;
}

/** The place after the string that begins at `from`. */
function skipString(json: string, from: number): number {
  let at = from + 1;
  while (at < json.length && json[at] !== '"') at += json[at] === '\\' ? 2 : 1;
  return at + 1;
}

/** The place after the value that begins at `from`. */
function skipValue(json: string, from: number): number {
  let depth = 0;
  let at = from;
  while (at < json.length) {
    const character = json[at];
    if (character === '"') {
      at = skipString(json, at);
      if (depth === 0) return at;
      continue;
    }
    if (character === '{' || character === '[') depth += 1;
    else if (character === '}' || character === ']') {
      if (depth === 0) return at;
      depth -= 1;
      if (depth === 0) return at + 1;
    } else if (depth === 0 && (character === ',' || character! <= ' ')) return at;
    at += 1;
  }
  return at;
}
