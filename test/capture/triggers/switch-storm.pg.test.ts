/**
 * The way of capture is switched there and back among writers: rows that many of them change, rows that come and are truncated, with
 * savepoints, rollbacks, prepared transactions and transactions that stay open, while capture is killed. Every change that was
 * committed is told once, and those of a row in their order.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import pg from 'pg';
import type { CapturedMessage } from '../../support/fixtures/captured.ts';
import { isAscending, NOTES, PUBLISH, type SwitchedSource, switchedSource } from '../../support/fixtures/switched.ts';
import { type Random, seeded } from '../../support/outages/ledger.ts';
import { type Cluster, startCluster } from '../../support/postgres/postgres.ts';
import { until } from '../../support/until.ts';

const CHILD = fileURLToPath(new URL('../../support/processes/capture-child.ts', import.meta.url));
const SCHEMA = `
  create table counters (id int primary key, n int not null);
  insert into counters select n, 0 from generate_series(1, 12) n;
  create table lines (id bigint primary key, writer int);
  create table gone (id bigint primary key);
  create table parts (id bigint, day int, primary key (id, day)) partition by list (day);
  create table parts_0 partition of parts for values in (0);
  create table parts_1 partition of parts for values in (1);
`;
const SWITCHES = Number(process.env.MILLRACE_TEST_SWITCHES ?? 2);
const MAJOR = Number(process.env.MILLRACE_TEST_SWITCH_MAJOR ?? 18) as 14 | 15 | 18;
const SEED = Number(process.env.SEED ?? Math.floor(Math.random() * 1e6));
const PLACES = [
  'switch/last-look',
  'switch/before-cut',
  'switch/after-cut',
  'switch/before-move',
  'switch/after-move',
  'capture/before-confirm',
];
const WRITERS = 3;
/** `gone` was truncated while the slot was made, and capture killed before it looked: nothing but a resync leads out of it. */
const UNREADABLE = /could not map filen/;

describe('a storm of switches of the way of capture', function () {
  this.timeout(SWITCHES * 60_000);
  let cluster: Cluster;
  let it_: SwitchedSource;
  let child: ChildProcess | undefined;
  const over = new AbortController();
  let writers: Promise<unknown> | undefined;

  before(async () => {
    cluster = await startCluster({ major: MAJOR, settings: { max_prepared_transactions: '10' } });
    it_ = await switchedSource(SCHEMA, 'triggers', { cluster, as: 'superuser' });
  });
  after(async () => {
    child?.kill('SIGKILL');
    over.abort();
    await writers;
    await it_?.close();
    await cluster?.stop();
  });

  it(`loses and doubles nothing, with kill -9 and ${SWITCHES} switches (SEED=${SEED})`, async () => {
    const { on, sink } = it_;
    const random = seeded(SEED);
    await capture(it_, '');
    await on.streaming();
    await on.source.query(PUBLISH);
    const done = Array.from({ length: WRITERS }, (_, no) =>
      write(on.sourceUrl, no, { random: seeded(SEED + no), over: over.signal }),
    );
    writers = Promise.allSettled(done);
    let deaths = 0;
    let switches = 0;
    /** Times in a row that it was killed before it had switched: on a busy machine it needs longer. */
    let inVain = 0;
    let isUnreadable = false;
    let reads = await it_.reads();
    let way: 'triggers' | 'replication' = 'triggers';
    while (switches < SWITCHES) {
      await kill();
      deaths += 1;
      if (random() < 0.6) way = way === 'triggers' ? 'replication' : 'triggers';
      on.declared.settings = { ...on.declared.settings, capture: way };
      const place =
        random() < 0.5 ? `${PLACES[Math.floor(random() * PLACES.length)]}=kill@${1 + Math.floor(random() * 2)}` : '';
      await capture(it_, place);
      // Pages of rows take their place among the changes.
      if (random() < 0.3)
        await on.messages.db.query("select millrace.backfill('all', 'counters')").catch(() => undefined);
      const patience = (1 + inVain) * (500 + random() * (random() < 0.5 ? 2_000 : 6_000));
      const isWanted = (reads === NOTES) !== (way === 'triggers');
      const before = switches;
      const begun = performance.now();
      while (performance.now() - begun < patience && child?.exitCode === null && child.signalCode === null) {
        const now = await it_.reads();
        if (now !== reads) switches += 1;
        reads = now;
        await sleep(20);
      }
      const now = await it_.reads();
      if (now !== reads) switches += 1;
      reads = now;
      if (before !== switches) inVain = 0;
      else if (isWanted) inVain += 1;
      const { state, reason, remedy } = await on.state();
      if (state === 'error' && UNREADABLE.test(reason ?? '')) {
        expect(remedy).to.match(/was truncated or rewritten while the slot was made/);
        process.stdout.write('      Postgres cannot read the slot that it made: what was told before counts\n');
        isUnreadable = true;
        break;
      }
    }
    over.abort();
    const written = await Promise.all(done);
    await kill();
    if (isUnreadable) {
      const { told, inserted } = toldBy(await on.received(sink, 0));
      for (const [id, ns] of told) expect(ns, `counter ${id}`).to.deep.equal(ns.map((_, i) => i + 1));
      expect(new Set(inserted).size).to.equal(inserted.length);
      expect(written.flat()).to.include.members(inserted);
      return;
    }
    on.declared.settings = { ...on.declared.settings, capture: 'triggers' };
    await capture(it_, '');
    await until('it is captured by triggers at last', async () => (await it_.reads()) === NOTES, 120_000);
    const counters = (await on.source.query<{ id: number; n: number }>('select id, n from counters order by id')).rows;
    const lines = written.flat();
    const expected = counters.reduce((sum, { n }) => sum + n, 0) + lines.length;
    const changes = async (): Promise<number> => {
      const { rows } = await on.messages.db.query<{ n: number }>(
        "select count(*) as n from millrace_private.messages where action <> 'read'",
      );
      return rows[0]!.n;
    };
    await until('all is told', async () => (await changes()) >= expected, 120_000);
    // What would come twice comes before this.
    await on.source.query('insert into lines values (-1)');
    await until('it is told', async () => (await changes()) > expected);
    expect(await changes()).to.equal(expected + 1);
    const all = await on.received(sink, 0);
    expect(isAscending(all), 'in the order of their LSNs').to.equal(true);
    const { told, inserted } = toldBy(all);
    for (const { id, n } of counters)
      expect(told.get(id) ?? [], `counter ${id}`).to.deep.equal(Array.from({ length: n }, (_, i) => i + 1));
    expect(inserted.toSorted()).to.deep.equal([...lines, '-1'].toSorted());
    process.stdout.write(`      ${all.length} changes, ${deaths} deaths, ${switches} switches\n`);
  });

  async function kill(): Promise<void> {
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGKILL');
    await once(child, 'exit');
  }

  async function capture({ on }: SwitchedSource, failpoints: string): Promise<void> {
    const env = {
      ...process.env,
      DECLARED: JSON.stringify(on.declared),
      MESSAGES: on.messages.url,
      MILLRACE_FAILPOINTS: failpoints,
    };
    child = spawn(process.execPath, [CHILD], { env, stdio: ['pipe', 'ignore', 'inherit'] });
  }
});

