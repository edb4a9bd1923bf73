/** Tables that change, are locked or take long to read while a backfill is under way. */
import { expect } from 'chai';
import { openPool } from '../../src/db/pool.ts';
import { backfilled, backfillsOf } from '../support/fixtures/backfilled.ts';
import { type Captured, type CapturedOptions, captured, PULL, sinkSettings } from '../support/fixtures/captured.ts';
import { ofReplication } from '../support/postgres/capture-way.ts';
import { messageDatabase } from '../support/postgres/message-database.ts';
import { until } from '../support/until.ts';

describe('a backfill of a table that changes under it', function () {
  this.timeout(120_000);
  let on: Captured;
  afterEach(() => on.close());

  async function begin(schema: string, options: CapturedOptions = {}): Promise<number> {
    on = await captured(schema, options);
    const sinkNo = await on.addSink(sinkSettings({ name: 'worker', destination: PULL }));
    on.start();
    await on.streaming();
    return sinkNo;
  }
  const call = (sql: string) => on.messages.db.query(sql);

  it('follows columns that come and go, and types that change, between pages', async () => {
    const sinkNo = await begin(
      `create type pair as (a int); create table items (id int primary key, p pair);
       insert into items select n, row(n)::pair from generate_series(1, 12000) n`,
      { page: { rows: 500 } },
    );
    await call(`select millrace.backfill('worker', 'items')`);
    await until('it waits for its sink', async () => (await backfillsOf(on.messages.db))[0]?.reason !== null);
    await on.source.query('alter table items add column more text default $$new$$');
    await on.source.query('alter type pair add attribute b text');
    await on.source.query(`update items set p = row(1, 'x')::pair where id > 11000`);
    await on.received(sinkNo, 11_000);
    await call(`delete from millrace_private.messages where sink_no = ${sinkNo}`);
    await until('it is done', async () => (await backfillsOf(on.messages.db))[0]?.state === 'done');
    const sent = await on.received(sinkNo, 1);
    const records = sent.filter(({ action }) => action === 'read').map(({ record }) => record);
    expect(records.length).to.be.greaterThan(900);
    expect(records.at(-1)).to.equal('{"id":12000,"p":{"a":1,"b":"x"},"more":"new"}');
    expect(records.every((record) => record.includes('"more":"new"') && record.includes('"b":'))).to.equal(true);
  });

  it('begins again where labels of the key are called otherwise, so that its place would be another one', async () => {
    const sinkNo = await begin(
      `create type mood as enum ('sad', 'ok'); create domain kept_mood as mood;
       create table items (mood kept_mood, id int, primary key (mood, id));
       insert into items select case when n <= 11900 then 'sad'::mood else 'ok' end, n from generate_series(1, 12000) n`,
      { page: { rows: 500 } },
    );
    const read = new Set<number>();
    const isDone = async (): Promise<boolean> => {
      const taken = `delete from millrace_private.messages where sink_no = ${sinkNo} returning (record::json->>'id')::int as id`;
      for (const { id } of (await on.messages.db.query<{ id: number }>(taken)).rows) read.add(id);
      return (await backfillsOf(on.messages.db))[0]?.state === 'done';
    };
    await call(`select millrace.backfill('worker', 'items')`);
    await until('it waits for its sink', async () => (await backfillsOf(on.messages.db))[0]?.reason !== null);
    for (const [from, to] of [
      ['sad', 'gone'],
      ['ok', 'sad'],
      ['gone', 'ok'],
    ])
      await on.source.query(`alter type mood rename value '${from}' to '${to}'`);
    await until('it is done', isDone);
    expect(read.size).to.equal(12_000);
  });

  ofReplication('row filters are for it').describe('of rows that take long to read', () => {
    /** Each row costs the source a hash of so many megabytes; a query may take a fifth of a second. */
    const filtered = (megabytes: string): CapturedOptions =>
      through(`length(md5(repeat(note, ${megabytes} * 1048576))) > 0`);
    const through = (condition: string): CapturedOptions => ({
      queryMs: 200,
      settings: {
        publication: {
          name: 'filtered',
          create_if_not_exists: true,
          init_sql: `create publication filtered for table items where (${condition})`,
        },
      },
    });

    it('reads fewer of them at once', async () => {
      const sinkNo = await begin(
        `create table items (id int primary key, note text); insert into items select n, 'x' from generate_series(1, 60) n`,
        filtered('4'),
      );
      expect(await backfilled(on.messages.db, `'worker', 'items'`)).to.include({ state: 'done', rows_sent: 60 });
      const sent = (await on.received(sinkNo, 60)).map(({ record_pks }) => record_pks);
      expect(sent).to.deep.equal(Array.from({ length: 60 }, (_, n) => `["${n + 1}"]`));
    });

    // To find the next row takes longer than a query may; so does it to find that none is left.
    for (const [columns, text] of [
      ['id int primary key', `chr(id * 0 + 65)`],
      [`k text collate "C", id int, note text default 'x', primary key (k, id)`, 'note'],
    ] as const)
      it(`finds the few that a row filter lets through, of (${columns})`, async () => {
        const sinkNo = await begin(
          `create table items (${columns}); insert into items (id${columns.startsWith('k') ? ', k' : ''})
           select n${columns.startsWith('k') ? ', (n % 3)::text' : ''} from generate_series(1, 10000) n`,
          through(`mod(length(md5(repeat(${text}, 50000))) + id, 5000) = 1`),
        );
        expect(await backfilled(on.messages.db, `'worker', 'items'`)).to.include({ state: 'done', rows_sent: 2 });
        const ids = (await on.received(sinkNo, 2)).map(({ record }) => JSON.parse(record!).id);
        expect(ids.toSorted()).to.deep.equal([4_969, 9_969]);
      });

    it('says so when one alone takes too long, and goes on when it does not any more', async () => {
      const sinkNo = await begin(
        `create table items (id int primary key, note text); alter table items replica identity full;
         insert into items values (1, 'x'), (2, repeat('x', 200)), (3, 'x')`,
        { ...filtered('1'), page: { rows: 1 } },
      );
      await call(`select millrace.backfill('worker', 'items')`);
      await until('it says why', async () => (await backfillsOf(on.messages.db))[0]?.reason !== null);
      expect((await backfillsOf(on.messages.db))[0]).to.include({
        state: 'running',
        rows_done: 1,
        reason: 'a row of public.items takes longer than 5 s to read',
        remedy: 'Create an index that begins with the primary key, or relieve the source.',
      });
      await on.source.query(`update items set note = 'short' where id = 2`);
      await until('it is done', async () => (await backfillsOf(on.messages.db))[0]?.state === 'done');
      // The row that was changed is left out of its page if that was being read.
      const sent = new Map((await on.received(sinkNo, 3)).map(({ record_pks, record }) => [record_pks, record]));
      expect([...sent.keys()].toSorted()).to.deep.equal(['["1"]', '["2"]', '["3"]']);
      expect(sent.get('["2"]')).to.include('short');
    });
  });

  /** Asks for a backfill by pages of two; its first one is not persisted before `work` is done, the second one is read. */
  async function whileFirstIsHeld(work: () => Promise<void>): Promise<void> {
    await call(`create function millrace_private.hold() returns trigger language plpgsql as
                  $$ begin perform pg_advisory_xact_lock(8); return new; end $$;
                create trigger hold before update on millrace_private.backfills for each row
                  when (new.rows_done = 2) execute function millrace_private.hold()`);
    await on.messages.db.session(async (client) => {
      await client.query('select pg_advisory_lock(8)');
      try {
        await call(`select millrace.backfill('worker', 'items')`);
        const second = `select from pg_stat_activity where application_name = 'millrace backfill shop'
          and state = 'idle in transaction' and query like '%pg_current_snapshot%' and datname = current_database()`;
        await until('the second page is read', async () => (await on.source.query(second)).rowCount === 1);
        await work();
      } finally {
        await client.query('select pg_advisory_unlock(8)');
      }
    });
  }

  it('does not wait for those whose sinks nobody empties', async () => {
    await begin(`create table items (id int primary key); insert into items select generate_series(1, 12000);
      create table few (id int primary key); insert into few values (1), (2)`);
    await on.addSink(sinkSettings({ name: 'idle', destination: PULL }));
    const eager = await on.addSink(sinkSettings({ name: 'eager', destination: PULL }));
    for (const sink of ['worker', 'idle']) await call(`select millrace.backfill('${sink}', 'items')`);
    await until('they wait', async () => (await backfillsOf(on.messages.db)).every(({ reason }) => reason !== null));
    for (const sink of ['worker', 'idle']) await call(`select millrace.backfill('${sink}', 'few')`);
    expect(await backfilled(on.messages.db, `'eager', 'few'`)).to.include({ state: 'done', rows_sent: 2 });
    const states = (await backfillsOf(on.messages.db)).map(({ table_name, state }) => `${table_name} ${state}`);
    expect(states, 'one of a sink waits').to.deep.equal([
      ...['items running', 'items running', 'few waiting', 'few waiting', 'few done'],
    ]);
    await on.received(eager, 2);
    await call('delete from millrace_private.messages');
    await until('all is done', async () => {
      await call('delete from millrace_private.messages');
      return (await backfillsOf(on.messages.db)).every(({ state }) => state === 'done');
    });
  });

  it('stops no capture when somebody keeps it locked', async () => {
    const messages = await messageDatabase(2);
    const other = openPool({ address: messages.url, max: 1, applicationName: 'millrace test', path: 'role' });
    try {
      on = await captured('create table a (id int primary key); create table b (id int primary key)', { messages });
      await on.addSink(sinkSettings({ name: 'worker', destination: PULL }));
      // A slot is not made beside an open transaction of the same server.
      on.start();
      await on.streaming();
      await on.stop();
      for (const table of ['a', 'b']) await call(`select millrace.backfill('worker', '${table}')`);
      await other.transaction(async (tx) => {
        await tx.query('select from millrace_private.backfills for update');
        on.start();
        for (let n = 1; n <= 10; n++) {
          await on.source.query(`insert into a values (${n})`);
          await until('the change is captured', async () => {
            return (await tx.query('select from millrace_private.messages')).rowCount === n;
          });
        }
      });
      await until('they are done', async () => (await backfillsOf(other)).every(({ state }) => state === 'done'));
    } finally {
      await on.close();
      await other.close();
      await messages.drop();
    }
  });

  it('lets go of its table when messages cannot be persisted', async () => {
    const sinkNo = await begin(
      `create table items (id int primary key); insert into items select generate_series(1, 5)`,
      {
        page: { rows: 2 },
      },
    );
    await whileFirstIsHeld(async () => {
      await on.source.query(`set lock_timeout = '10s'`);
      await on.source.query('alter table items add column more text');
    });
    await until('it is done', async () => (await backfillsOf(on.messages.db))[0]?.state === 'done');
    const sent = (await on.received(sinkNo, 5)).map(({ record_pks }) => record_pks);
    expect(sent).to.deep.equal(['["1"]', '["2"]', '["3"]', '["4"]', '["5"]']);
  });

  it('follows a type that changes before its last page', async () => {
    const sinkNo = await begin(
      `create type pair as (a int); create table items (id int primary key, p pair);
       insert into items select n, row(n)::pair from generate_series(1, 5) n`,
      { page: { rows: 2 } },
    );
    await whileFirstIsHeld(async () => {
      await on.source.query('alter type pair add attribute b text');
    });
    await until('it is done', async () => (await backfillsOf(on.messages.db))[0]?.state === 'done');
    expect((await on.received(sinkNo, 5)).at(-1)!.record).to.equal('{"id":5,"p":{"a":5,"b":null}}');
  });

  const OTHER_ORDERS = {
    'gets another primary key': 'drop constraint items_pkey, add primary key (code)',
    'sorts its key by another type': 'alter column id type text',
  };
  for (const [what, alter] of Object.entries(OTHER_ORDERS))
    for (const isRestarted of [false, true])
      it(`begins again where its table ${what}${isRestarted ? ', and capture is restarted' : ''}`, async () => {
        const sinkNo = await begin(
          `create table items (id int primary key, code text not null);
           insert into items select n + 800, lpad((1000 - n)::text, 4, '0') from generate_series(1, 400) n`,
          { page: { rows: 2 } },
        );
        const [{ id }] = (await call(`select millrace.backfill('worker', 'items') as id`)).rows as [{ id: string }];
        await until('it has begun', async () => (await backfillsOf(on.messages.db))[0]!.rows_done > 0);
        await call(`select millrace.pause_backfill('${id}')`);
        if (isRestarted) await on.stop();
        await on.source.query(`alter table items ${alter}`);
        await call(`select millrace.resume_backfill('${id}')`);
        if (isRestarted) on.start();
        await until('it is done', async () => (await backfillsOf(on.messages.db))[0]?.state === 'done');
        const { rows } = await on.source.query<{ id: string; code: string }>('select id::text as id, code from items');
        const sent = await on.received(sinkNo, 1);
        const missing = new Set(rows.map((row) => (what.includes('type') ? row.id : row.code)));
        for (const { record_pks } of sent) missing.delete((JSON.parse(record_pks) as [string])[0]);
        expect([...missing]).to.deep.equal([]);
      });

  it('sends nothing of a table that is truncated under it', async () => {
    const sinkNo = await begin(
      `create table items (id int primary key); insert into items select generate_series(1, 3000)`,
      { page: { rows: 10 } },
    );
    await call(`select millrace.backfill('worker', 'items')`);
    await on.received(sinkNo, 20);
    await on.source.query('begin; truncate items; insert into items values (7), (5000); commit');
    await until('it is done', async () => (await backfillsOf(on.messages.db))[0]?.state === 'done');
    const sent = await on.received(sinkNo, 1);
    const from = sent.findIndex(({ action }) => action === 'insert');
    expect(from).to.be.greaterThan(0);
    const after = sent.slice(from).map(({ action, record_pks }) => `${action} ${record_pks}`);
    expect(after.filter((one) => !one.endsWith('"5000"]'))).to.deep.equal(['insert ["7"]']);
  });
});
