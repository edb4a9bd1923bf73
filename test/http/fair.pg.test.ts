/** One consumer that asks for all there is, by every verb and without an end, is in nobody's way. */
import { Agent, request } from 'node:http';
import { expect } from 'chai';
import { openTokens } from '../../src/catalog/tokens.ts';
import { openListener } from '../../src/db/listen.ts';
import { type Database, openPool } from '../../src/db/pool.ts';
import { addPullSink, appendMessages } from '../support/fixtures/fixtures.ts';
import { type MessageDatabase, messageDatabase } from '../support/postgres/message-database.ts';
import { type TestWeb, testWeb } from '../support/processes/web.ts';
import { promised, until } from '../support/until.ts';

const GREEDY = 'k3jd8sj2ls9dk3js8dk2lsx2';
const MODEST = 'w8fj2la0pq7sn4mzx6vb1cyq';
const ROUNDS = 40;
/** Unknown ones, each of a lease of its own. */
const UNKNOWN = Array.from({ length: 10_000 }, (_, i) => `${i.toString(16).padStart(32, '0')}-${i}`);

describe('http: fairness', function () {
  this.timeout(120_000);

  let m: MessageDatabase;
  /** As many connections as the web role has. */
  let db: Database;
  let web: TestWeb;
  let modest: number;
  const stop = new AbortController();
  const agent = new Agent({ keepAlive: true, maxSockets: 200 });
  const ended: Promise<unknown>[] = [];

  before(async () => {
    m = await messageDatabase();
    db = openPool({ address: m.url, max: 3, applicationName: 'millrace test', path: 'role' });
    await addPullSink(m.db, { name: 'greedy' });
    ({ no: modest } = await addPullSink(m.db, { name: 'modest' }));
    for (const [name, token] of [
      ['greedy', GREEDY],
      ['modest', MODEST],
    ]) {
      await m.db.query(`insert into millrace_private.api_tokens (name, hash, scopes) values ($1, sha256($2), $3)`, [
        name,
        Buffer.from(token!),
        [`consume:${name}`],
      ]);
    }
    const quiet = { log: { warn: () => undefined, error: () => undefined } };
    const listener = openListener({ address: m.url, max: 1, applicationName: 'millrace test' }, quiet);
    ended.push(listener.run(stop.signal));
    const tokens = openTokens({ db, listener });
    web = await testWeb({ db, health: listener, listener, findToken: tokens.find }, { keepHealthMs: 0 });
    await until('it listens', async () => (await web.call('GET', '/readyz')).status === 200);
  });
  after(async () => {
    stop.abort();
    agent.destroy();
    await Promise.all(ended);
    await web.close();
    await db.close();
    await m.drop();
  });

  /** The status of one request. */
  async function ask(path: string, token: string, body: string): Promise<{ status: number; text: string }> {
    return await new Promise((resolve, reject) => {
      const asked = request(
        { agent, port: web.web.port, path, method: 'POST', headers: { authorization: `Bearer ${token}` } },
        (response) => {
          let text = '';
          response.on('data', (bytes) => {
            text += bytes;
          });
          response.once('end', () => resolve({ status: response.statusCode!, text }));
        },
      );
      asked.once('error', reject);
      asked.end(body);
    });
  }

  /** Receives and acknowledges one message; milliseconds. */
  async function round(): Promise<number> {
    await appendMessages(m.db, modest, [{ group: 1 }]);
    const path = '/api/http_pull_consumers/modest';
    const start = performance.now();
    const { status, text } = await ask(`${path}/receive`, MODEST, '{}');
    expect(status).to.equal(200);
    const ids = (JSON.parse(text) as { data: { ack_id: string }[] }).data.map(({ ack_id }) => ack_id);
    expect(ids).to.have.length(1);
    const { text: acked } = await ask(`${path}/ack`, MODEST, JSON.stringify({ ack_ids: ids }));
    expect(acked).to.equal('{"success":true,"count":1}');
    return performance.now() - start;
  }

  it('one consumer that saturates every verb makes no readiness fail, and delays no other by more than half a second', async () => {
    const baseline: number[] = [];
    for (let i = 0; i < ROUNDS; i += 1) baseline.push(await round());

    const answered = new Map<number, number>();
    const flood = async (verb: string, more: object): Promise<void> => {
      const body = JSON.stringify(verb === 'receive' ? more : { ack_ids: UNKNOWN, ...more });
      while (!stop.signal.aborted) {
        const { status } = await ask(`/api/http_pull_consumers/greedy/${verb}`, GREEDY, body).catch(() => ({
          status: 0,
        }));
        answered.set(status, (answered.get(status) ?? 0) + 1);
      }
    };
    const floods = Array.from({ length: 10 }, () => [
      flood('receive', { batch_size: 1000 }),
      flood('ack', {}),
      flood('nack', { delay: '60m' }),
      flood('extend', { visibility_timeout: '60m' }),
    ]).flat();
    ended.push(...floods);
    await until('it is under way', async () => (answered.get(200) ?? 0) > 3);

    const under: number[] = [];
    const ready: number[] = [];
    for (let i = 0; i < ROUNDS; i += 1) {
      const [took, look] = await Promise.all([round(), web.call('GET', '/readyz', { token: null })]);
      under.push(took);
      ready.push(look.status);
    }
    stop.abort();
    await Promise.all(floods);
    expect(new Set(ready)).to.deep.equal(new Set([200]));
    // The median of what is usual on this machine now, and the worst of two requests under load.
    const usual = baseline.sort((a, b) => a - b)[ROUNDS / 2]!;
    expect(Math.max(...under) - usual, JSON.stringify(under)).to.be.lessThan(promised(2 * 500));
    expect([...answered.keys()].filter((status) => status !== 200 && status !== 429)).to.deep.equal([]);
  });
});
