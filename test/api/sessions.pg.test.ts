/** People: the first one by a link, the others made by an admin; sessions in a cookie that no other page can use. */
import { expect } from 'chai';
import { ensureAdmin, makeSetupToken } from '../../src/admin/setup.ts';
import type { CallOptions, Reply } from '../support/processes/web.ts';
import { type Managed, managed } from './support.ts';

const PASSWORD = 'correct horse battery';

/** A browser: what it keeps, and what it says by itself. */
interface Browser {
  cookie: string;
  csrf: string;
  user: { id: string; email: string };
  sessionId: string;
  call(method: string, path: string, options?: CallOptions): Promise<Reply>;
}

describe('api: people and sessions', () => {
  let all: Managed;
  let ann: Browser;
  before(async () => {
    all = await managed();
  });
  after(async () => await all?.close());

  const anonymous = (path: string, body: object, headers: Record<string, string> = {}): Promise<Reply> =>
    all.web.call('POST', path, { token: null, body, headers });
  const browserOf = (reply: Reply): Browser => {
    expect(reply.status, reply.text).to.equal(200);
    const [cookie] = reply.headers.get('set-cookie')!.split(';');
    const { csrf, user, session_id: sessionId } = reply.json;
    const call: Browser['call'] = (method, path, { headers, ...options } = {}) =>
      all.web.call(method, path, {
        token: null,
        headers: { cookie: cookie!, 'sec-fetch-site': 'same-origin', 'x-millrace-csrf': csrf, ...headers },
        ...options,
      });
    return { cookie: cookie!, csrf, user, sessionId, call };
  };
  const logIn = async (email: string, password = PASSWORD): Promise<Browser> =>
    browserOf(await anonymous('/api/sessions', { email, password }));
  const forget = async (): Promise<unknown> => await all.m.db.query('delete from millrace_private.login_failures');

  it('lets the first one in by a link that is good once, for an hour, and while there is nobody', async () => {
    const wanted = { email: 'Ann@Example.org', name: 'Ann', password: PASSWORD };
    const refused = async (token: string): Promise<void> => {
      const { status, json } = await anonymous('/api/setup', { ...wanted, token });
      expect([status, json.code], json.summary).to.deep.equal([401, 'unauthorized']);
    };
    await refused('nonsense');
    const first = (await makeSetupToken(all.m.db))!;
    const token = (await makeSetupToken(all.m.db))!;
    await refused(first);
    await all.m.db.query(`update millrace_private.installation set setup_expires_at = now() - interval '1 second'`);
    await refused(token);
    const again = (await makeSetupToken(all.m.db))!;
    expect((await anonymous('/api/setup', { ...wanted, token: again, password: 'short' })).status).to.equal(422);
    const reply = await anonymous('/api/setup', { ...wanted, token: again });
    expect(reply.headers.get('set-cookie')).to.match(
      /^millrace-[a-z]{4}=[\w-]{43}; Max-Age=2592000; Path=\/; HttpOnly; SameSite=Lax$/,
    );
    ann = browserOf(reply);
    expect(reply.json.user).to.deep.include({ email: 'ann@example.org', name: 'Ann', scopes: ['admin'] });
    expect(reply.text).to.not.contain(ann.cookie.split('=')[1]);
    expect(await makeSetupToken(all.m.db)).to.equal(null);
    await refused(again);
    const { json } = await ann.call('GET', '/api/whoami');
    expect([json.token, json.user.email, json.csrf, json.scopes]).to.deep.equal([
      null,
      'ann@example.org',
      ann.csrf,
      ['admin'],
    ]);
    expect(await ensureAdmin(all.m.db, PASSWORD)).to.equal(true);
    expect(await ensureAdmin(all.m.db, 'another password')).to.equal(false);
    expect((await logIn('admin')).user.email).to.equal('admin');
  });

  it('makes people of a file where there are none of their address, and changes nobody', async () => {
    const apply = async (password: string): Promise<Reply> => {
      const yaml = JSON.stringify({ users: [{ email: 'Fay@Example.org', password, scopes: ['read'] }] });
      return await ann.call('POST', '/api/config/apply', { body: { yaml } });
    };
    const first = await apply(PASSWORD);
    expect(first.json.changes).to.deep.equal([
      {
        ...{ resource_type: 'user', name: 'fay@example.org', action: 'create', old: null, diff: [] },
        new: { email: 'fay@example.org', password: '********', scopes: ['read'] },
      },
    ]);
    expect((await apply('another long one')).json.changes).to.deep.equal([]);
    const fay = await logIn('fay@example.org');
    expect((await ann.call('GET', '/api/audit?actor=user&action=create&limit=1')).text).to.contain(
      'user fay@example.org',
    );
    await ann.call('DELETE', `/api/users/${fay.user.id}`);
  });

  it('makes, changes and removes people, and keeps one admin', async () => {
    const made = await ann.call('POST', '/api/users', {
      body: { email: 'bob@example.org', password: PASSWORD, scopes: ['read'] },
    });
    expect([made.status, made.headers.get('location')]).to.deep.equal([201, `/api/users/${made.json.id}`]);
    expect(made.json).to.deep.include({
      email: 'bob@example.org',
      created_by: 'user ann@example.org',
      has_password: true,
    });
    const taken = await ann.call('POST', '/api/users', { body: { email: 'BOB@example.org' } });
    expect([taken.status, taken.json.code, taken.json.id]).to.deep.equal([409, 'name_taken', made.json.id]);
    for (const [body, field] of [
      [{}, 'email'],
      [{ email: 'two words' }, 'email'],
      [{ email: 'c@d.org', password: 'short' }, 'password'],
      [{ email: 'c@d.org', scopes: ['root'] }, 'scopes[0]'],
      [{ email: 'c@d.org', admin: true }, 'admin'],
    ] as const) {
      const { status, json } = await ann.call('POST', '/api/users', { body });
      expect([status, Object.keys(json.validation_errors ?? {})]).to.deep.equal([422, [field]]);
    }
    const list = await ann.call('GET', '/api/users');
    expect(list.json.data.map(({ email }: { email: string }) => email)).to.deep.equal([
      'admin',
      'ann@example.org',
      'bob@example.org',
    ]);
    const bob = await logIn('bob@example.org');
    expect((await bob.call('GET', '/api/sinks')).status).to.equal(200);
    const refused = await bob.call('POST', '/api/sinks/orders/pause');
    expect([refused.status, refused.json.summary]).to.deep.equal([
      403,
      'User bob@example.org does not have the scope `operate`',
    ]);
    const changed = await ann.call('PATCH', `/api/users/${bob.user.id}`, {
      body: { scopes: ['operate'], name: 'Bob' },
    });
    expect([changed.json.scopes, changed.json.name]).to.deep.equal([['operate'], 'Bob']);
    const admin = list.json.data[0].id;
    expect((await ann.call('DELETE', `/api/users/${admin}`)).json).to.deep.include({ deleted: true, email: 'admin' });
    for (const [method, options] of [
      ['DELETE', {}],
      ['PATCH', { body: { scopes: ['read'] } }],
    ] as const) {
      const { status, json } = await ann.call(method, `/api/users/${ann.user.id}`, options);
      expect([status, json.code]).to.deep.equal([409, 'last_admin']);
    }
    expect((await ann.call('GET', `/api/users/${ann.user.id}`)).json.scopes).to.deep.equal(['admin']);
    expect((await ann.call('GET', `/api/users/${admin}`)).status).to.equal(404);
    const { text } = await ann.call('GET', '/api/audit?limit=100&subject=user');
    expect(text).to.contain('"action":"create","subject":"user bob@example.org"').and.to.not.contain('argon2');
  });

  it('takes a new password, which ends the other sessions', async () => {
    const [here, there] = [await logIn('bob@example.org'), await logIn('bob@example.org')];
    const path = `/api/users/${here.user.id}/password`;
    const without = await here.call('POST', path, { body: { password: 'another long one' } });
    expect(Object.keys(without.json.validation_errors)).to.deep.equal(['current_password']);
    const body = { password: 'another long one', current_password: PASSWORD };
    expect((await here.call('POST', path, { body })).status).to.equal(200);
    expect((await here.call('GET', '/api/whoami')).status).to.equal(200);
    expect((await anonymous('/api/sessions', { email: 'bob@example.org', password: PASSWORD })).status).to.equal(401);
    const other = await here.call('POST', `/api/users/${ann.user.id}/password`, { body });
    expect(other.status).to.equal(403);
    expect((await ann.call('POST', path, { body: { password: PASSWORD } })).status).to.equal(200);
    const { rows } = await all.m.db.query('select id from millrace_private.sessions where id = any ($1)', [
      [here.sessionId, there.sessionId],
    ]);
    expect(rows).to.deep.equal([]);
    await forget();
  });

  it('shows sessions to whose they are, and ends them', async () => {
    const [one, two, three] = [
      await logIn('bob@example.org'),
      await logIn('bob@example.org'),
      await logIn('bob@example.org'),
    ];
    const { json } = await one.call('GET', '/api/sessions', { headers: { 'user-agent': 'a browser' } });
    expect(json.data).to.have.length(3);
    expect(json.data.filter((each: { is_current: boolean }) => each.is_current)).to.have.length(1);
    expect(json.data[0]).to.have.property('address', '127.0.0.1');
    expect((await one.call('GET', `/api/sessions?user=${ann.user.id}`)).status).to.equal(403);
    expect((await ann.call('GET', `/api/sessions?user=${one.user.id}`)).json.data).to.have.length(3);
    expect((await one.call('DELETE', `/api/sessions/${ann.sessionId}`)).status).to.equal(404);
    expect((await one.call('DELETE', `/api/sessions/${two.sessionId}`)).json).to.deep.include({ ended: 1 });
    expect((await one.call('DELETE', '/api/sessions')).json).to.deep.include({ ended: 1 });
    const out = await one.call('DELETE', '/api/sessions/current');
    expect(out.headers.get('set-cookie')).to.match(/^millrace-[a-z]{4}=; Max-Age=0; /);
    const { rows } = await all.m.db.query('select from millrace_private.sessions where user_id = $1', [three.user.id]);
    expect(rows).to.deep.equal([]);
    expect((await all.web.call('GET', '/api/sessions', { token: 'read-token' })).status).to.equal(403);
    expect((await all.web.call('GET', `/api/sessions?user=${ann.user.id}`)).json.data).to.have.length.greaterThan(0);
  });

  it('ends a session after 7 days without a request, after 30, and with its person', async () => {
    const set = async (sql: string): Promise<unknown> =>
      await all.m.db.query(`update millrace_private.sessions set ${sql}`);
    for (const [sql, status] of [
      [`seen_at = now() - interval '6 days', expires_at = expires_at`, 200],
      [`seen_at = now() - interval '7 days', expires_at = expires_at`, 401],
      [`seen_at = now(), expires_at = now()`, 401],
    ] as const) {
      const bob = await logIn('bob@example.org');
      await set(sql);
      expect((await bob.call('GET', '/api/whoami')).status, sql).to.equal(status);
    }
    const { rows } = await all.m.db.query<{ days: number }>(
      `select round(extract(epoch from max(expires_at - created_at)) / 86400)::integer as days from millrace_private.sessions
        where expires_at > now()`,
    );
    expect(rows[0]?.days ?? 30).to.equal(30);
    ann = await logIn('ann@example.org');
    const bob = await logIn('bob@example.org');
    await ann.call('DELETE', `/api/users/${bob.user.id}`);
    expect((await bob.call('GET', '/api/whoami')).status).to.equal(401);
  });

  it('takes a change from a page of ours alone, and a token whatever page it comes from', async () => {
    const pause = async (headers: Record<string, string | undefined>, token: string | null = null): Promise<number> => {
      const sent = Object.entries(headers).flatMap(([key, value]) => (value === undefined ? [] : [[key, value]]));
      const { status, json } = await all.web.call('POST', '/api/sinks/orders/pause', {
        token,
        headers: Object.fromEntries(sent),
      });
      if (status === 403) expect(json.remedy).to.contain('token');
      return status;
    };
    const own = { cookie: ann.cookie, 'x-millrace-csrf': ann.csrf };
    const here = all.web.url;
    expect(await pause({ ...own, 'sec-fetch-site': 'same-origin' })).to.equal(200);
    expect(await pause({ ...own, origin: here })).to.equal(200);
    for (const headers of [
      { cookie: ann.cookie, 'sec-fetch-site': 'same-origin' },
      { ...own, 'x-millrace-csrf': 'wrong', origin: here },
      { ...own },
      { ...own, 'sec-fetch-site': 'same-site' },
      { ...own, 'sec-fetch-site': 'cross-site', origin: here },
      { ...own, 'sec-fetch-site': 'none' },
      { ...own, origin: 'http://evil.example' },
      { ...own, origin: 'null' },
    ]) {
      expect(await pause(headers), JSON.stringify(Object.keys(headers))).to.equal(403);
    }
    expect(await pause({ cookie: ann.cookie, 'sec-fetch-site': 'cross-site' }, 'admin-token')).to.equal(200);
    expect(await pause({ ...own, 'sec-fetch-site': 'same-origin' }, 'read-token'), 'a token wins').to.equal(403);
    expect((await all.web.call('GET', '/api/sinks', { token: null, headers: { cookie: ann.cookie } })).status).to.equal(
      200,
    );
    expect(
      (await all.web.call('GET', '/api/http_pull_consumers/orders/receive', { token: null, headers: own })).status,
      'the pull API knows no cookies: its GET takes messages',
    ).to.equal(401);
    for (const headers of [{ 'sec-fetch-site': 'cross-site' }, { origin: 'http://evil.example' }]) {
      const body = { email: 'ann@example.org', password: PASSWORD };
      expect((await anonymous('/api/sessions', body, headers)).status, 'nobody else logs a browser in').to.equal(403);
    }
  });

  it('names the cookie so that only TLS may set it, where there is TLS', async () => {
    const body = { email: 'ann@example.org', password: PASSWORD };
    const reply = await anonymous('/api/sessions', body, { 'x-forwarded-proto': 'https' });
    const cookie = reply.headers.get('set-cookie')!;
    expect(cookie).to.match(
      /^__Host-millrace-[a-z]{4}=[\w-]{43}; Max-Age=2592000; Path=\/; HttpOnly; SameSite=Lax; Secure$/,
    );
    const [pair] = cookie.split(';');
    const ask = async (headers: Record<string, string>): Promise<number> =>
      (await all.web.call('GET', '/api/whoami', { token: null, headers: { cookie: pair!, ...headers } })).status;
    expect(await ask({ 'x-forwarded-proto': 'https' })).to.equal(200);
    expect(await ask({})).to.equal(401);
    expect((await ann.call('GET', '/api/whoami', { headers: { 'x-forwarded-proto': 'https' } })).status).to.equal(401);
  });

  it('hears five failures a minute of an account or an address, told of no account whether it is there', async () => {
    await forget();
    const answers = new Set<string>();
    for (const email of ['ann@example.org', 'nobody@example.org']) {
      const attempt = () => anonymous('/api/sessions', { email, password: 'wrong password' });
      // Each is counted before its password is looked at: of many at once perhaps none is heard.
      const many = [await attempt(), ...(await Promise.all(Array.from({ length: 7 }, attempt)))];
      const heard = many.filter(({ status }) => status === 401);
      const refused = many.filter(({ status }) => status === 429);
      expect([heard.length + refused.length, heard.length <= 5, refused.length >= 3]).to.deep.equal([8, true, true]);
      expect(refused[0]!.headers.get('retry-after')).to.equal('60');
      for (const { json } of heard) answers.add(`${json.code} ${json.summary}`);
      await forget();
    }
    expect(answers.size).to.equal(1);
    for (let i = 0; i < 5; i += 1) await anonymous('/api/sessions', { email: `x${i}`, password: 'wrong password' });
    const right = { email: 'ann@example.org', password: PASSWORD };
    expect((await anonymous('/api/sessions', right)).status, 'of this address').to.equal(429);
    await all.m.db.query(`update millrace_private.login_failures set at = at - interval '1 minute'`);
    expect((await anonymous('/api/sessions', right)).status).to.equal(200);
    await forget();
  });
});
