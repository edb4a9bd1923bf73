/** Times in requests, as ISO 8601 has them. */
import { z } from 'zod';

/** Postgres knows no year 0, and no zone that is 16 hours from UTC. */
const isKnown = (text: string): boolean => !text.startsWith('0000') && !/[+-](?:1[6-9]|2\d):\d\d$/.test(text);

const A_TIME = 'must be a time such as 2026-11-22T08:00:00Z';

/** A day, too. */
export const TIME = z.union([z.iso.datetime({ offset: true }), z.iso.date()], A_TIME).refine(isKnown, A_TIME);

const LATER = 'must be a time such as 2027-01-31T08:00:00Z';
/** Later ones have a form of their own, which few programs read. */
const END = Date.parse('9999-12-31T23:59:59.999Z');

/** Until when something is valid. */
export const EXPIRY = z.iso
  .datetime({ offset: true, error: LATER, abort: true })
  .refine(isKnown, LATER)
  .refine(
    (text) => Date.parse(text) <= END,
    'must be before the year 10000; leave it out for a token that does not expire',
  );
