/**
 * Backfills under random writes (key changes, deletes, keys that are used again, TOASTed values), from a seed: whatever
 * happens while one runs, what its sink has in the end is the table, and no image of a row was followed by an older one. In
 * a quarter of the runs the capture process is killed on the way, at a place of its code. SEEDS=n tries more, SEED=n begins elsewhere.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { openPool } from '../../src/db/pool.ts';
import { type Captured, captured, SEARCH, sinkSettings } from '../support/fixtures/captured.ts';
import { createWriters, LEDGER_SCHEMA, seeded } from '../support/outages/ledger.ts';
import { until } from '../support/until.ts';

const SEEDS = Number(process.env.SEEDS ?? 12);
const FIRST = Number(process.env.SEED ?? 20_261_121);
const KILLED = Math.ceil(SEEDS / 4);
const CHILD = fileURLToPath(new URL('../support/processes/capture-child.ts', import.meta.url));
const PAGE_ROWS = 7;
/** Its keys are no keys of accounts. */
const FENCE =
  'create table fence (n integer primary key generated always as identity (start with -1 increment by -1));';
/** Read by a backfill, computed for changes where the server does not send it. */
const WEIGHT = 'alter table accounts add weight bigint generated always as (version * (1 + length(note))) stored;';
const SCHEMA = LEDGER_SCHEMA + FENCE + WEIGHT;
const PLACES = [
  'backfill/before-watermark',
  'capture/before-persist',
  'capture/in-persist',
  'capture/before-confirm',
  'capture/mid-transaction',
];

describe('a backfill among random writes', function () {
  this.timeout(60_000 + SEEDS * 2_000);
  let calm: Captured;
  let stormy: Captured;
  let child: ChildProcess | undefined;

  before(async () => {
    const page = { rows: PAGE_ROWS };
    [calm, stormy] = [await captured(SCHEMA, { page }), await captured(SCHEMA, { page })];
    const source = {
      include_schemas: null,
      exclude_schemas: null,
      include_tables: ['accounts', 'fence'],
      exclude_tables: null,
    };
    for (const on of [calm, stormy]) await on.addSink(sinkSettings({ name: 'index', destination: SEARCH, source }));
    for (const on of [calm, stormy]) on.start();
    for (const on of [calm, stormy]) await on.streaming();
    await stormy.stop();
  });
  after(async () => {
    if (child && child.exitCode === null && child.signalCode === null) {
      child.kill('SIGKILL');
      await once(child, 'exit');
    }
    await Promise.all([calm.close(), stormy.close()]);
  });

  it(`converges, from ${SEEDS} seeds, with kill -9 in ${KILLED} of them`, async () => {
    const seeds = Array.from({ length: SEEDS }, (_, n) => FIRST + n);
    const quiet = async (): Promise<number> => {
      for (const seed of seeds.slice(KILLED)) await run(calm, seed);
      return SEEDS - KILLED;
    };
    let kills = 0;
    const killed = async (): Promise<void> => {
      for (const seed of seeds.slice(0, KILLED)) {
        const random = seeded(seed + 1);
        const place = PLACES[Math.floor(random() * PLACES.length)]!;
        // How often it passes there later on is a matter of how busy the machine is.
        child = launch(stormy, `${place}=kill@${1 + Math.floor(random() * 3)}`);
        const over = new AbortController();
        const kept = keepRunning(over.signal, () => {
          kills += 1;
          child = launch(stormy, '');
          return child;
        });
        try {
          await run(stormy, seed);
        } finally {
          over.abort();
          // One that did not pass its place often enough dies now.
          child.kill('SIGKILL');
          await kept;
        }
      }
    };
    const [done] = await Promise.all([quiet(), killed()]);
    expect(done + KILLED).to.equal(SEEDS);
    expect(kills, 'died in the middle').to.be.greaterThan(KILLED / 3);
  });

  /** Starts another one whenever the child dies, until the signal. */
  async function keepRunning(signal: AbortSignal, again: () => ChildProcess): Promise<void> {
    for (let current = child!; ; current = again()) {
      if (current.exitCode === null && current.signalCode === null) await once(current, 'exit');
      if (signal.aborted) return;
    }
  }
});