/** The numbers that each counter was told to have, and the keys of rows that were told as new, both in their order. */
function toldBy(messages: readonly CapturedMessage[]): { told: Map<number, number[]>; inserted: string[] } {
  const told = new Map<number, number[]>();
  const inserted: string[] = [];
  for (const { action, record } of messages) {
    const row = JSON.parse(record) as { id: number; n?: number };
    const newest = told.get(row.id)?.at(-1) ?? 0;
    // What it shows was told before, and nothing older comes behind it: the next one is checked below.
    if (action === 'read') expect(row.n, `a page of counter ${row.id}`).to.equal(newest);
    else if (action === 'insert') inserted.push(String(row.id));
    else if (row.n !== undefined) told.set(row.id, [...(told.get(row.id) ?? []), row.n]);
  }
  return { told, inserted };
}

/** Until it is over. Keys of the rows that it has inserted and committed. */
async function write(
  url: string,
  no: number,
  { random, over }: { random: Random; over: AbortSignal },
): Promise<string[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const committed: string[] = [];
  let next = (no + 1) * 1_000_000;
  const line = async (into: string): Promise<string> => {
    next += 1;
    const day = into === 'parts' ? `, ${next % 2}` : '';
    await client.query(`insert into ${into} values (${next}${day})`);
    return String(next);
  };
  while (!over.aborted) {
    const kept: string[] = [];
    await client.query('begin');
    try {
      const counters = Array.from({ length: 3 }, () => 1 + Math.floor(random() * 12)).toSorted((a, b) => a - b);
      for (const id of counters) await client.query('update counters set n = n + 1 where id = $1', [id]);
      for (const into of ['lines', 'parts']) kept.push(await line(into));
      await client.query('savepoint s');
      await line('lines');
      await client.query('update counters set n = n + 1 where id = 12');
      await client.query('rollback to s');
      await client.query('savepoint t');
      kept.push(await line('lines'));
      await client.query('release t');
      if (random() < 0.1) {
        kept.push(await line('gone'));
        await client.query('truncate gone');
      }
      if (random() < 0.05) await sleep(random() * 1_500);
      if (random() < 0.1) {
        await client.query('rollback');
        continue;
      }
      if (random() < 0.1) {
        await client.query(`prepare transaction 'storm_${no}'`);
        await sleep(random() * 300);
        await client.query(`commit prepared 'storm_${no}'`);
      } else await client.query('commit');
      committed.push(...kept);
    } catch (error) {
      await client.query('rollback');
      // Two that truncate, or count in another order.
      if (!(error instanceof pg.DatabaseError && error.code === '40P01')) throw error;
    }
  }
  await client.end();
  return committed;
}
