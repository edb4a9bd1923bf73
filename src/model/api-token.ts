/**
 * The form of the tokens that we make: `mr_`, 43 characters in base 62 of 256 random bits, and 6 of their CRC-32, so that one
 * that was mistyped or cut off is known without asking anybody. A token of a file may have any other form.
 */
import { crc32 } from 'node:zlib';

const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const START = 'mr_';
const RANDOM = 43;
const CHECK = 6;
const FORM = new RegExp(`^${START}([0-9A-Za-z]{${RANDOM}})([0-9A-Za-z]{${CHECK}})$`);
const PREFIX = START.length + 4;

/** Of 32 random bytes. */
export function apiToken(random: Buffer): string {
  const body = inBase62(BigInt(`0x${random.toString('hex')}`), RANDOM);
  return START + body + checksum(body);
}

/** It has the form of ours, and cannot be one. */
export function isMistyped(token: string): boolean {
  const parts = FORM.exec(token);
  return parts !== null && checksum(parts[1]!) !== parts[2];
}

/** What people may see of it, to tell theirs apart; null: it is none of ours, and all of it may be needed to keep it secret. */
export const prefixOf = (token: string): string | null => (FORM.test(token) ? token.slice(0, PREFIX) : null);

const checksum = (body: string): string => inBase62(BigInt(crc32(body)), CHECK);

function inBase62(value: bigint, length: number): string {
  let digits = '';
  for (let left = value; digits.length < length; left /= 62n) digits = DIGITS[Number(left % 62n)]! + digits;
  return digits;
}
