/** A sink goes: nobody delivers or persists for it any more, nobody waits, and nothing of it is left. */
import { expect } from 'chai';
import { applyConfig } from '../../../src/catalog/apply/apply.ts';
import { freeStorage } from '../../../src/catalog/apply/remove-sink.ts';
import { catalogGeneration, loadCatalog } from '../../../src/catalog/store.ts';
import { MillraceError } from '../../../src/model/errors.ts';
import { removeSink } from '../../support/fixtures/remove-sink.ts';
import { type MessageDatabase, messageDatabase } from '../../support/postgres/message-database.ts';
import { openSession } from '../../support/postgres/sessions.ts';
import { promised, until } from '../../support/until.ts';
import { KEYS, parse, SHOP } from '../support.ts';

const FILE = `${SHOP}sinks:
  - { name: worker, database: shop, destination: { type: pull } }
  - { name: other, database: shop, destination: { type: pull } }
`;

describe('removing a sink', function () {
  this.timeout(120_000);
  let messages: MessageDatabase;
  const apply = (text: string) => applyConfig({ db: messages.db, keys: KEYS }, parse(text).config);
  const sinkNo = async (name: string): Promise<number> =>
    (await loadCatalog(messages.db, KEYS)).sinks.find((sink) => sink.name === name)!.no;
  const put = (no: number, id: number) =>
    messages.db.query(
      `insert into millrace_private.messages
         (sink_no, lane, id, source_table, action, record_pks, commit_lsn, commit_idx, committed_at, record)
       values ($1, 0, $2, 1, 'insert', '["1"]', 1, 1, now(), '{}')`,
      [no, id],
    );
  const count = async (sql: string): Promise<number> =>
    (await messages.db.query<{ n: number }>(`select count(*)::integer as n from ${sql}`)).rows[0]!.n;
  const storage = (): Promise<number> =>
    count("pg_class c where c.relnamespace = 'millrace_private'::regnamespace and c.relname ~ '^messages_[0-9]+$'");

  beforeEach(async () => {
    messages = await messageDatabase();
    await apply(FILE);
    await messages.db.query(
      `insert into millrace_private.source_tables (database_no, oid, schema_name, table_name, metadata)
       select no, 1, 'public', 't', '"table_schema":"public","table_name":"t"' from millrace_private.databases`,
    );
  });
  afterEach(async () => await messages.drop());

  it('leaves nothing of it, and the others as they are', async () => {
    const [no, other] = [await sinkNo('worker'), await sinkNo('other')];
    await put(no, 1);
    await put(other, 2);
    await messages.db.query("select * from millrace.receive('worker')");
    await messages.db.query("select millrace.backfill('worker')");
    const before = await catalogGeneration(messages.db);
    expect(await removeSink(messages.db, 'worker')).to.deep.include({
      no,
      database_name: 'shop',
      is_last: false,
    });
    expect(await catalogGeneration(messages.db)).to.equal(before + 1);
    expect(await freeStorage(messages.db, 5_000)).to.equal(true);
    expect(await storage()).to.equal(1);
    for (const table of ['leases', 'cursor_log', 'delivery_states', 'consumers', 'lanes', 'backfills', 'messages'])
      expect(await count(`millrace_private.${table} where sink_no = ${no}`), table).to.equal(0);
    expect(await count('millrace_private.messages')).to.equal(1);
    expect(await removeSink(messages.db, 'other')).to.deep.include({ is_last: true, database_name: 'shop' });
    // It may come again, as a new one.
    await freeStorage(messages.db, 5_000);
    await apply(FILE);
    expect(await sinkNo('worker')).to.be.greaterThan(other);
  });

  it('says that there is none', async () => {
    const error = await removeSink(messages.db, 'nobody').catch((thrown: unknown) => thrown);
    expect(error).to.be.instanceOf(MillraceError).with.property('code', 'not_found');
  });

  it('stalls nobody behind a long reader, and frees the storage when that has ended', async () => {
    const [no, other] = [await sinkNo('worker'), await sinkNo('other')];
    await put(no, 1);
    const reader = await messages.db.pool.connect();
    await reader.query('begin isolation level repeatable read');
    await reader.query('select count(*) from millrace_private.messages');
    try {
      await removeSink(messages.db, 'worker');
      const freeing = freeStorage(messages.db, 5_000);
      await until('it waits for the reader', async () => {
        const { rows } = await messages.db.query<{ n: number }>(
          'select count(*)::integer as n from pg_inherits where inhdetachpending',
        );
        return rows[0]!.n === 1;
      });
      // Meanwhile others write, read, and sinks are created.
      const begun = performance.now();
      await put(other, 2);
      expect(await count('millrace_private.messages')).to.equal(1);
      await apply(FILE.replace('name: worker', 'name: fresh'));
      expect(performance.now() - begun).to.be.lessThan(promised(1_000));
      expect(await freeing).to.equal(false);
      // The reader still sees what it began with.
      expect((await reader.query('select count(*)::integer as n from millrace_private.messages')).rows).to.deep.equal([
        { n: 1 },
      ]);
      await put(await sinkNo('fresh'), 3);
    } finally {
      await reader.query('rollback');
      reader.release();
    }
    expect(await freeStorage(messages.db, 5_000)).to.equal(true);
    expect(await storage()).to.equal(2);
    expect(await count('millrace_private.messages')).to.equal(2);
  });

  it('is in the way of no new sink, however long older transactions keep storage from going', async () => {
    await apply(FILE);
    const [no, other] = [await sinkNo('worker'), await sinkNo('other')];
    const reader = await openSession(messages.db);
    const creator = await openSession(messages.db);
    await reader.query('begin isolation level repeatable read');
    await reader.query('select count(*) from millrace_private.messages');
    try {
      for (const name of ['worker', 'other']) await removeSink(messages.db, name);
      // Its partition is left half detached, as when a process that freed it has died.
      expect(await freeStorage(messages.db, 0)).to.equal(false);
      const freeing = Promise.all([freeStorage(messages.db, 400), freeStorage(messages.db, 400)]);
      let over = false;
      void freeing.finally(() => {
        over = true;
      });
      await until('somebody waits for the reader', async () => {
        const { rows } = await messages.db.query<{ n: number }>(
          'select count(*)::integer as n from pg_stat_activity where $1::integer = any (pg_blocking_pids(pid))',
          [reader.pid],
        );
        return rows[0]!.n > 0;
      });
      // As in a change of the catalog: what a new sink asks for, for as long as it may ask.
      let worst = 0;
      while (!over) {
        const begun = performance.now();
        await creator.query("begin; set local lock_timeout = '1s'");
        await creator.query('lock table only millrace_private.messages in share update exclusive mode');
        await creator.query('commit');
        worst = Math.max(worst, performance.now() - begun);
      }
      expect(worst).to.be.lessThan(promised(250));
      expect(await freeing).to.deep.equal([false, false]);
      await apply(FILE.replace('name: worker', 'name: fresh'));
    } finally {
      await reader.close();
      await creator.close();
    }
    expect(await freeStorage(messages.db, 5_000)).to.equal(true);
    for (const gone of [no, other]) expect(await count(`pg_class where relname = 'messages_${gone}'`)).to.equal(0);
  });
});
