/** `api_tokens:`. Only the token's hash leaves this file. */
import { z } from 'zod';
import { isMistyped, prefixOf } from '../../model/api-token.ts';
import { MASK } from '../../model/masked.ts';
import { Name, refuseMask } from '../../model/scalars.ts';
import { isScope, SCOPES } from '../../model/scope.ts';
import { refusal, section, withRemedy } from '../../model/section.ts';
import { hashToken } from '../token-hash.ts';
import { isPublished, weaknessOf } from '../weak-token.ts';

export interface TokenDeclared {
  name: string;
  /** Null: the one that is stored is kept. */
  hash: Buffer | null;
  /** What it begins with, where that may be seen. */
  prefix: string | null;
  scopes: string[];
  /** No scopes were given: it is an admin's. */
  unscoped: boolean;
  /** Why it can be guessed. */
  weakness: string | undefined;
}

const KNOWN = `Write ${SCOPES.join(', ')} or consume:<sink name>.`;

const Scope = z.string().refine(isScope, refusal('is not a scope', KNOWN));

const MAKE_ONE = 'Make one, `openssl rand -hex 24`, and give it to the clients too.';

/** One entry of `api_tokens:`. */
export const DeclaredToken = section('api_tokens[]', {
  name: Name,
  token: z
    .string()
    .refine(
      (token) => token.length >= 8 || !isPublished(token),
      refusal("is the token of Sequin's example, which everybody can read", MAKE_ONE),
    )
    .refine(
      (token) => token.length >= 8 || isPublished(token),
      refusal('must have 8 characters or more', 'Make one: `openssl rand -hex 24`.'),
    )
    .max(512, withRemedy('has more than 512 characters', 'Make a shorter one: `openssl rand -hex 24`.'))
    .regex(
      /^[\x21-\x7e]*$/,
      withRemedy(
        'must consist of printable ASCII characters without spaces, as a header takes them',
        'Make one: `openssl rand -hex 24`.',
      ),
    )
    .refine(
      (token) => !isMistyped(token),
      refusal(
        'looks like a token that Millrace made, and was mistyped or cut off',
        'Copy it again, or make another one: `openssl rand -hex 24`.',
      ),
    )
    .superRefine(refuseMask),
  scopes: z.array(Scope).min(1, withRemedy('must name at least one scope', KNOWN)).optional(),
}).transform(
  (input): TokenDeclared => ({
    name: input.name,
    hash: input.token === MASK ? null : hashToken(input.token),
    prefix: prefixOf(input.token),
    scopes: [...new Set(input.scopes ?? ['admin'])],
    unscoped: input.scopes === undefined,
    weakness: input.token === MASK ? undefined : weaknessOf(input.token),
  }),
);
