/** People: the first one by a link, the others made by an admin; sessions in a cookie that no other page can use. */
import { expect } from 'chai';
import { ensureAdmin, makeSetupToken } from '../../src/admin/setup.ts';
import { messageDatabase } from '../support/postgres/message-database.ts';
import { type Reply, type TestWeb, testWeb } from '../support/processes/web.ts';
import { type LoggedIn, type LoggedOut, loggedOut, PASSWORD } from './logged-in.ts';
import { type Managed, managed } from './support.ts';

describe('api: people and sessions', () => {
  let all: Managed;
  let ann: LoggedIn;
  before(async () => {
    all = await managed();
  });
  after(async () => await all?.close());

  const anonymous: LoggedOut['anonymous'] = (...asked) => loggedOut(all.web).anonymous(...asked);
  const logIn: LoggedOut['logIn'] = (...who) => loggedOut(all.web).logIn(...who);
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
    ann = loggedOut(all.web).browserOf(reply);
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

  it('lets the first one in by any web process, and nobody once somebody is there, wherever they came from', async () => {
    const other = await messageDatabase();
    const [one, two] = await Promise.all([testWeb({ db: other.db }), testWeb({ db: other.db })]);
    const { rows: known } = await other.db.query<{ now: Date }>('select now()');
    const token = (await makeSetupToken(other.db))!;
    const { rows } = await other.db.query<{ text: string; minutes: number }>(
      `select i::text as text, extract(epoch from i.setup_expires_at - $1::timestamptz)::integer / 60 as minutes
         from millrace_private.installation i`,
      [known[0]!.now],
    );
    expect([rows[0]!.text.includes(token), rows[0]!.minutes]).to.deep.equal([false, 60]);
    const setUp = (web: TestWeb, body: object): Promise<Reply> =>
      web.call('POST', '/api/setup', { token: null, body: { email: 'a@example.org', password: PASSWORD, ...body } });
    // Of a file, of ADMIN_PASSWORD: where there is a user, a link that was printed before is void.
    await ensureAdmin(other.db, PASSWORD);
    expect((await setUp(one, { token })).status).to.equal(401);
    await other.db.query('delete from millrace_private.users');
    const again = (await makeSetupToken(other.db))!;
    const both = await Promise.all([
      setUp(one, { token: again }),
      setUp(two, { token: again, email: 'b@example.org' }),
    ]);
    expect(both.map(({ status }) => status).sort(), 'whichever process, once').to.deep.equal([200, 401]);
    expect((await other.db.query('select from millrace_private.users')).rows).to.have.length(1);
    await Promise.all([one.close(), two.close()]);
    await other.drop();
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
    // Nobody can log in as one that has no password yet.
    const later = await ann.call('POST', '/api/users', { body: { email: 'later', password: null } });
    expect([later.status, later.json.scopes, later.json.has_password]).to.deep.equal([201, ['admin'], false]);
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
