/**
 * Sessions that write the same few rows at random, one statement after the other: transactions long and short, of each isolation, with
 * savepoints, subtransactions, rollbacks, prepared ones that somebody else ends, large ones, keys that change, a trigger of the user's that
 * writes in between, deadlocks; and capture stops and starts. Whatever is told must follow from what was told before, row by row, and in the end it is
 * the table. SEED takes another run, SEEDS more of them, STEPS longer ones.
 */
import { expect } from 'chai';
import pg from 'pg';
import { type Captured, type CapturedMessage, captured, PULL, sinkSettings } from '../../support/fixtures/captured.ts';
import { isAscending } from '../../support/fixtures/switched.ts';
import { seeded } from '../../support/outages/ledger.ts';
import { type Cluster, hasPostgres15, startCluster } from '../../support/postgres/postgres.ts';
import { until } from '../../support/until.ts';

const SEED = Number(process.env.SEED ?? 20_261_127);
const SEEDS = Number(process.env.SEEDS ?? 2);
const STEPS = Number(process.env.STEPS ?? 400);
const SESSIONS = 6;
const KEYS = 6;
/** With a few of them a look finds more than it tells at once. */
const BULK = 2_600;

const SCHEMA = `
  create table rows (id int primary key, value text);
  create table bulk (n int);
  create function echo() returns trigger language plpgsql as $$
  begin
    update rows set value = new.value || '+' where id = new.id % ${KEYS} + 1;
    return null;
  end $$;
  create trigger aaa after update on rows for each row when (new.value like '%7') execute function echo()`;

const ISOLATION = ['read committed', 'read committed', 'repeatable read', 'serializable'];
/** What a session may get in such a crowd: a conflict of keys, a deadlock, a failed serialization. */
const EXPECTED = new Set(['23505', '40P01', '40001', '25P02']);

type Random = () => number;

class Session {
  readonly client: pg.Client;
  readonly pid: number;
  running: Promise<void> | undefined;
  state: 'idle' | 'open' | 'failed' = 'idle';
  savepoints = 0;

  constructor(client: pg.Client, pid: number) {
    this.client = client;
    this.pid = pid;
  }

  run(sql: string, then: Session['state'], savepoints: number): void {
    const work = async (): Promise<void> => {
      try {
        await this.client.query(sql);
        this.state = then;
        this.savepoints = savepoints;
      } catch (error) {
        if (!(error instanceof pg.DatabaseError) || !EXPECTED.has(error.code ?? '')) throw error;
        if (this.state !== 'idle') this.state = 'failed';
        // Nothing is open then, whatever was said.
        if (then === 'idle') this.savepoints = 0;
      }
    };
    const running = work();
    this.running = running;
    void running.finally(() => {
      if (this.running === running) this.running = undefined;
    });
  }
}

class Crowd {
  readonly #random: Random;
  readonly #sessions: Session[];
  readonly #admin: pg.Client;
  readonly #prepared: string[] = [];
  #value = 0;

  constructor(random: Random, sessions: Session[], admin: pg.Client) {
    this.#random = random;
    this.#sessions = sessions;
    this.#admin = admin;
  }

