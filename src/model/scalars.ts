/**
 * The scalars of the declaration: names, numbers, tables, durations, certificates. Numbers and booleans also come as
 * text, because a variable in quotes (`"${PORT:-5432}"`) is one.
 */

import { z } from 'zod';
import { readCertificates } from './certificate.ts';
import { LongNumber } from './long-number.ts';
import { CHANGED, MASK } from './masked.ts';
import { NAME, NAME_LENGTH, UUID } from './name.ts';
import { type Refusal, refusal, refuse, section, withRemedy } from './section.ts';

const NUMBER = /^[+-]?\d{1,16}$/;

/** The name of anything that is declared: it stands in addresses and in scopes beside ids. */
export const Name = z
  .string()
  .regex(
    NAME,
    withRemedy(
      'must consist of letters, digits, `_`, `-` and `.`, and not begin with the last two',
      'Choose such a name.',
    ),
  )
  .max(NAME_LENGTH, withRemedy(`has more than ${NAME_LENGTH} characters`, 'Choose a shorter name.'))
  .refine((name) => !UUID.test(name), refusal('looks like an id', 'Choose a name that is not a UUID.'));

/** A text that says something. */
export const Text = z.string().refine((text) => text.trim() !== '', refusal('is empty', 'Write a text.'));

/** A whole number, also as digits in a text. */
export function int(min: number, max: number) {
  const message = withRemedy(`must be a whole number from ${min} to ${max}`, 'Write a number in that range.');
  const number = z.number(message).int(message).min(min, message).max(max, message);
  return z.preprocess((value) => (typeof value === 'string' && NUMBER.test(value) ? Number(value) : value), number);
}

export const Bool = z.preprocess(toBoolean, z.boolean(withRemedy('must be true or false', 'Write one of the two.')));

export function toBoolean(value: unknown): unknown {
  return value === 'true' ? true : value === 'false' ? false : value;
}

/** For fields that take any number. */
export const TOO_LONG: Refusal = { message: 'has more digits than a number keeps', remedy: 'Put it in quotes.' };

/** Where a number may stand: what `isLong` finds is to be refused as `TOO_LONG`. */
export const Long = z.instanceof(LongNumber).meta({ type: 'number' });

/** Also an integer that was made of a text elsewhere. */
export const isLong = (value: unknown): boolean =>
  value instanceof LongNumber || (typeof value === 'number' && Number.isInteger(value) && !Number.isSafeInteger(value));

/** The library leaves out this one key without a word. */
export const Annotations = z
  .unknown()
  .refine(
    (value) => typeof value !== 'object' || value === null || !Object.hasOwn(value, '__proto__'),
    refusal('has the key `__proto__`, which is no name of an annotation', 'Choose another name.'),
  )
  .meta({ type: 'object', additionalProperties: { type: 'string' } })
  .pipe(z.record(z.string(), z.string()));

const ID_BYTES = 63;

/** One of Postgres' own names, as it is stored (no quotes). */
export const Identifier = Text.refine(
  (text) => Buffer.byteLength(text) <= ID_BYTES,
  refusal('is longer than 63 bytes', 'Postgres cuts longer names; write it as the database has it.'),
);

/** A schema or a table on its own: a dot would be read as the border between the two. */
export const TablePart = Identifier.refine(
  (text) => !text.includes('.'),
  refusal('must not contain a dot', 'Write schema and table in their own keys; names with dots are not supported.'),
);

/** `schema.table`, or `table` for schema public; always the former afterwards. */
export const TableName = z
  .string()
  .refine(
    (text) => {
      const parts = text.split('.');
      return parts.length <= 2 && parts.every((part) => part.trim() === part && part !== '' && !part.includes('"'));
    },
    refusal('must be `schema.table` or `table`', 'Write the names as the database has them, without quotes.'),
  )
  .refine(
    (text) => text.split('.').every((part) => Buffer.byteLength(part) <= ID_BYTES),
    refusal('holds a name longer than 63 bytes', 'Postgres cuts longer names; write it as the database has it.'),
  )
  .transform((text) => (text.includes('.') ? text : `public.${text}`));

const SECONDS: Record<string, number> = { second: 1, minute: 60, hour: 3600, day: 86_400, week: 604_800 };
const SHORT: Record<string, string> = { s: 'second', m: 'minute', h: 'hour', d: 'day', w: 'week' };

/** Seconds from `30 days`, `10 minutes`, `1 day`, `12h`; undefined if it is none of these. */
function parsePeriodSeconds(text: string): number | undefined {
  const match = /^(\d{1,9}) ?(seconds?|minutes?|hours?|days?|weeks?|[smhdw])$/.exec(text.trim().toLowerCase());
  if (!match) return undefined;
  const unit = match[2]!;
  return Number(match[1]) * SECONDS[SHORT[unit] ?? unit.replace(/s$/, '')]!;
}

/** A period of at least `min` seconds and at most a hundred years, in seconds afterwards. */
export function period(min: number) {
  return z
    .string()
    .refine(
      (text) => {
        const seconds = parsePeriodSeconds(text);
        return seconds !== undefined && seconds >= min && seconds <= 36_525 * 86_400;
      },
      refusal('must be a period of time', 'Write a number and a unit: `30 days`, `12 hours`, `10 minutes`.'),
    )
    .transform((text) => parsePeriodSeconds(text) ?? 0);
}

/** Certificates in PEM form; `\n` written out is a line break, as variables often have it. */
export const Certificate = z
  .string()
  .refine(
    (text) => readCertificates(text) !== undefined,
    refusal('must be a certificate in PEM form', 'Paste the text from -----BEGIN CERTIFICATE----- to its end.'),
  )
  .transform((text) => readCertificates(text) ?? text);

/** What stands in place of a secret elsewhere, and means nothing here: `p******s`. */
export function refuseMask(secret: string, context: z.core.$RefinementCtx): void {
  if (secret === MASK || (secret !== CHANGED && !/^.?\*{4,}.?$/u.test(secret))) return;
  const remedy = `Write the secret itself; ${MASK} keeps the one that is stored.`;
  refuse(context, [], { message: 'is what an export shows in place of a secret', remedy });
}

/** How a server is verified that sinks connect to. */
export const Tls = section('sinks[].destination.tls', {
  ca: Certificate.nullable().default(null),
  verify: Bool.default(true),
}).prefault({});
