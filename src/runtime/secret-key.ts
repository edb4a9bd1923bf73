/**
 * SECRET_KEY: how it becomes the keys that seal and open, and which texts are no key. A key is known by its id, which tells
 * nothing about it, so that a secret sealed with another one is told apart from one that was changed.
 */
import { hkdfSync } from 'node:crypto';

export interface SealingKey {
  /** Eight hexadecimal digits, the same for the same SECRET_KEY. */
  id: string;
  bytes: Buffer;
}

export interface KeyRing {
  /** Seals, and opens what it sealed. */
  current: SealingKey;
  /** Every key that opens, by its id; the current one among them. */
  byId: ReadonlyMap<string, SealingKey>;
}

export const SECRET_KEY_LENGTH = 32;
const DISTINCT = 8;
/** As many as the shortest key has of so many characters; of 40 random digits, one in 10,000 has seven different ones only. */
const ENOUGH_BITS = SECRET_KEY_LENGTH * Math.log2(DISTINCT);

/** The keys of a process; `previousKeys` only open. */
export function keyRing(settings: { secretKey: string; previousKeys: readonly string[] }): KeyRing {
  const current = sealingKey(settings.secretKey);
  const all = [...settings.previousKeys.map(sealingKey), current];
  return { current, byId: new Map(all.map((key) => [key.id, key])) };
}

function sealingKey(text: string): SealingKey {
  const derived = (use: string, size: number): Buffer => Buffer.from(hkdfSync('sha256', text, '', use, size));
  return { id: derived('millrace key id v2', 4).toString('hex'), bytes: derived('millrace secrets v2', 32) };
}

/**
 * The keys of SECRET_KEY_PREVIOUS: one, or several with commas between them. A key may hold a comma itself: where the parts
 * cannot all be keys, the whole is one; where they can, the whole opens too.
 */
export function previousKeysOf(text: string): string[] {
  const parts = text.split(',').map((part) => part.trim());
  return parts.length > 1 && parts.every((part) => part.length >= SECRET_KEY_LENGTH) ? [...parts, text] : [text];
}

/** Why a text is no SECRET_KEY, without the text: what can be guessed seals nothing. Undefined: it is one. */
export function secretKeyFault(text: string): string | undefined {
  const remedy = '`openssl rand -base64 32` makes one';
  if (text.length < SECRET_KEY_LENGTH) return `must have ${SECRET_KEY_LENGTH} characters or more; ${remedy}`;
  if (PUBLISHED.some((known) => text.includes(known)) || PLACEHOLDER.test(text)) {
    return `is an example that everybody can read; ${remedy}`;
  }
  if (!hasVariety(text)) return `is too easy to guess: it repeats itself or counts up; ${remedy}`;
  return undefined;
}

/** Keys of examples that people copy. */
const PUBLISHED = ['wDPLYus0pvD6qJhKJICO4', '2Sig69bIpuSm2kv0VQfDekET2qy8q'];
const PLACEHOLDER = /change.?(me|this|it)|placeholder|replace.?(me|this|with)|your.?(own.?)?secret|example/i;
/** Neighbours on a keyboard, in the alphabet, among the digits. */
const ROWS = ['abcdefghijklmnopqrstuvwxyz', '01234567890', 'qwertyuiop', 'asdfghjkl', 'zxcvbnm'];

/** Random text, of digits alone too, seldom takes two steps in a row, and has hardly three characters that come again. */
export function hasVariety(text: string): boolean {
  const chars = [...text.toLowerCase()];
  const triples = new Set<string>();
  let runs = 0;
  for (let i = 2; i < chars.length; i += 1) {
    const [first, second, third] = chars.slice(i - 2, i + 1) as [string, string, string];
    triples.add(first + second + third);
    if (isStep(first, second) && isStep(second, third)) runs += 1;
  }
  const all = chars.length - 2;
  const distinct = new Set(chars).size;
  const varied = distinct >= DISTINCT || chars.length * Math.log2(distinct) >= ENOUGH_BITS;
  return varied && triples.size >= all * 0.6 && runs < all / 2;
}

function isStep(from: string, to: string): boolean {
  return from === to || ROWS.some((row) => row.includes(from + to) || row.includes(to + from));
}
