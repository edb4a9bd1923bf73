/** People before a web role: who is not logged in, and the browser of somebody who is. */
import { expect } from 'chai';
import type { CallOptions, Reply, TestWeb } from '../support/processes/web.ts';

export const PASSWORD = 'correct horse battery';

/** A browser: what it keeps, and what it says by itself. */
export interface LoggedIn {
  cookie: string;
  csrf: string;
  user: { id: string; email: string };
  sessionId: string;
  call(method: string, path: string, options?: CallOptions): Promise<Reply>;
}

export interface LoggedOut {
  /** A POST of whoever. */
  anonymous(path: string, body: object, headers?: Record<string, string>): Promise<Reply>;
  /** Whom an answer has logged in. */
  browserOf(reply: Reply): LoggedIn;
  logIn(email: string, password?: string): Promise<LoggedIn>;
}

export function loggedOut(web: TestWeb): LoggedOut {
  const anonymous: LoggedOut['anonymous'] = (path, body, headers = {}) =>
    web.call('POST', path, { token: null, body, headers });
  const browserOf: LoggedOut['browserOf'] = (reply) => {
    expect(reply.status, reply.text).to.equal(200);
    const [cookie] = reply.headers.get('set-cookie')!.split(';');
    const { csrf, user, session_id: sessionId } = reply.json;
    const call: LoggedIn['call'] = (method, path, { headers, ...options } = {}) =>
      web.call(method, path, {
        token: null,
        headers: { cookie: cookie!, 'sec-fetch-site': 'same-origin', 'x-millrace-csrf': csrf, ...headers },
        ...options,
      });
    return { cookie: cookie!, csrf, user, sessionId, call };
  };
  return {
    anonymous,
    browserOf,
    logIn: async (email, password = PASSWORD) => browserOf(await anonymous('/api/sessions', { email, password })),
  };
}