function launch(on: Captured, failpoints: string): ChildProcess {
  return fork(CHILD, {
    stdio: ['pipe', 'pipe', 'inherit', 'ipc'],
    env: {
      ...process.env,
      DECLARED: JSON.stringify(on.declared),
      MESSAGES: on.messages.url,
      PAGE_ROWS: String(PAGE_ROWS),
      MILLRACE_FAILPOINTS: failpoints,
    },
  });
}

/** One backfill into an empty index, while two writers write. */
async function run(on: Captured, seed: number): Promise<void> {
  const random = seeded(seed);
  const { db } = on.messages;
  const source = openPool({ address: on.sourceUrl, max: 3, applicationName: 'test', path: 'role' });
  try {
    await source.query(`alter table accounts replica identity ${random() < 0.5 ? 'full' : 'default'}`);
    await source.query(
      `insert into accounts select n, nextval('versions'), 'north', 1, null from generate_series(1, 60) n
        where random() < $1::float8 on conflict do nothing`,
      [random()],
    );
    await passed(on, source);
    await db.query('delete from millrace_private.messages');
    const writing = createWriters(source, seed, 2).write(30 + Math.floor(random() * 90));
    await db.query(`select millrace.backfill('index', 'accounts')`);
    await until(
      'the backfill is done',
      async () => {
        const { rows } = await db.query<{ state: string; reason: string | null }>(
          `select state, reason from millrace.backfill_status where state <> 'done'`,
        );
        if (rows[0]?.state === 'failed') throw new Error(`it failed: ${rows[0].reason}`);
        return rows.length === 0;
      },
      30_000,
    );
    await writing;
    await passed(on, source);
    await compare(on, source);
  } catch (error) {
    throw new Error(`SEED=${seed} SEEDS=4: ${error instanceof Error ? error.message : String(error)}`, {
      cause: error,
    });
  } finally {
    await source.close();
  }
}

/** Until what was committed before the call is persisted: a row of another table follows it. */
async function passed(on: Captured, source: ReturnType<typeof openPool>): Promise<void> {
  const fence = (
    await source.query<{ n: number }>(
      "with flushed as (select set_config('synchronous_commit', 'local', false)) insert into fence select from flushed returning n",
    )
  ).rows[0]!.n;
  const sql = `select exists (select from millrace_private.messages where record_pks = '["' || $1::text || '"]') as done`;
  await until(
    'it is persisted',
    async () => (await on.messages.db.query<{ done: boolean }>(sql, [String(fence)])).rows[0]?.done,
    30_000,
  );
}

interface Row {
  id: number;
  version: number;
}

async function compare(on: Captured, source: ReturnType<typeof openPool>): Promise<void> {
  const sent = await on.messages.db.query<{ action: string; record_pks: string; record: string }>(
    `select action, record_pks, record from millrace_private.messages where record_pks not like '["-%' order by id`,
  );
  const index = new Map<string, Row>();
  const newest = new Map<string, number>();
  let reads = 0;
  for (const { action, record_pks: key, record } of sent.rows) {
    const row: Row = JSON.parse(record);
    if (action === 'delete') {
      index.delete(key);
      continue;
    }
    if (action === 'read') reads += 1;
    expect(row.version, `row ${key}`).to.be.at.least(newest.get(key) ?? 0);
    newest.set(key, row.version);
    index.set(key, row);
  }
  const table = await source.query<{ row: Row }>('select to_jsonb(a) as row from accounts a order by id');
  const held = [...index.values()].sort((a, b) => a.id - b.id);
  expect(held).to.deep.equal(table.rows.map(({ row }) => row));
  expect(reads + index.size, 'something was sent').to.be.greaterThan(0);
}
