/** A token that is good for nothing any more: who waits with it is sent away, and nothing is leased for it. */
import { expect } from 'chai';
import { applyConfig } from '../../src/catalog/apply/apply.ts';
import { KEYS, parse } from '../catalog/support.ts';
import { type AddedSink, addPullSink, appendMessages } from '../support/fixtures/fixtures.ts';
import { type MessageDatabase, messageDatabase } from '../support/postgres/message-database.ts';
import type { Reply, TestWeb } from '../support/processes/web.ts';
import { type ListeningWeb, listeningWeb } from '../support/pull/listening-web.ts';

const TOKEN = 'k3jd8sj2ls9dk3js8dk2lsx2';
const OTHER = 'w8fj2la0pq7sn4mzx6vb1cyq';

/** How the news comes: told by Postgres, or found by looking. */
for (const told of [true, false]) {
  describe(`http: a token is revoked while a client waits (${told ? 'notified' : 'no notification'})`, () => {
    let m: MessageDatabase;
    let web: TestWeb;
    let sink: AddedSink;
    let end: ListeningWeb['end'];
    let waiting: ListeningWeb['waiting'];
    const declare = async (token: string, scopes: string[]): Promise<void> => {
      const { config } = parse(JSON.stringify({ api_tokens: [{ name: 'worker', token, scopes }] }));
      await applyConfig({ db: m.db, keys: KEYS }, config);
    };

    beforeEach(async () => {
      m = await messageDatabase();
      sink = await addPullSink(m.db, { name: 'orders' });
      await declare(TOKEN, ['read', 'admin']);
      ({ web, waiting, end } = await listeningWeb(m, { told }));
    });
    afterEach(async () => await end());

    const poll = async (query: string): Promise<Reply> =>
      await web.call('GET', `/api/http_pull_consumers/orders/receive?${query}`, { token: TOKEN });
    const leases = async (): Promise<number> => (await m.db.query('select from millrace_private.leases')).rows.length;

    const changes: [string, number, () => Promise<unknown>][] = [
      ['revoked in SQL', 401, () => m.db.query('update millrace_private.api_tokens set revoked_at = now()')],
      ['deleted in SQL', 401, () => m.db.query('delete from millrace_private.api_tokens')],
      ['replaced by a file', 401, () => declare(OTHER, ['admin'])],
      ['given other scopes by a file', 403, () => declare(TOKEN, ['read'])],
    ];
    for (const [how, status, change] of changes) {
      it(`${how}: ends with ${status}, and the rest of them with an empty list`, async () => {
        const begun = fetch(`${web.url}/api/http_pull_consumers/orders/receive?wait_for=60s`, {
          headers: { authorization: `Bearer ${TOKEN}` },
        });
        await begun;
        const polls = [poll('wait_for=25s'), poll('wait_for=25s')];
        await waiting(3);
        await change();
        for (const reply of await Promise.all(polls)) expect(reply.status).to.equal(status);
        expect((await (await begun).text()).trim()).to.equal('{"data":[]}');
        await waiting(0);
        await appendMessages(m.db, sink.no, [{ group: 1 }]);
        expect((await poll('wait_for=0')).status).to.equal(status);
        expect(await leases()).to.equal(0);
        expect(web.logged.filter(({ level }) => level !== 'info')).to.deep.equal([]);
      });
    }

    it('goes on for others who wait, and gets them what comes', async () => {
      await m.db.query(
        `insert into millrace_private.api_tokens (name, hash, scopes) values ('b', sha256($1), '{consume:orders}')`,
        [Buffer.from(OTHER)],
      );
      const first = poll('wait_for=25s');
      await waiting(1);
      const second = web.call('GET', '/api/http_pull_consumers/orders/receive?wait_for=25s', { token: OTHER });
      await waiting(2);
      await m.db.query(`update millrace_private.api_tokens set revoked_at = now() where name = 'worker'`);
      expect((await first).status).to.equal(401);
      await appendMessages(m.db, sink.no, [{ group: 1 }]);
      await m.db.query('select pg_notify($1, $2)', ['millrace_messages', String(sink.no)]);
      expect((await second).json.data).to.have.length(1);
    });
  });
}
