/**
 * Who asks, and what it may do: `Authorization: Bearer <token>`. Tokens are looked up by the catalog, which knows only
 * their hashes and decides how long it remembers them.
 */
import type { Request } from 'express';
import type { SessionOf } from '../api/route.ts';
import type { KnownToken } from '../catalog/tokens.ts';
import type { By } from '../model/by.ts';
import { MillraceError } from '../model/errors.ts';
import { UUID } from '../model/name.ts';
import { allows, type Scope } from '../model/scope.ts';

/**
 * A token by its text or its hash, as it was a second ago at most; undefined when it is not known or was revoked. `fresh`: as it
 * is now.
 */
export type FindToken = (token: string | Buffer, options?: { fresh?: boolean }) => Promise<KnownToken | undefined>;

/** Who asks, and what they might do then. */
export interface Caller {
  /** What was presented. Of a person: who it is. */
  token: string;
  scopes: readonly string[];
  /** Of a token, or of what a session's cookie holds: what it is found again by. */
  hash?: Buffer;
  by: By;
  /** A person, who has logged in. */
  session?: SessionOf;
}

const MAX_TOKEN_LENGTH = 512;
const NOT_KNOWN = 'The token is not known, was revoked, or has expired';

/** `before`: who this request was found to be already, so that its token is not hashed again. @throws MillraceError unauthorized. */
export async function identify(findToken: FindToken, request: Request, before?: Caller): Promise<Caller> {
  const token = bearerToken(request.headers.authorization);
  if (token === undefined) throw unauthorized('This needs a token: Authorization: Bearer <token>');
  const known = await findToken(before?.hash ?? token);
  if (known === undefined) throw unauthorized(NOT_KNOWN);
  return { token, scopes: known.scopes, hash: known.hash, by: { kind: 'token', name: known.name } };
}

/** The token of a caller once more, without hashing it again. */
export async function findAgain(findToken: FindToken, caller: Caller): Promise<KnownToken | undefined> {
  return await findToken(caller.hash ?? caller.token);
}

/**
 * Why a token does not do for a consumer, as an error; undefined when it does. One that is for some consumers alone does not learn
 * which others there are.
 */
export function refusalOf(
  known: Pick<KnownToken, 'scopes'> | undefined,
  consumer: { name: string } | undefined,
): MillraceError | undefined {
  if (known === undefined) return unauthorized(NOT_KNOWN);
  if (consumer === undefined && known.scopes.includes('admin'))
    return new MillraceError('not_found', 'There is no pull consumer of this name or id');
  if (consumer !== undefined && mayConsume(known.scopes, consumer.name)) return undefined;
  return new MillraceError('forbidden', 'The token does not have the scope for this');
}

/** Could it be one that the token is for? Of an id that shows only when it is looked up, and no id can be guessed. */
export const mayAskFor = ({ scopes }: Caller, nameOrId: string): boolean =>
  UUID.test(nameOrId) || mayConsume(scopes, nameOrId);

/** The token of `Authorization: Bearer <token>`; undefined when the header is missing or malformed. */
export function bearerToken(header: string | undefined): string | undefined {
  const token = /^bearer +([\x21-\x7e]+) *$/i.exec(header ?? '')?.[1];
  return token !== undefined && token.length <= MAX_TOKEN_LENGTH ? token : undefined;
}

/** May it receive from, and answer for, this consumer? */
function mayConsume(scopes: readonly string[], consumerName: string): boolean {
  return scopes.some((scope) => scope === 'admin' || scope === `consume:${consumerName}`);
}

/** For a management route. @throws MillraceError forbidden, naming the scope. */
export function requireScope({ scopes, session }: Caller, wanted: Scope): void {
  if (allows(scopes, wanted)) return;
  const who = session === undefined ? 'The token does not have' : `User ${session.email} does not have`;
  const remedy =
    session === undefined
      ? 'Make one that has it (POST /api/api_keys), or give it that scope in `api_tokens`, and apply the file.'
      : 'An admin gives it, with PATCH /api/users/{id}.';
  throw new MillraceError('forbidden', `${who} the scope \`${wanted}\``, { remedy, facts: { needs: wanted } });
}

function unauthorized(message: string): MillraceError {
  return new MillraceError('unauthorized', message);
}
