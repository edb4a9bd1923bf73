/**
 * Is a text Elixir, as functions of other services are? Told by the text alone, in work that grows with its length and with
 * nothing else, however it is made: each line is looked at a few times at most.
 */

/** What is read of a text. */
export type Readable = Pick<string, 'length' | 'charCodeAt'>;

const LINE_BREAK = 0x0a;
const CLOSE = 0x29;
const COMMA = 0x2c;

/** Has it a `def name` or `defp name` at the beginning of a line, with `do` at the line's end or after its arguments? */
export function isElixir(text: Readable): boolean {
  /** The arguments of a definition have begun, maybe in an earlier line. */
  let isOpen = false;
  for (let start = 0; start < text.length; ) {
    const isDefinition = isNamedDefinition(text, skipBlanks(text, start));
    isOpen ||= isDefinition;
    let end = start;
    for (; end < text.length && text.charCodeAt(end) !== LINE_BREAK; end += 1) {
      if (!isOpen || text.charCodeAt(end) !== CLOSE) continue;
      isOpen = false;
      if (isDoAfter(text, end + 1)) return true;
    }
    if (isDefinition && endsInDo(text, end)) return true;
    start = end + 1;
  }
  return false;
}

function isNamedDefinition(text: Readable, at: number): boolean {
  const keyword = ['defp', 'def'].find((word) => holds(text, at, word));
  if (keyword === undefined) return false;
  const name = skipBlanks(text, at + keyword.length);
  return name > at + keyword.length && isWord(text.charCodeAt(name));
}

/** ` do`, `, do:` */
function isDoAfter(text: Readable, from: number): boolean {
  let at = skipBlanks(text, from);
  if (text.charCodeAt(at) === COMMA) at = skipBlanks(text, at + 1);
  return holds(text, at, 'do') && !isWord(text.charCodeAt(at + 2));
}

function endsInDo(text: Readable, end: number): boolean {
  let last = end;
  while (isBlank(text.charCodeAt(last - 1))) last -= 1;
  return holds(text, last - 2, 'do') && !isWord(text.charCodeAt(last - 3));
}

function holds(text: Readable, at: number, word: string): boolean {
  for (let n = 0; n < word.length; n += 1) if (text.charCodeAt(at + n) !== word.charCodeAt(n)) return false;
  return true;
}

/** Behind the blanks of this line. */
function skipBlanks(text: Readable, from: number): number {
  let at = from;
  while (isBlank(text.charCodeAt(at))) at += 1;
  return at;
}

function isBlank(unit: number): boolean {
  return unit === 0x20 || unit === 0x09 || unit === 0x0d;
}

function isWord(unit: number): boolean {
  const lower = unit | 0x20;
  return (lower >= 0x61 && lower <= 0x7a) || (unit >= 0x30 && unit <= 0x39) || unit === 0x5f;
}
