/**
 * A JSON text taken apart into texts, without a value of it becoming one of JavaScript's: no digit is lost, and of what is not
 * asked for only strings and brackets are looked at. What is no JSON is a SyntaxError, wherever that is noticed.
 */

/** The members of an object as texts, by key; undefined for a text that is no object. */
export function membersOf(text: string): Map<string, string> | undefined {
  const reader = { text, at: skipSpace(text, 0) };
  if (text[reader.at] !== '{') return undefined;
  const found = new Map<string, string>();
  eachMember(reader, (key) => found.set(key, takeValue(reader)));
  return found;
}

/** The items of an array as texts; undefined for a text that is no array. */
export function itemsOf(text: string): string[] | undefined {
  const reader = { text, at: skipSpace(text, 0) };
  if (text[reader.at] !== '[') return undefined;
  const found: string[] = [];
  eachItem(reader, () => found.push(takeValue(reader)));
  return found;
}

/** A place in a text. */
export interface Reader {
  text: string;
  at: number;
}

/** Calls `member` with each key when the reader stands at its value, behind which `member` moves it. */
export function eachMember(reader: Reader, member: (key: string) => void): void {
  const { text } = reader;
  const key = (): string => {
    const start = reader.at;
    if (text[start] !== '"') throw unreadable(reader);
    skipString(reader);
    const raw = text.slice(start, reader.at);
    return raw.includes('\\') ? String(JSON.parse(raw)) : raw.slice(1, -1);
  };
  eachItem(reader, () => {
    const name = key();
    reader.at = skipSpace(text, reader.at);
    if (text[reader.at] !== ':') throw unreadable(reader);
    reader.at = skipSpace(text, reader.at + 1);
    member(name);
  });
}

/** Calls `item` at each member of an object, item of an array; `item` moves the reader behind it. */
export function eachItem(reader: Reader, item: () => void): void {
  const { text } = reader;
  const closing = text[reader.at] === '{' ? '}' : ']';
  reader.at = skipSpace(text, reader.at + 1);
  while (text[reader.at] !== closing) {
    item();
    reader.at = skipSpace(text, reader.at);
    if (text[reader.at] === closing) break;
    if (text[reader.at] !== ',') throw unreadable(reader);
    reader.at = skipSpace(text, reader.at + 1);
    if (text[reader.at] === closing) throw unreadable(reader);
  }
  reader.at += 1;
}

/** The text of the value at the reader, which it goes behind. */
function takeValue(reader: Reader): string {
  const start = reader.at;
  skipValue(reader);
  return reader.text.slice(start, reader.at);
}

/** Goes behind the value at the reader. Inside of an object or array only strings and brackets are looked at. */
export function skipValue(reader: Reader): void {
  const { text } = reader;
  const first = text[reader.at];
  if (first === '"') {
    skipString(reader);
    return;
  }
  if (first !== '{' && first !== '[') {
    const start = reader.at;
    while (reader.at < text.length && !/[\s,\]}:"[{]/.test(text[reader.at]!)) reader.at += 1;
    if (reader.at === start) throw unreadable(reader);
    return;
  }
  for (let depth = 0; ; ) {
    const mark = text.charCodeAt(reader.at);
    if (Number.isNaN(mark)) throw unreadable(reader);
    if (mark === QUOTE) {
      skipString(reader);
      continue;
    }
    if (mark === OPEN_BRACE || mark === OPEN_BRACKET) depth += 1;
    else if (mark === CLOSE_BRACE || mark === CLOSE_BRACKET) depth -= 1;
    reader.at += 1;
    if (depth === 0) return;
  }
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;

/** Goes behind the string at the reader. */
export function skipString(reader: Reader): void {
  const { text } = reader;
  for (let end = text.indexOf('"', reader.at + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let slashes = 0;
    while (text.charCodeAt(end - 1 - slashes) === BACKSLASH) slashes += 1;
    if (slashes % 2 === 1) continue;
    reader.at = end + 1;
    return;
  }
  throw unreadable(reader);
}

/** The place of what follows white space. */
export function skipSpace(text: string, from: number): number {
  let at = from;
  while (text.charCodeAt(at) <= 32) at += 1;
  return at;
}

/** Without the text: it may hold a row's values. */
export function unreadable({ at }: Reader): SyntaxError {
  return new SyntaxError(`not JSON at character ${at + 1}`);
}
