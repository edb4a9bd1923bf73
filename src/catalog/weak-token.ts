/** Which tokens can be guessed: short ones, those without variety, and those that everybody can read somewhere. */
import { hasVariety } from '../runtime/secret-key.ts';

const ENOUGH = 16;
const DISTINCT = 8;

/** Of Sequin's documentation, and of examples and tests of ours. */
const PUBLISHED = new Set([
  'secret',
  'mytoken',
  'my-token',
  'token123',
  'your-api-token',
  'your-secret-token',
  'userpassword123',
  'adminpass123',
  'sequinpassword!',
  'mr_example_token_0000',
  'k3jd8sj2ls9dk3js8dk2ls',
  'p0oiu7ytre5wq2lkjh8gfd',
]);
const WORDS =
  /example|secret|passw(or)?d|change-?me|test|demo|token|admin|sequin|millrace|bearer|your|api|key|12345|qwerty|letmein/g;

export const isPublished = (token: string): boolean => PUBLISHED.has(token.toLowerCase());

/** Why a token can be guessed, without the token; undefined when it cannot. Words that everybody tries count for nothing. */
export function weaknessOf(token: string): string | undefined {
  if (isPublished(token)) return 'is taken from a published example';
  const rest = token.toLowerCase().replaceAll(WORDS, '');
  if (rest.length < ENOUGH) {
    return `is weak: it has fewer than ${ENOUGH} characters, not counting words that everybody tries`;
  }
  if (new Set(rest).size < DISTINCT || !hasVariety(rest)) return 'is weak: it repeats itself or counts up';
  return undefined;
}
