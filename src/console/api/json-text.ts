/**
 * Reads an answer without losing a digit: JSON.parse makes 9223372036854776000 of 9223372036854775807. What stands under the keys
 * that hold rows and documents stays the text that it was; the rest becomes values as ever.
 */

/**
 * JSON as it came. `JSON.stringify` would quote it: `text` is what is shown, edited and copied. A number with more digits than JavaScript
 * keeps is written with all of them, and calculated with as nearly as JavaScript can.
 */
export class JsonText {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
  [Symbol.toPrimitive](hint: string): string | number {
    const number = Number(this.text);
    return hint === 'string' || Number.isNaN(number) ? this.text : number;
  }
}

/** Keys of our answers that hold a row, a document, or something else of the user's. */
export const KEPT: ReadonlySet<string> = new Set([
  ...['record', 'changes', 'metadata', 'document', 'message', 'shaped', 'before', 'after', 'deliveries'],
]);
const WHITE = /[ \t\n\r]*/y;
const NUMBER = /-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const STRING = /"[^"\\]*(?:\\.[^"\\]*)*"/y;
/** What neither begins nor ends anything. */
const BETWEEN = /[^"{}[\]]*/y;

/** The same on the way back: texts go out as they came. */
export function writeKeeping(value: unknown): string {
  if (value instanceof JsonText) return value.text;
  if (Array.isArray(value)) return `[${value.map((one) => writeKeeping(one ?? null)).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value ?? null);
  const pairs = Object.entries(value).filter(([, one]) => one !== undefined);
  return `{${pairs.map(([key, one]) => `${JSON.stringify(key)}:${writeKeeping(one)}`).join(',')}}`;
}

/** `kept`: of other keys than the usual ones. @throws SyntaxError */
export function parseKeeping(text: string, kept: ReadonlySet<string> = KEPT): unknown {
  const reader = new Reader(text, kept);
  const value = reader.value(false);
  reader.end();
  return value;
}

class Reader {
  #at = 0;
  readonly #text: string;
  readonly #kept: ReadonlySet<string>;
  constructor(text: string, kept: ReadonlySet<string>) {
    this.#text = text;
    this.#kept = kept;
  }

  value(keep: boolean): unknown {
    this.#skip();
    const from = this.#at;
    const first = this.#text[from];
    if (keep && (first === '{' || first === '[')) {
      this.#pass();
      return new JsonText(this.#text.slice(from, this.#at));
    }
    if (first === '{') return this.#object();
    if (first === '[') return this.#array();
    if (first === '"') return JSON.parse(this.#take(STRING)) as string;
    for (const [word, value] of [
      ['true', true],
      ['false', false],
      ['null', null],
    ] as const) {
      if (!this.#text.startsWith(word, from)) continue;
      this.#at += word.length;
      return value;
    }
    const number = this.#take(NUMBER);
    return keep || !isExact(number) ? new JsonText(number) : Number(number);
  }

  end(): void {
    this.#skip();
    if (this.#at < this.#text.length) this.#fail();
  }

  /** To the end of an object or an array, however deep it is: what is in it was written by the service, and is not looked at. */
  #pass(): void {
    let depth = 0;
    do {
      BETWEEN.lastIndex = this.#at;
      BETWEEN.test(this.#text);
      this.#at = BETWEEN.lastIndex;
      const sign = this.#text[this.#at];
      if (sign === undefined) this.#fail();
      if (sign === '"') this.#take(STRING);
      else {
        depth += sign === '{' || sign === '[' ? 1 : -1;
        this.#at += 1;
      }
    } while (depth > 0);
  }

  #object(): Record<string, unknown> {
    const found: Record<string, unknown> = {};
    this.#at += 1;
    this.#skip();
    if (this.#text[this.#at] === '}') {
      this.#at += 1;
      return found;
    }
    for (;;) {
      this.#skip();
      const key = JSON.parse(this.#take(STRING)) as string;
      this.#skip();
      this.#expect(':');
      const value = this.value(this.#kept.has(key));
      Object.defineProperty(found, key, { value, enumerable: true, configurable: true, writable: true });
      this.#skip();
      if (this.#text[this.#at] === '}') break;
      this.#expect(',');
    }
    this.#at += 1;
    return found;
  }

  #array(): unknown[] {
    const found: unknown[] = [];
    this.#at += 1;
    this.#skip();
    if (this.#text[this.#at] === ']') {
      this.#at += 1;
      return found;
    }
    for (;;) {
      found.push(this.value(false));
      this.#skip();
      if (this.#text[this.#at] === ']') break;
      this.#expect(',');
    }
    this.#at += 1;
    return found;
  }

  #skip(): void {
    WHITE.lastIndex = this.#at;
    WHITE.test(this.#text);
    this.#at = WHITE.lastIndex;
  }

  #expect(sign: string): void {
    if (this.#text[this.#at] !== sign) this.#fail();
    this.#at += 1;
  }

  #take(pattern: RegExp): string {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text)?.[0];
    if (found === undefined) return this.#fail();
    this.#at += found.length;
    return found;
  }

  #fail(): never {
    throw new SyntaxError(`No JSON at character ${this.#at}`);
  }
}

/** A number that JavaScript writes as it read it, but for zeros and exponents that mean nothing: what it wrote itself is one. */
function isExact(number: string): boolean {
  const value = Number(number);
  if (Number.isInteger(value)) return Number.isSafeInteger(value);
  return number.replace(/\D/g, '').length <= 15 || String(value) === number;
}
