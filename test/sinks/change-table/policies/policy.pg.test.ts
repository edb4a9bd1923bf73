/** Our retention job: only what is old enough goes, in chunks, wherever in the table it stands. */
import { expect } from 'chai';
import { type Database, openPool } from '../../../../src/db/pool.ts';
import { expireRows } from '../../../../src/sinks/change-table/policies/policy.ts';
import { type Bench, changeTableBench, SOURCE } from '../../../support/fixtures/change-table.ts';

const DAY = 86_400;
const table = { schema: 'public', name: 'orders_events' };
const signal = new AbortController().signal;

describe('the retention job', () => {
  let bench: Bench;
  let db: Database;
  beforeEach(async () => {
    bench = await changeTableBench('other');
    db = bench.destination;
  });
  afterEach(() => bench.drop());

  /** Entries of that age, by their place in `ages`. */
  async function fill(ages: readonly string[]): Promise<void> {
    await db.query(
      `insert into orders_events (seq, source_database_id, source_table_oid, source_table_schema, source_table_name,
                                  record_pk, record, action, committed_at)
       select a.n, $1, 1, 's', 't', a.n, '{}', 'insert', now() - a.age
         from unnest($2::interval[]) with ordinality as a (age, n)`,
      [SOURCE, [...ages]],
    );
  }
  const left = async (): Promise<number[]> =>
    (await db.query<{ seq: number }>('select seq from orders_events order by seq')).rows.map(({ seq }) => seq);
  /** Each deleting transaction leaves one row here. */
  async function countChunks(): Promise<() => Promise<number>> {
    await db.query(`
      create table chunks (xid xid8 primary key);
      create function note() returns trigger language plpgsql as $$
        begin insert into chunks select pg_current_xact_id() on conflict do nothing; return null; end $$;
      create trigger note after delete on orders_events for each row execute function note()`);
    return async () => (await db.query('select from chunks')).rowCount;
  }

  for (const retention of [null, { by: 'job', keep_seconds: 30 * DAY, every_seconds: 600 }] as const) {
    it(`deletes what is 31 days old and nothing else, ${retention === null ? 'without' : 'with'} an index`, async () => {
      await bench.open({ retention });
      await fill(['1 day', '31 days', '29 days 23 hours', '0', '30 days 1 hour', '-1 day', '1 year']);
      expect(await expireRows({ destination: db }, { table, keepSeconds: 30 * DAY, signal })).to.equal(3);
      expect(await left()).to.deep.equal([1, 3, 4, 6]);
      expect(await expireRows({ destination: db }, { table, keepSeconds: 30 * DAY, signal })).to.equal(0);
    });
  }

  it('fails rather than leave out what a policy of row security hides from it', async () => {
    await bench.open();
    await fill(['31 days', '31 days']);
    const url = new URL(bench.destinationUrl);
    const role = `bound_${url.pathname.slice(1)}`;
    await db.query(`
      create role ${role} login password 'bound-password'; alter table orders_events owner to ${role};
      alter table orders_events enable row level security; alter table orders_events force row level security;
      create policy few on orders_events using (seq > 1)`);
    url.username = role;
    url.password = 'bound-password';
    const destination = openPool({ address: url.href, max: 1, applicationName: 'millrace test' });
    try {
      const run = await expireRows({ destination }, { table, keepSeconds: 30 * DAY, signal }).catch(String);
      expect(run).to.match(/query would be affected by row-level security policy for table "orders_events"/);
      expect(await left()).to.deep.equal([1, 2]);
    } finally {
      await destination.close();
      await db.query(`drop owned by ${role} cascade; drop role ${role}`);
    }
  });

  it('goes in chunks, each its own transaction', async () => {
    await bench.open();
    await fill(Array.from({ length: 25 }, (_, at) => (at % 5 === 0 ? '1 hour' : '31 days')));
    const chunks = await countChunks();
    const input = { table, keepSeconds: 30 * DAY, signal };
    expect(await expireRows({ destination: db }, input, { chunk: 6 })).to.equal(20);
    expect(await chunks()).to.equal(4);
    expect(await left()).to.deep.equal([1, 6, 11, 16, 21]);
  });

  it('stops when it is told to, and says what it did', async () => {
    await bench.open();
    await fill(Array.from({ length: 10 }, () => '31 days'));
    const input = { table, keepSeconds: DAY, signal: AbortSignal.abort() };
    expect(await expireRows({ destination: db }, input, { chunk: 2 })).to.equal(0);
    expect(await left()).to.have.length(10);
  });

  it('two at once delete everything between them', async () => {
    await bench.open();
    await fill(Array.from({ length: 200 }, () => '31 days'));
    const once = () => expireRows({ destination: db }, { table, keepSeconds: DAY, signal }, { chunk: 7 });
    const counts = await Promise.all([once(), once()]);
    const rest = await once();
    expect(counts[0]! + counts[1]! + rest).to.equal(200);
    expect(await left()).to.deep.equal([]);
  });

  it('clears a partitioned table whose ids repeat', async () => {
    await db.query(`
      create table orders_events (
        id bigint not null, seq bigint not null, source_database_id uuid, source_table_oid bigint, source_table_schema text,
        source_table_name text, record_pk text, record jsonb, action text, committed_at timestamptz not null,
        primary key (id, committed_at)) partition by range (committed_at);
      create table old_ones partition of orders_events for values from (minvalue) to ('2020-01-01');
      create table new_ones partition of orders_events for values from ('2020-01-01') to (maxvalue);
      insert into orders_events (id, seq, committed_at) values (1, 1, '2019-01-01'), (1, 2, now()), (2, 3, '2021-01-01')`);
    expect(await expireRows({ destination: db }, { table, keepSeconds: DAY, signal })).to.equal(2);
    expect(await left()).to.deep.equal([2]);
  });

  it('throws what Postgres says', async () => {
    const error = await expireRows({ destination: db }, { table, keepSeconds: DAY, signal }).catch((thrown) => thrown);
    expect(error).to.include({ code: '42P01' });
  });
});
