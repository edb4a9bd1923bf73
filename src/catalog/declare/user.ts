/** `users:`: people who are made where there are none of their address, and never changed by a file. */
import { z } from 'zod';
import { CHANGED, MASK } from '../../model/masked.ts';
import { Email, PASSWORD_LENGTH } from '../../model/person.ts';
import { isScope, SCOPES } from '../../model/scope.ts';
import { refusal, section, withRemedy } from '../../model/section.ts';
import { isPublished } from '../weak-token.ts';

export interface UserDeclared {
  /** In lower case. */
  email: string;
  /** Null: none that would do was written, so nobody is made. */
  password: string | null;
  scopes: string[];
  /** Why nobody is made. */
  notes: { path: string[]; message: string; remedy: string }[];
}

const KNOWN = `Write ${SCOPES.join(', ')} or consume:<sink name>.`;

/** One entry of `users:`. */
export const DeclaredUser = section('users[]', {
  email: Email,
  password: z.string().max(1_000, withRemedy('has more than 1000 characters', 'Choose a shorter one.')),
  scopes: z
    .array(z.string().refine(isScope, refusal('is not a scope', KNOWN)))
    .min(1, withRemedy('must name at least one scope', KNOWN))
    .optional(),
}).transform(({ email, password, scopes = ['admin'] }): UserDeclared => {
  const message = unfit(password);
  const remedy =
    'Write a password of 8 characters or more that is not from a published example, or create the user over the API.';
  return {
    email: email.toLowerCase(),
    password: message === undefined ? password : null,
    scopes: [...new Set(scopes)],
    notes: message === undefined ? [] : [{ path: ['password'], message: `${message}: this user is not made`, remedy }],
  };
});

function unfit(password: string): string | undefined {
  if (password === MASK || password === CHANGED || /^.?\*{4,}.?$/u.test(password))
    return 'is what an export shows in place of a secret';
  if (password.length < PASSWORD_LENGTH) return `has fewer than ${PASSWORD_LENGTH} characters`;
  return isPublished(password) ? 'is taken from a published example' : undefined;
}
