/**
 * `${VAR}` and `${VAR:-default}`. A reference is hidden from the YAML parser behind characters of the private-use area,
 * one for one, so that it may stand anywhere, keeps every position, and can never add YAML of its own; after parsing it
 * is replaced within its scalar. An empty variable takes the default, as in a shell. `$${` is the text `${`; what YAML itself
 * makes of an escape (`"\x24{"`) is text too.
 */
import { type LongNumber, numberOf } from '../../model/long-number.ts';

const REFERENCE = /\$?\$\{(?:[A-Za-z_][A-Za-z0-9_]*(?::-[^}\r\n]*)?\})?/g;
const BEGINNING = /\$?\$\{/g;
/** As many characters as there are of ASCII. */
const ROOM = 0x80;
const FIRST = 0xe000;
const PARTS = 50;

/** Where the references of a text are hidden: behind characters that it has neither as such nor as an escape. */
export class Hiding {
  readonly #offset: number;
  readonly #hidden: RegExp;
  readonly #reference: RegExp;

  constructor(offset: number) {
    this.#offset = offset;
    const char = (of: string): string => `\\u${(offset + of.charCodeAt(0)).toString(16)}`;
    const range = (from: string, to: string): string => `${char(from)}-${char(to)}`;
    const begins = `(?=[${range('A', 'Z')}${char('_')}${range('a', 'z')}])`;
    const end = char('}');
    this.#hidden = new RegExp(`[${range('\0', '\x7f')}]`, 'g');
    this.#reference = new RegExp(`(${char('$')}?)${char('$')}${char('{')}(?:${begins}([^${end}]*)${end})?`, 'g');
  }

  /**
   * The text with its references hidden. Same length. Behind the last `}` of a line none begins: what looks like one would
   * look for its end in all the rest of the line.
   */
  hide(text: string): string {
    const hidden = (reference: string): string =>
      reference.replaceAll(/[\x20-\x7f]/g, (char) => String.fromCharCode(this.#offset + char.charCodeAt(0)));
    return text.replaceAll(/[^\r\n]+/g, (line) => {
      const end = line.lastIndexOf('}') + 1;
      return line.slice(0, end).replaceAll(REFERENCE, hidden) + line.slice(end).replaceAll(BEGINNING, hidden);
    });
  }

  /** The text as it was written. */
  show(text: string): string {
    return text.replaceAll(this.#hidden, (char) => String.fromCharCode(char.charCodeAt(0) - this.#offset));
  }

  /**
   * Replaces the references in a scalar's (hidden) text. Undefined when there is nothing to do. `env` null: nothing is replaced
   * here, so that code stays as it is, and every other reference is missing.
   */
  replace(hiding: string, env: NodeJS.ProcessEnv | null, options: ReplaceOptions = {}): Replaced | undefined {
    const code = options.code === true;
    if (code && env === null) {
      const text = this.show(hiding);
      return text === hiding ? undefined : { text, whole: false, missing: [], malformed: false };
    }
    const missing: string[] = [];
    let whole = false;
    let malformed = false;
    const text = hiding.replaceAll(this.#reference, (match: string, doubled: string, body: string | undefined) => {
      if (body === undefined) {
        malformed ||= !code && doubled === '';
        return code ? this.show(match) : '${';
      }
      const shown = this.show(body);
      const [name = ''] = shown.split(':-', 1);
      const fallback = shown.length > name.length ? shown.slice(name.length + 2) : undefined;
      if (doubled !== '') return code && fallback === undefined ? this.show(match) : `\${${shown}}`;
      if (code && fallback === undefined) return this.show(match);
      whole = match === hiding;
      malformed ||= fallback?.includes('${') === true;
      const value = env !== null && Object.hasOwn(env, name) ? env[name] : undefined;
      if (env === null || (value === undefined && fallback === undefined)) missing.push(name);
      return (fallback === undefined ? value : value || fallback) ?? '';
    });
    if (text === hiding && !malformed) return undefined;
    return { text, whole, missing, malformed };
  }
}

/** `\uE000`, `\U0000E000`. */
const ESCAPE = /\\(?:u|U0000)([e-fE-F][0-9a-fA-F]{3})/g;

/** U+E000 to U+F8FF. */
const PRIVATE = /[\ue000-\uf8ff]/g;

/** For the references of this text; undefined: it has characters of every part of the private-use area. */
export function hidingFor(text: string): Hiding | undefined {
  const taken = new Set<number>();
  const take = (code: number): void => void taken.add(Math.floor((code - FIRST) / ROOM));
  for (const [char] of text.matchAll(PRIVATE)) take(char.charCodeAt(0));
  for (const [, digits] of text.matchAll(ESCAPE)) take(Number.parseInt(digits!, 16));
  for (let part = 0; part < PARTS; part += 1) if (!taken.has(part)) return new Hiding(FIRST + part * ROOM);
  return undefined;
}

export interface Replaced {
  text: string;
  /** The whole text was one reference. */
  whole: boolean;
  missing: string[];
  /** A `${` is left that is no reference. */
  malformed: boolean;
}

export interface ReplaceOptions {
  /** In JavaScript `${NAME}` is a template's; there only the form with a default is a reference. */
  code?: boolean;
}

/** A plain scalar's value as YAML's core schema has it: null, boolean, number or text. */
export function plainValue(text: string): string | number | boolean | null | LongNumber {
  if (/^(?:~|null|Null|NULL)?$/.test(text)) return null;
  if (/^(?:true|True|TRUE)$/.test(text)) return true;
  if (/^(?:false|False|FALSE)$/.test(text)) return false;
  if (/^[-+]?[0-9]+$/.test(text) || /^[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?$/.test(text)) {
    return numberOf(Number(text), text);
  }
  return text;
}
