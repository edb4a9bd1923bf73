/** A consumer that is removed, made anew or renamed while clients wait for it: nobody waits for what goes elsewhere. */
import { expect } from 'chai';
import { statement } from '../../src/db/statement.ts';
import { type AddedSink, addPullSink, appendMessages } from '../support/fixtures/fixtures.ts';
import { type MessageDatabase, messageDatabase } from '../support/postgres/message-database.ts';
import type { Reply, TestWeb } from '../support/processes/web.ts';
import { type ListeningWeb, listeningWeb } from '../support/pull/listening-web.ts';

const REMOVE = statement('catalog/remove-sink');
const RENAME = statement('catalog/rename-sink');
const PUBLISH = statement('catalog/publish');
const ADMIN = 'k3jd8sj2ls9dk3js8dk2lsx2';
const WORKER = 'w8fj2la0pq7sn4mzx6vb1cyq';

describe('http: a consumer changes while clients wait', () => {
  let m: MessageDatabase;
  let web: TestWeb;
  let sink: AddedSink;
  let end: ListeningWeb['end'];
  let waiting: ListeningWeb['waiting'];

  beforeEach(async () => {
    m = await messageDatabase();
    sink = await addPullSink(m.db, { name: 'orders' });
    await m.db.query(
      `insert into millrace_private.api_tokens (name, hash, scopes)
       values ('admin', sha256($1), '{admin}'), ('worker', sha256($2), '{consume:orders}')`,
      [Buffer.from(ADMIN), Buffer.from(WORKER)],
    );
    ({ web, waiting, end } = await listeningWeb(m));
  });
  afterEach(async () => await end());

  const poll = async (token: string, waitFor: string, nameOrId = 'orders'): Promise<Reply> =>
    await web.call('GET', `/api/http_pull_consumers/${nameOrId}/receive?wait_for=${waitFor}`, { token });
  const remove = async (): Promise<void> =>
    await m.db.transaction(async (tx) => {
      await tx.query(REMOVE, ['orders']);
      await tx.query(PUBLISH);
    });

  it('removed: all are answered as if they asked for it now', async () => {
    const begun = fetch(`${web.url}/api/http_pull_consumers/orders/receive?wait_for=60s`, {
      headers: { authorization: `Bearer ${WORKER}` },
    });
    await begun;
    const polls = [poll(ADMIN, '25s'), poll(WORKER, '25s'), poll(ADMIN, '25s', sink.id)];
    await waiting(4, ADMIN);
    await remove();
    expect((await Promise.all(polls)).map(({ status, json }) => [status, json.code])).to.deep.equal([
      [404, 'not_found'],
      [403, 'forbidden'],
      [404, 'not_found'],
    ]);
    expect((await (await begun).text()).trim()).to.equal('{"data":[]}');
  });

  it('made anew: they ask again at once, and get what it has', async () => {
    const startedAt = performance.now();
    const polls = [poll(WORKER, '3m'), poll(WORKER, '29s')];
    await waiting(2, ADMIN);
    await remove();
    const made = await addPullSink(m.db, { name: 'orders' });
    await appendMessages(m.db, made.no, [{ group: 1 }]);
    expect((await Promise.all(polls)).map(({ status, text }) => [status, text.trim()])).to.deep.equal([
      [200, '{"data":[]}'],
      [200, '{"data":[]}'],
    ]);
    expect(performance.now() - startedAt, 'and not when their time was over').to.be.below(25_000);
    expect((await poll(WORKER, '0')).json.data).to.have.length(1);
  });

  it('renamed: who asked by its id goes on, with a token that is good for the new name now', async () => {
    const byId = poll(WORKER, '25s', sink.id);
    const byName = poll(WORKER, '25s');
    await waiting(2, ADMIN);
    await m.db.transaction(async (tx) => {
      await tx.query(RENAME, ['orders', 'sales']);
      await tx.query(PUBLISH);
    });
    expect((await byName).status).to.equal(403);
    await appendMessages(m.db, sink.no, [{ group: 1 }]);
    await m.db.query('select pg_notify($1, $2)', ['millrace_messages', String(sink.no)]);
    const reply = await byId;
    expect([reply.status, reply.json.data?.length], reply.text).to.deep.equal([200, 1]);
  });
});
