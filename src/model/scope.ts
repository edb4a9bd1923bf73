/** What a token, or a person, may do. A scope that is not named here allows nothing but what its own routes say (`consume:<sink name>`). */
import { isName } from './name.ts';

/** `read`: what is declared and how it is, no row, no key, no destination's answer; those are `read:data`. `operate`: pause, retry, backfill. */
export const SCOPES = ['admin', 'operate', 'read:data', 'read'] as const;

export type Scope = (typeof SCOPES)[number];

const ALLOWED_BY: Record<Scope, readonly string[]> = {
  admin: ['admin'],
  operate: ['admin', 'operate'],
  'read:data': ['admin', 'read:data'],
  read: SCOPES,
};

/** Do these scopes include what `wanted` allows? */
export const allows = (scopes: readonly string[], wanted: Scope): boolean =>
  scopes.some((scope) => ALLOWED_BY[wanted].includes(scope));

const CONSUME = 'consume:';

/** Is it one that a token can have? Of a consumer that may come later too, but of no name that a sink cannot have. */
export const isScope = (text: string): boolean =>
  SCOPES.some((scope) => scope === text) || (text.startsWith(CONSUME) && isName(text.slice(CONSUME.length)));
