/**
 * Who asks, and what it may do: `Authorization: Bearer <token>`. Tokens are looked up by the catalog, which knows only
 * their hashes and decides how long it remembers them.
 */
import type { Request } from 'express';
import { MillraceError } from '../model/errors.ts';

/** The scopes of a token (`admin`, `read`, `consume:<sink name>`); undefined when it is not known or was revoked. */
export type FindToken = (token: string) => Promise<readonly string[] | undefined>;

const MAX_TOKEN_LENGTH = 512;

/** The scopes of the caller's token. Throws MillraceError unauthorized. */
export async function identify(findToken: FindToken, request: Request): Promise<readonly string[]> {
  const token = bearerToken(request.headers.authorization);
  if (token === undefined) throw unauthorized('This needs a token: Authorization: Bearer <token>');
  const scopes = await findToken(token);
  if (scopes === undefined) throw unauthorized('The token is not known, or was revoked');
  return scopes;
}

/** The token of `Authorization: Bearer <token>`; undefined when the header is missing or malformed. */
export function bearerToken(header: string | undefined): string | undefined {
  const token = /^bearer +([\x21-\x7e]+) *$/i.exec(header ?? '')?.[1];
  return token !== undefined && token.length <= MAX_TOKEN_LENGTH ? token : undefined;
}

/** May it receive from, and answer for, this consumer? */
export function mayConsume(scopes: readonly string[], consumerName: string): boolean {
  return scopes.some((scope) => scope === 'admin' || scope === `consume:${consumerName}`);
}

export function forbidden(): MillraceError {
  return new MillraceError('forbidden', 'The token does not have the scope for this');
}

function unauthorized(message: string): MillraceError {
  return new MillraceError('unauthorized', message);
}
