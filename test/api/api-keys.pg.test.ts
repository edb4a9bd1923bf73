/** API tokens over HTTP: made, seen once, good for what they say and as long as they say, revoked at once. */
import { expect } from 'chai';
import { applyConfig } from '../../src/catalog/apply/apply.ts';
import { openTokens } from '../../src/catalog/tokens.ts';
import { openListener } from '../../src/db/listen.ts';
import type { Queryable } from '../../src/db/pool.ts';
import { KEYS, parse } from '../catalog/support.ts';
import { type Reply, type TestWeb, testWeb } from '../support/processes/web.ts';
import { until } from '../support/until.ts';
import { type Managed, managed } from './support.ts';

const FIRST = 'k3jd8sj2ls9dk3js8dk2lsx2';
const SECOND = 'w8fj2la0pq7sn4mzx6vb1cyq';
const PULL = '/api/http_pull_consumers/orders/receive';

describe('api: tokens', () => {
  let all: Managed;
  let web: TestWeb;
  let asked = 0;
  let end: () => Promise<void>;
  before(async () => {
    all = await managed();
    const log = { warn: () => undefined, error: () => undefined };
    const listener = openListener({ address: all.m.url, max: 1, applicationName: 'millrace test' }, { log });
    const stop = new AbortController();
    const running = listener.run(stop.signal);
    const counted: Queryable = {
      query: async (...args) => {
        asked += 1;
        return await all.m.db.query<never>(...args);
      },
    };
    const tokens = openTokens({ db: counted, listener });
    web = await testWeb({ db: all.m.db, listener, findToken: tokens.find }, { pull: { longWaitMs: 30_000 } });
    end = async () => {
      await web.close();
      stop.abort();
      await running;
      await all.close();
    };
    await declare(FIRST);
  });
  after(async () => await end?.());

  const declare = async (token: string): Promise<void> => {
    const { config } = parse(JSON.stringify({ api_tokens: [{ name: 'root', token, scopes: ['admin'] }] }));
    await applyConfig({ db: all.m.db, keys: KEYS }, config, { from: 'start' });
  };
  const call = async (method: string, path: string, options: { body?: unknown; token?: string } = {}): Promise<Reply> =>
    await web.call(method, path, { token: FIRST, ...options });
  const create = async (body: object): Promise<Reply> => await call('POST', '/api/api_keys', { body });
  const audited = async (): Promise<string> =>
    JSON.stringify((await all.m.db.query('select * from millrace.audit order by id')).rows);

  it('makes one that is shown once, kept as a hash, and good for its scopes', async () => {
    const made = await create({ name: 'ci', scopes: ['operate', 'consume:orders', 'operate'] });
    expect(made.status, made.text).to.equal(200);
    const { token, id, ...rest } = made.json;
    expect(token).to.match(/^mr_[0-9A-Za-z]{49}$/);
    expect(rest).to.deep.include({
      name: 'ci',
      prefix: token.slice(0, 7),
      scopes: ['operate', 'consume:orders'],
      managed_by: 'api',
      created_by: 'token root',
      expires_at: null,
      last_used_at: null,
      revoked_at: null,
    });
    expect((await call('POST', '/api/sinks/orders/pause', { token })).status).to.equal(200);
    expect((await call('POST', '/api/sinks/orders/resume', { token })).status).to.equal(200);
    expect((await call('GET', PULL, { token })).status).to.equal(200);
    expect((await call('GET', '/api/api_keys', { token })).status).to.equal(403);
    const shown = await call('GET', `/api/api_keys/${id}`);
    expect(shown.json).to.deep.equal({ ...rest, id, last_used_at: shown.json.last_used_at });
    expect(shown.json.last_used_at).to.be.a('string');
    const list = await call('GET', '/api/api_keys');
    expect(list.json.data.map(({ name }: { name: string }) => name)).to.deep.equal(['ci', 'root']);
    const everything = `${shown.text}${list.text}${await audited()}`;
    expect(everything).to.not.contain(token);
    expect(everything).to.contain('"create","subject":"token ci"');
    const taken = await create({ name: 'ci', scopes: ['read'] });
    expect([taken.status, taken.json.code, taken.json.id]).to.deep.equal([409, 'name_taken', id]);
  });

  it('names every wrong field', async () => {
    for (const [body, field] of [
      [{ scopes: ['read'] }, 'name'],
      [{ name: 'two words', scopes: ['read'] }, 'name'],
      [{ name: 'a' }, 'scopes'],
      [{ name: 'a', scopes: [] }, 'scopes'],
      [{ name: 'a', scopes: ['write'] }, 'scopes[0]'],
      [{ name: 'a', scopes: ['read'], expires_at: 'soon' }, 'expires_at'],
      [{ name: 'a', scopes: ['read'], expires_at: '2020-01-01T00:00:00Z' }, 'expires_at'],
      [{ name: 'a', scopes: ['read'], expires_at: '9999-12-31T23:59:59-01:00' }, 'expires_at'],
      [{ name: 'a', scopes: ['read'], expires_at: '+010000-01-01T00:00:00Z' }, 'expires_at'],
      [{ name: 'a', scopes: ['read'], expires_at: '2999-01-01T00:00:00+16:00' }, 'expires_at'],
      [{ name: 'a', scopes: ['read'], expires_at: 'infinity' }, 'expires_at'],
      [{ name: 'a', scopes: ['read'], token: 'mine' }, 'token'],
    ] as const) {
      const { status, json } = await create(body);
      const told = Object.entries<string[]>(json.validation_errors ?? {}).map(([name, said]) => [name, said.length]);
      expect([status, told], JSON.stringify(body)).to.deep.equal([422, [[field, 1]]]);
    }
    expect((await call('GET', '/api/api_keys/ci')).status).to.equal(400);
    expect((await call('DELETE', '/api/api_keys/00000000-0000-4000-8000-000000000000')).status).to.equal(404);
  });

  it('refuses a mistyped one before it asks anybody', async () => {
    const { token } = (await create({ name: 'typed', scopes: ['read'] })).json as { token: string };
    const before = asked;
    for (const path of ['/api/sinks', PULL]) {
      const wrong = `${token.slice(0, -1)}${token.endsWith('x') ? 'y' : 'x'}`;
      const reply = await call('GET', path, { token: wrong });
      expect([reply.status, reply.json.code]).to.deep.equal([401, 'unauthorized']);
    }
    expect(asked).to.equal(before);
  });

  it('knows none that has expired, also of a client that waits', async () => {
    const { token, id } = (await create({ name: 'brief', scopes: ['admin'], expires_at: '2999-01-01T00:00:00Z' })).json;
    const waiting = call('GET', `${PULL}?wait_for=25s`, { token });
    await until('it was used', async () => (await call('GET', `/api/api_keys/${id}`)).json.last_used_at !== null);
    await all.m.db.query(
      `update millrace_private.api_tokens set expires_at = clock_timestamp() + interval '300 ms' where id = $1`,
      [id],
    );
    expect((await waiting).status).to.equal(401);
    expect((await call('GET', '/api/whoami', { token })).status).to.equal(401);
  });

  it('revokes one at once, also of a client that waits', async () => {
    const { token, id } = (await create({ name: 'gone', scopes: ['admin'] })).json;
    const waiting = call('GET', `${PULL}?wait_for=25s`, { token });
    await until('it was used', async () => (await call('GET', `/api/api_keys/${id}`)).json.last_used_at !== null);
    expect((await call('DELETE', `/api/api_keys/${id}`)).json).to.deep.equal({ success: true, id });
    expect((await waiting).status).to.equal(401);
    expect((await call('GET', `/api/api_keys/${id}`)).status).to.equal(404);
    expect(await audited()).to.contain('"revoke","subject":"token gone"');
  });

  it('notes when one was used once a minute, and tells nobody of that', async () => {
    const used = async (): Promise<unknown> =>
      (await all.m.db.query(`select last_used_at from millrace_private.api_tokens where name = 'root'`)).rows;
    const tokens = openTokens({ db: all.m.db });
    await tokens.find(FIRST, { fresh: true });
    const first = await used();
    await tokens.find(FIRST, { fresh: true });
    expect(await used()).to.deep.equal(first);
    await all.m.db.query(`update millrace_private.api_tokens set last_used_at = '2020-01-01' where name = 'root'`);
    await tokens.find(FIRST, { fresh: true });
    expect(await used()).to.not.deep.equal([{ last_used_at: new Date('2020-01-01') }]);
    const holder = await all.m.db.pool.connect();
    try {
      await holder.query(
        `begin; update millrace_private.api_tokens set last_used_at = '2020-01-01', revoked_at = null where name = 'root'`,
      );
      expect((await tokens.find(FIRST, { fresh: true }))?.name, 'whoever changes it keeps nobody out').to.equal('root');
    } finally {
      await holder.query('rollback');
      holder.release();
    }
  });

  it('keeps one of a file revoked until its text there changes', async () => {
    const { id } = (await call('GET', '/api/api_keys')).json.data.find(({ name }: { name: string }) => name === 'root');
    const helper = (await create({ name: 'helper', scopes: ['admin'] })).json.token as string;
    expect((await call('DELETE', `/api/api_keys/${id}`, { token: helper })).status).to.equal(200);
    await until('it is refused', async () => (await call('GET', '/api/whoami')).status === 401);
    await declare(FIRST);
    expect((await call('GET', '/api/whoami')).status).to.equal(401);
    const { json } = await call('GET', `/api/api_keys/${id}`, { token: helper });
    expect([json.managed_by, json.revoked_at === null]).to.deep.equal(['file', false]);
    await declare(SECOND);
    expect((await call('GET', '/api/whoami', { token: SECOND })).json.token.name).to.equal('root');
  });
});
