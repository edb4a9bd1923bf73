/** Tables that become others while a backfill of them is under way: it is described again before its next page. */
import { expect } from 'chai';
import { startBackfill } from '../../src/admin/start-backfill.ts';
import { backfilled, backfillsOf } from '../support/fixtures/backfilled.ts';
import { type Captured, captured, PULL, sinkSettings } from '../support/fixtures/captured.ts';
import { ofReplication } from '../support/postgres/capture-way.ts';
import { AS_PLAIN } from '../support/postgres/plain-role.ts';
import { until } from '../support/until.ts';

describe('a backfill of a table that becomes another one', function () {
  this.timeout(120_000);
  let on: Captured;
  afterEach(() => on.close());

  /** A table with more rows than a sink takes in at once. */
  const items = (name: string, columns: string, values: string): string =>
    `create table ${name} (${columns}); insert into ${name} select ${values} from generate_series(1, 12000) n`;

  /** A backfill that waits for its sink, whose number this is. */
  async function waiting(schema: string, { table = 'items', init_sql }: { table?: string; init_sql?: string } = {}) {
    const settings = init_sql && { publication: { name: 'listed', create_if_not_exists: true, init_sql } };
    on = await captured(schema, { page: { rows: 500 }, ...(settings && { settings }) });
    const sinkNo = await on.addSink(sinkSettings({ name: 'worker', destination: PULL }));
    on.start();
    await on.streaming();
    await on.messages.db.query(`select millrace.backfill('worker', '${table}')`);
    await until('it waits for its sink', async () => (await backfillsOf(on.messages.db))[0]?.reason !== null);
    return sinkNo;
  }

  /** Takes all messages of a sink, until the backfill is over. Records of rows that it has read. */
  async function takenUntilOver(sinkNo: number): Promise<string[]> {
    const read: string[] = [];
    const take = async (): Promise<void> => {
      const { rows } = await on.messages.db.query<{ action: string; record: string }>(
        `delete from millrace_private.messages where sink_no = ${sinkNo} returning action, record`,
      );
      read.push(...rows.filter(({ action }) => action === 'read').map(({ record }) => record));
    };
    await until('it is over', async () => {
      await take();
      return !['waiting', 'running'].includes((await backfillsOf(on.messages.db))[0]!.state);
    });
    await take();
    return read;
  }

  it('begins again with another table that has taken the name of its own', async () => {
    const columns = 'id int primary key, name text';
    const sinkNo = await waiting(`${items('items', columns, "n, 'former'")}; ${items('next', columns, "n, 'next'")}`);
    await on.source.query('begin; alter table items rename to former; alter table next rename to items; commit');
    const read = await takenUntilOver(sinkNo);
    expect(new Set(read.filter((record) => record.includes('"next"'))).size).to.equal(12_000);
  });

  it('goes on with its own table under another name, also in another schema', async () => {
    const sinkNo = await waiting(
      `create schema store; ${items('items', 'id int primary key, name text', "n, 'the same'")}`,
    );
    await on.source.query('alter table items rename to things; alter table things set schema store');
    const read = await takenUntilOver(sinkNo);
    expect((await backfillsOf(on.messages.db))[0]).to.include({ reason: null, state: 'done', rows_done: 12_000 });
    expect(new Set(read).size).to.equal(12_000);
  });

  it('says that its sink was disabled meanwhile, and goes on when it is resumed', async () => {
    const sinkNo = await waiting(items('items', 'id int primary key, name text', "n, 'the same'"));
    await on.messages.db.query("select millrace.disable('worker')");
    const before = await takenUntilOver(sinkNo);
    const [failed] = await backfillsOf(on.messages.db);
    expect(failed).to.include({
      state: 'failed',
      reason: 'sink worker is disabled: it keeps no messages',
      remedy: 'Set its status to active or paused, then resume the backfill.',
    });
    await on.messages.db.query("select millrace.resume('worker')");
    await on.messages.db.query('select millrace.resume_backfill($1)', [failed!.id]);
    const read = [...before, ...(await takenUntilOver(sinkNo))];
    expect([read.length, new Set(read).size]).to.deep.equal([12_000, 12_000]);
  });

  it('of all tables sends one that is called otherwise since its sink was told its name', async () => {
    on = await captured('create table orders (id int primary key); insert into orders values (1)', {
      timing: { checkMs: 150 },
    });
    const source = {
      include_schemas: null,
      exclude_schemas: null,
      include_tables: ['public.orders'],
      exclude_tables: null,
    };
    const sinkNo = await on.addSink(sinkSettings({ name: 'worker', destination: PULL, source }));
    on.start();
    await on.streaming();
    await on.source.query('alter table orders rename to purchases');
    await backfilled(on.messages.db, `'worker'`);
    expect((await on.received(sinkNo, 1)).map(({ text }) => JSON.parse(text).metadata.table_name)).to.deep.equal([
      'purchases',
    ]);
    // What a notice about it says to be run.
    await until('its name is known', async () =>
      (await on.notices(sinkNo)).some(({ message }) => message.includes('is called public.purchases now')),
    );
    await startBackfill(on.messages.db, { sink: 'worker', table: 'public.purchases' });
    await on.received(sinkNo, 2);
  });

  for (const alter of ['rename attribute a to c', 'drop attribute a, add attribute c int'])
    it(`sends the attributes of a type as they are called now (${alter})`, async () => {
      const sinkNo = await waiting(
        `create type pair as (a int, b int); create domain pairs as pair[];
         ${items('items', 'id int primary key, p pairs', 'n, array[row(1, 2)::pair]')}`,
      );
      await on.source.query(`alter type pair ${alter}`);
      const read = await takenUntilOver(sinkNo);
      expect(read.at(-1)).to.include('"id":12000').and.to.include('"c":').and.not.to.include('"a":');
    });

  ofReplication('lists are for it').describe('in its publication', () => {
    const waitingListed = async (): Promise<number> =>
      await waiting(items('items', 'id int primary key, name text, secret text', "n, 'name', 'secret'"), {
        init_sql: 'create publication listed for table items (id, name, secret)',
      });

    it('sends no column that is taken off the list', async () => {
      const sinkNo = await waitingListed();
      await on.source.query('alter publication listed set table items (id, name)');
      const read = await takenUntilOver(sinkNo);
      expect(read.at(-1)).to.equal('{"id":12000,"name":"name"}');
      expect((await backfillsOf(on.messages.db))[0]?.state).to.equal('done');
    });

    it('ends when the table is taken out', async () => {
      const sinkNo = await waitingListed();
      await on.source.query('create table other (id int primary key); alter publication listed set table other');
      await takenUntilOver(sinkNo);
      expect((await backfillsOf(on.messages.db))[0]).to.include({
        state: 'failed',
        reason: 'public.items is not in publication listed: its changes would not follow',
      });
    });

    it('ends when its schema is taken out', async function () {
      // Only a superuser may publish schemas.
      if (AS_PLAIN) return this.skip();
      const sinkNo = await waiting(`create schema app; ${items('app.items', 'id int primary key', 'n')}`, {
        init_sql: 'create publication listed for tables in schema app',
        table: 'app.items',
      });
      await on.source.query('create schema other; alter publication listed set tables in schema other');
      await takenUntilOver(sinkNo);
      expect((await backfillsOf(on.messages.db))[0]).to.include({
        state: 'failed',
        reason: 'app.items is not in publication listed: its changes would not follow',
      });
    });
  });
});
