/**
 * The value at a path inside JSON text, as `#>>` gives it: found by walking the text, so that numbers keep their digits
 * and an object keeps its spelling, and nothing but what is wanted is built. The text is Postgres' own, hence well formed.
 */

/** Null when there is nothing at the path, or JSON null. In arrays a part is an index, negative from the end. */
export function textAtPath(json: string, path: readonly string[]): string | null {
  const at = find(json, skipSpace(json, 0), path);
  if (at === undefined) return null;
  const value = json.slice(at, valueEnd(json, at));
  if (value === 'null') return null;
  return value.startsWith('"') ? (JSON.parse(value) as string) : value;
}

/** Where the value at the path begins. Of members with one key (in json, not in jsonb) the last one that leads there. */
function find(json: string, at: number, path: readonly string[]): number | undefined {
  const [part, ...rest] = path;
  if (part === undefined) return at;
  if (json[at] === '[') {
    const inner = element(json, at, part);
    return inner === undefined ? undefined : find(json, inner, rest);
  }
  if (json[at] !== '{') return undefined;
  for (const inner of members(json, at, part).reverse()) {
    const found = find(json, inner, rest);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Where the values of a key begin. */
function members(json: string, start: number, key: string): number[] {
  const found: number[] = [];
  let at = skipSpace(json, start + 1);
  while (json[at] === '"') {
    const end = stringEnd(json, at);
    const isKey = sameKey(json.slice(at, end), key);
    // Past the colon.
    at = skipSpace(json, skipSpace(json, end) + 1);
    if (isKey) found.push(at);
    at = next(json, valueEnd(json, at));
  }
  return found;
}

function sameKey(written: string, key: string): boolean {
  return written.includes('\\') ? JSON.parse(written) === key : written.slice(1, -1) === key;
}

function element(json: string, start: number, part: string): number | undefined {
  if (!/^-?\d{1,9}$/.test(part)) return undefined;
  const index = Number(part);
  const starts: number[] = [];
  let at = skipSpace(json, start + 1);
  while (at < json.length && json[at] !== ']') {
    if (index >= 0 && starts.length === index) return at;
    starts.push(at);
    at = next(json, valueEnd(json, at));
  }
  return index < 0 ? starts[starts.length + index] : undefined;
}

/** Past a comma and white space. */
function next(json: string, from: number): number {
  const at = skipSpace(json, from);
  return json[at] === ',' ? skipSpace(json, at + 1) : at;
}

function valueEnd(json: string, start: number): number {
  const first = json[start];
  if (first === '"') return stringEnd(json, start);
  let at = start;
  if (first !== '{' && first !== '[') {
    while (at < json.length && !/[\s,\]}]/.test(json[at]!)) at += 1;
    return at;
  }
  for (let depth = 0; at < json.length; ) {
    const mark = json[at];
    if (mark === '"') {
      at = stringEnd(json, at);
      continue;
    }
    if (mark === '{' || mark === '[') depth += 1;
    if (mark === '}' || mark === ']') depth -= 1;
    at += 1;
    if (depth === 0) break;
  }
  return at;
}

/** Past the closing quote. */
function stringEnd(json: string, start: number): number {
  let at = start + 1;
  while (at < json.length && json[at] !== '"') at += json[at] === '\\' ? 2 : 1;
  return at + 1;
}

function skipSpace(json: string, from: number): number {
  let at = from;
  while (json[at] === ' ' || json[at] === '\n' || json[at] === '\t' || json[at] === '\r') at += 1;
  return at;
}