  /** One statement: when it returns it is done, or waits for somebody. */
  async step(): Promise<void> {
    const free = this.#sessions.filter(({ running }) => running === undefined);
    if (this.#prepared.length > 0 && (free.length === 0 || this.#chance(0.1))) {
      await this.#endPrepared();
      return;
    }
    const session = free[this.#below(free.length)];
    if (session === undefined) {
      // A deadlock, which one of them is told of.
      await Promise.race(this.#sessions.map(({ running }) => running));
      return;
    }
    this.#act(session);
    await this.#settled(session);
  }

  /** Everybody comes to an end. */
  async finish(): Promise<void> {
    while (this.#prepared.length > 0 || this.#sessions.some(({ state, running }) => running || state !== 'idle')) {
      if (this.#prepared.length > 0) await this.#endPrepared();
      const session = this.#sessions.find(({ state, running }) => !running && state !== 'idle');
      if (session) {
        session.run(session.state === 'failed' || this.#chance(0.2) ? 'rollback' : 'commit', 'idle', 0);
        await this.#settled(session);
      } else await Promise.race(this.#sessions.flatMap(({ running }) => running ?? []));
    }
  }

  #act(session: Session): void {
    const { state, savepoints } = session;
    if (state === 'failed') {
      const back = savepoints > 0 && this.#chance(0.6);
      if (back) session.run(`rollback to s${savepoints}`, 'open', savepoints);
      else session.run('rollback', 'idle', 0);
      return;
    }
    const place = this.#random();
    if (state === 'idle') {
      if (place < 0.3) session.run(this.#write(), 'idle', 0);
      else session.run(`begin isolation level ${ISOLATION[this.#below(4)]}`, 'open', 0);
      return;
    }
    if (place < 0.14) session.run('commit', 'idle', 0);
    else if (place < 0.18) session.run('rollback', 'idle', 0);
    else if (place < 0.22) this.#prepare(session);
    else if (place < 0.32) session.run(`savepoint s${savepoints + 1}`, 'open', savepoints + 1);
    else if (place < 0.38 && savepoints > 0) session.run(`rollback to s${savepoints}`, 'open', savepoints);
    else if (place < 0.42 && savepoints > 0) session.run(`release s${savepoints}`, 'open', savepoints - 1);
    else session.run(this.#write(), 'open', savepoints);
  }

  #prepare(session: Session): void {
    this.#value += 1;
    const name = `p${this.#value}`;
    session.run(`prepare transaction '${name}'`, 'idle', 0);
    void session.running?.then(() => {
      if (session.state === 'idle') this.#prepared.push(name);
    });
  }

  async #endPrepared(): Promise<void> {
    const [name] = this.#prepared.splice(this.#below(this.#prepared.length), 1);
    await this.#admin.query(`${this.#chance(0.7) ? 'commit' : 'rollback'} prepared '${name}'`);
  }

  #write(): string {
    this.#value += 1;
    const [value, key, other] = [`v${this.#value}`, this.#below(KEYS) + 1, this.#below(KEYS) + 1];
    const update = `update rows set value = '${value}' where id = ${key}`;
    const place = this.#random();
    if (place < 0.03) return `insert into bulk select g from generate_series(1, ${BULK}) g`;
    if (place < 0.2) return `insert into rows values (${key}, '${value}')`;
    if (place < 0.4)
      return `insert into rows values (${key}, '${value}') on conflict (id) do update set value = excluded.value`;
    if (place < 0.5) return `delete from rows where id = ${key}`;
    if (place < 0.6) return `update rows set id = ${other}, value = '${value}' where id = ${key}`;
    if (place < 0.65) return `update rows set value = '${value}-' || id`;
    if (place < 0.75)
      return `do $$ begin ${update}; begin update rows set value = 'never' where id = ${other}; raise exception 'undone';
        exception when raise_exception then null; end; end $$`;
    return update;
  }

  async #settled(session: Session): Promise<void> {
    const waits = "select from pg_stat_activity where pid = $1 and wait_event_type = 'Lock'";
    await until('done, or waiting', async () => {
      if (session.running === undefined) return true;
      return (await this.#admin.query(waits, [session.pid])).rowCount === 1;
    });
  }

  #below(n: number): number {
    return Math.floor(this.#random() * n);
  }

  #chance(share: number): boolean {
    return this.#random() < share;
  }
}

interface Row {
  id: number;
  value: string;
}

/** Each message must follow from what was told before; what the table is then. */
function replayed(messages: readonly CapturedMessage[]): Row[] {
  const rows = new Map<number, Row>();
  for (const { id: no, action, record, changes } of messages) {
    const row = JSON.parse(record) as Row;
    const old = { ...row, ...(changes === null ? {} : (JSON.parse(changes) as Partial<Row>)) };
    expect(rows.get(old.id), `${action} ${no}`).to.deep.equal(action === 'insert' ? undefined : old);
    rows.delete(old.id);
    if (action === 'delete') continue;
    expect(rows.get(row.id), `${action} ${no}`).to.equal(undefined);
    rows.set(row.id, row);
  }
  return [...rows.values()].toSorted((a, b) => a.id - b.id);
}

function interleave(open: () => Promise<Cluster>): void {
  let cluster: Cluster;
  let on: Captured;
  const clients: pg.Client[] = [];
  before(async () => {
    cluster = await open();
  });
  after(async () => await cluster?.stop());
  afterEach(async () => {
    for (const client of clients.splice(0)) await client.end().catch(() => undefined);
    await on?.close();
  });
  const connect = async (): Promise<pg.Client> => {
    const client = new pg.Client({ connectionString: on.sourceUrl });
    client.on('error', () => undefined);
    await client.connect();
    clients.push(client);
    return client;
  };

  for (let seed = SEED; seed < SEED + SEEDS; seed += 1)
    it(`follow from one another, SEED=${seed}`, async () => {
      const random = seeded(seed);
      on = await captured(SCHEMA, { cluster, settings: { capture: 'triggers' } });
      const sink = await on.addSink(sinkSettings({ name: 'all', destination: PULL }));
      on.start();
      await on.streaming();
      const sessions: Session[] = [];
      for (let n = 0; n < SESSIONS; n += 1) {
        const client = await connect();
        const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
        sessions.push(new Session(client, rows[0]!.pid));
      }
      const crowd = new Crowd(random, sessions, await connect());
      for (let n = 1; n <= STEPS; n += 1) {
        await crowd.step();
        if (n % 97 === 0) await on.stop();
        if (n > 97 && n % 97 === 25) on.start();
      }
      await crowd.finish();
      await on.stop();
      on.start();
      await on.source.query("insert into rows values (1000, 'the end')");
      const messages = await until('the end', async () => {
        const found = await on.received(sink, 1);
        return found.some(({ record_pks: key }) => key === '["1000"]') && found;
      });
      const ofRows = messages.filter(({ record }) => record.startsWith('{"id"'));
      const { rows } = await on.source.query<Row>('select id, value from rows order by id');
      expect(replayed(ofRows)).to.deep.equal(rows);
      const { rows: bulk } = await on.source.query<{ n: number }>('select count(*)::integer as n from bulk');
      expect(messages.length - ofRows.length, 'rows of large transactions').to.equal(bulk[0]!.n);
      expect(isAscending(messages), 'in the order of commit_lsn').to.equal(true);
    });
}

describe('interleaved transactions that triggers note', function () {
  this.timeout(60_000 + STEPS * 300);
  const settings = { max_prepared_transactions: '20', deadlock_timeout: '20ms' };
  describe('on Postgres 18', () => interleave(() => startCluster({ settings })));
  describe('on Postgres 15', () => {
    before('needs the machine to have Postgres 15', function () {
      if (!hasPostgres15()) this.skip();
    });
    interleave(() => startCluster({ major: 15, settings }));
  });
});
