/** `api_tokens:`. Only the token's hash leaves this file. */
import { z } from 'zod';
import { Name } from './schemas-scalars.ts';
import { refusal, section, withRemedy } from './section.ts';
import { hashToken } from './token-hash.ts';

export interface TokenDeclared {
  name: string;
  hash: Buffer;
  scopes: string[];
  weak: boolean;
}

const Scope = z
  .string()
  .refine(
    (scope) => scope === 'admin' || scope === 'read' || /^consume:./.test(scope),
    refusal('is not a scope', 'Write admin, read or consume:<sink name>.'),
  );

/** One entry of `api_tokens:`. */
export const DeclaredToken = section('api_tokens[]', {
  name: Name,
  token: z
    .string()
    .min(8, withRemedy('must have 8 characters or more', 'Make one: `openssl rand -hex 24`.'))
    .max(512, withRemedy('has more than 512 characters', 'Make a shorter one: `openssl rand -hex 24`.'))
    .regex(
      /^[\x21-\x7e]*$/,
      withRemedy(
        'must consist of printable ASCII characters without spaces, as a header takes them',
        'Make one: `openssl rand -hex 24`.',
      ),
    ),
  scopes: z
    .array(Scope)
    .min(1, withRemedy('must name at least one scope', 'Write admin, read or consume:<sink name>.'))
    .default(['admin']),
}).transform(
  (input): TokenDeclared => ({
    name: input.name,
    hash: hashToken(input.token),
    scopes: [...new Set(input.scopes)],
    weak: isWeak(input.token),
  }),
);

/** Short, of few different characters, or made of a word that everybody tries. */
export function isWeak(token: string): boolean {
  if (token.length < 20 || new Set(token).size < 8) return true;
  return /example|secret|password|changeme|change-me|test|demo|12345/i.test(token);
}
