/** Who may what: every route, as the table has it, asked by everybody that there can be. */
import { randomBytes } from 'node:crypto';
import { expect } from 'chai';
import { createApiKey } from '../../src/admin/api-keys.ts';
import { addSession } from '../../src/admin/log-in.ts';
import { createUser } from '../../src/admin/users.ts';
import { ROUTES } from '../../src/api/routes.ts';
import { openTokens } from '../../src/catalog/tokens.ts';
import { apiToken } from '../../src/model/api-token.ts';
import type { Scope } from '../../src/model/scope.ts';
import { type TestWeb, testWeb } from '../support/processes/web.ts';
import { type Managed, managed } from './support.ts';

const BY = { kind: 'cli', name: 'test' } as const;
/** What each scope allows; others nothing here. */
const MAY: Record<string, readonly Scope[]> = {
  read: ['read'],
  'read:data': ['read', 'read:data'],
  operate: ['read', 'operate'],
  'consume:orders': [],
  'consume:else': [],
  admin: ['read', 'read:data', 'operate', 'admin'],
};
const PULL = ['GET receive', 'POST receive', 'POST ack', 'POST nack', 'POST extend'];

describe('api: who may what', () => {
  let all: Managed;
  let web: TestWeb;
  const tokens = new Map<string, string>();
  let person: { cookie: string; csrf: string };
  before(async () => {
    all = await managed();
    const { db } = all.m;
    for (const scope of [...Object.keys(MAY), 'revoked', 'expired']) {
      const scopes = MAY[scope] === undefined ? ['admin'] : [scope];
      const name = scope.replace(':', '-');
      tokens.set(scope, (await createApiKey(db, { name, scopes, expiresAt: null }, BY)).token);
    }
    await db.query(`update millrace_private.api_tokens set revoked_at = now() where name = 'revoked'`);
    await db.query(`update millrace_private.api_tokens set expires_at = now() where name = 'expired'`);
    const wanted = { email: 'ann', name: null, scopes: ['admin'], password: 'a long password' };
    const { id } = await createUser(db, wanted, BY);
    const { rows } = await db.query<{ password: string }>('select password from millrace_private.users');
    const from = { address: '127.0.0.1', userAgent: null };
    const { value, csrf } = await addSession(db, { id, password: rows[0]!.password }, from);
    const { rows: installed } = await db.query<{ letters: string }>(
      'select letters from millrace_private.installation',
    );
    person = { cookie: `millrace-${installed[0]!.letters}=${value}`, csrf };
    web = await testWeb({ db, findToken: openTokens({ db }).find }, { keepHealthMs: 0 });
  });
  after(async () => {
    await web?.close();
    await all?.close();
  });

  /** None of them is known: without a token, of no meaning, mistyped, revoked, expired. */
  const strangers = (): (string | null)[] => {
    const token = apiToken(randomBytes(32));
    const mistyped = `${token.slice(0, -1)}${token.endsWith('x') ? 'y' : 'x'}`;
    return [null, 'garbage', token, mistyped, tokens.get('revoked')!, tokens.get('expired')!];
  };

  for (const { method, path, scope } of ROUTES) {
    it(`${method} ${path} wants ${scope}, before it looks at anything else`, async () => {
      // Of nothing that is there; a body that cannot be read changes nothing.
      const at = path.replaceAll(/:\w+/g, '0');
      const call = (token: string | null, headers: Record<string, string> = {}) =>
        web.call(method, at, { token, headers, ...(method === 'GET' ? {} : { body: '{' }) });
      for (const token of strangers()) {
        const { status, json, headers } = await call(token);
        if (scope === 'none') expect([401, 403], `${token}`).to.not.include(status);
        else
          expect([status, json.code, headers.get('www-authenticate')]).to.deep.equal([401, 'unauthorized', 'Bearer']);
      }
      for (const [held, allowed] of Object.entries(MAY)) {
        const { status, json } = await call(tokens.get(held)!);
        const may = scope === 'none' || scope === 'any' || allowed.includes(scope);
        if (!may) expect([status, json.code, json.needs], held).to.deep.equal([403, 'forbidden', scope]);
        else if (at !== '/api/sessions' || method !== 'GET') expect([401, 403], held).to.not.include(status);
        else expect([status, json.code], 'a token has no sessions').to.deep.equal([403, 'forbidden']);
      }
      const { cookie, csrf } = person;
      const bare = await call(null, { cookie });
      if (method === 'GET' || scope === 'none') expect([401, 403]).to.not.include(bare.status);
      else expect([bare.status, bare.json.code], 'a cookie alone').to.deep.equal([403, 'forbidden']);
      const whole = await call(null, { cookie, 'x-millrace-csrf': csrf, 'sec-fetch-site': 'same-origin' });
      expect([401, 403], 'a session of an admin').to.not.include(whole.status);
    });
  }

  for (const pull of PULL) {
    it(`${pull} of a consumer wants consume:<its name>`, async () => {
      const [method, verb] = pull.split(' ') as [string, string];
      const call = async (token: string | null, headers: Record<string, string> = {}): Promise<number> => {
        const body = method === 'GET' ? {} : { body: verb === 'receive' ? {} : { ack_ids: [] } };
        return (await web.call(method, `/api/http_pull_consumers/orders/${verb}`, { token, headers, ...body })).status;
      };
      for (const token of strangers()) expect(await call(token)).to.equal(401);
      for (const held of Object.keys(MAY)) {
        const isGood = held === 'consume:orders' || held === 'admin';
        if (isGood) expect([401, 403], held).to.not.include(await call(tokens.get(held)!));
        else expect(await call(tokens.get(held)!), held).to.equal(403);
      }
      const { cookie, csrf } = person;
      const headers = { cookie, 'x-millrace-csrf': csrf, 'sec-fetch-site': 'same-origin' };
      expect(await call(null, headers), 'no cookie').to.equal(401);
    });
  }
});
