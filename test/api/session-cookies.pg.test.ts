/** The cookie of a session: what is kept of it, which browsers send it, and from which pages it counts. */
import { expect } from 'chai';
import { createUser } from '../../src/admin/users.ts';
import { until } from '../support/until.ts';
import { type LoggedIn, type LoggedOut, loggedOut, PASSWORD } from './logged-in.ts';
import { type Managed, managed } from './support.ts';

describe('api: the cookie of a session', () => {
  let all: Managed;
  let people: LoggedOut;
  let ann: LoggedIn;
  before(async () => {
    all = await managed();
    people = loggedOut(all.web);
    const wanted = { email: 'ann@example.org', name: 'Ann', scopes: ['admin'], password: PASSWORD };
    await createUser(all.m.db, wanted, { kind: 'cli', name: 'test' });
    ann = await people.logIn('ann@example.org');
  });
  after(async () => await all?.close());

  it('gives a session a new name at each login, and keeps only its hash', async () => {
    const first = await people.logIn('ann@example.org');
    const planted = `millrace-${first.cookie.slice(9, 13)}=${'A'.repeat(43)}`;
    for (const cookie of [first.cookie, planted]) {
      const body = { email: 'ann@example.org', password: PASSWORD };
      const second = people.browserOf(await people.anonymous('/api/sessions', body, { cookie }));
      expect([cookie, first.cookie]).to.not.include(second.cookie);
      expect(second.csrf).to.not.equal(first.csrf);
      expect((await all.web.call('GET', '/api/whoami', { token: null, headers: { cookie: planted } })).status).to.equal(
        401,
      );
      // The token of one session is none of another one.
      const forged = await second.call('DELETE', '/api/sessions/current', {
        headers: { 'x-millrace-csrf': first.csrf },
      });
      expect(forged.status).to.equal(403);
      await second.call('DELETE', '/api/sessions/current');
    }
    const [name, value] = first.cookie.split('=') as [string, string];
    expect(name).to.match(/^millrace-[a-z]{4}$/);
    expect(Buffer.from(value, 'base64url')).to.have.length(32);
    const { rows } = await all.m.db.query<{ text: string }>(
      `select s::text as text from millrace_private.sessions s
       union all select a::text from millrace_private.audit_log a union all select u::text from millrace_private.users u`,
    );
    const kept = rows.map(({ text }) => text).join('\n');
    for (const form of [value, Buffer.from(value, 'base64url').toString('hex'), first.csrf, PASSWORD])
      expect(kept).to.not.contain(form);
    await first.call('DELETE', '/api/sessions/current');
  });

  it('takes nothing from a session that has ended, in whichever way, and changes nothing', async () => {
    const bob = { email: 'bob-ends@example.org', password: PASSWORD, scopes: ['operate'] };
    const { json: made } = await ann.call('POST', '/api/users', { body: bob });
    const pause = async (browser: LoggedIn): Promise<[number, string]> => {
      const { status, json } = await browser.call('POST', '/api/sinks/orders/pause');
      return [status, json.code];
    };
    const statusOf = async (): Promise<string> => (await ann.call('GET', '/api/sinks/orders')).json.status;
    await ann.call('POST', '/api/sinks/orders/resume');
    for (const end of [
      (own: LoggedIn) => own.call('DELETE', '/api/sessions/current'),
      (own: LoggedIn) => own.call('DELETE', `/api/sessions/${own.sessionId}`),
      () => ann.call('DELETE', `/api/sessions?user=${made.id}`),
      () => ann.call('POST', `/api/users/${made.id}/password`, { body: { password: PASSWORD } }),
      async () =>
        await all.m.db.query(`update millrace_private.sessions set expires_at = now() where user_id = $1`, [made.id]),
      () => ann.call('DELETE', `/api/users/${made.id}`),
    ]) {
      const own = await people.logIn(bob.email);
      expect((await own.call('GET', '/api/whoami')).status).to.equal(200);
      await end(own);
      await until('it has ended for each process', async () => (await own.call('GET', '/api/whoami')).status === 401);
      expect(await pause(own), `${end}`).to.deep.equal([401, 'unauthorized']);
      expect(await statusOf()).to.not.equal('paused');
    }
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
      expect((await people.anonymous('/api/sessions', body, headers)).status, 'nobody else logs a browser in').to.equal(
        403,
      );
    }
  });

  it('names the cookie so that only TLS may set it, where there is TLS', async () => {
    const body = { email: 'ann@example.org', password: PASSWORD };
    const reply = await people.anonymous('/api/sessions', body, { 'x-forwarded-proto': 'https' });
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
});
