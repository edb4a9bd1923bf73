/**
 * Who asks a management route: a token, or a person by the cookie of a session. A token wins, and cookies count for nothing then; they
 * never do for the pull API, whose GET takes messages. What changes something in a session must come from a page of ours.
 */
import type { Request, Response } from 'express';
import type { Route } from '../api/route.ts';
import { csrfOf, type Sessions } from '../catalog/sessions.ts';
import { hashToken } from '../catalog/token-hash.ts';
import { MillraceError } from '../model/errors.ts';
import { bearerToken, type Caller, type FindToken, identify, requireScope } from './auth.ts';
import { cookieName, isSecure, readCookie, setCookie } from './cookie.ts';
import { refuseForeign, refuseForged } from './forgery.ts';

export interface CallersDependencies {
  findToken: FindToken;
  sessions: Pick<Sessions, 'find'>;
  /** Of this installation. */
  letters(): Promise<string>;
}

export interface Callers {
  /** `before`: what it said of this request already. @throws MillraceError unauthorized, forbidden */
  of(request: Request, route: Route, before?: Caller): Promise<Caller>;
  /** Gives the client a session's cookie; null: takes it away. */
  sign(response: Response, value: string | null): Promise<void>;
}

const NOBODY: Caller = { token: '', scopes: [], by: { kind: 'token', name: 'none' } };

export function openCallers({ findToken, sessions, letters }: CallersDependencies): Callers {
  const nameFor = async (request: Request): Promise<string> => cookieName(await letters(), isSecure(request));

  const inSession = async (request: Request, before?: Caller): Promise<Caller | undefined> => {
    if (request.headers.cookie === undefined || bearerToken(request.headers.authorization) !== undefined)
      return undefined;
    const value = readCookie(request, await nameFor(request));
    if (value === undefined) return undefined;
    const hash = before?.session && before.hash ? before.hash : hashToken(value);
    const found = await sessions.find(hash);
    if (found === undefined)
      throw new MillraceError('unauthorized', 'The session has ended', { remedy: 'Log in again.' });
    const csrf = before?.session?.csrf ?? csrfOf(value);
    if (request.method !== 'GET' && request.method !== 'HEAD') refuseForged(request, csrf);
    const { id, user_id: userId, email, name, scopes } = found;
    return {
      ...{ token: `session ${userId}`, scopes, hash, by: { kind: 'user', name: email } },
      session: { id, userId, email, name, csrf },
    };
  };

  return {
    async of(request, { scope, method }, before) {
      if (scope === 'none') {
        if (method !== 'GET') refuseForeign(request);
        return NOBODY;
      }
      const caller = (await inSession(request, before)) ?? (await identify(findToken, request, before));
      if (scope !== 'any') requireScope(caller, scope);
      return caller;
    },
    async sign(response, value) {
      const secure = isSecure(response.req);
      response.setHeader('Set-Cookie', setCookie(cookieName(await letters(), secure), value, secure));
    },
  };
}
