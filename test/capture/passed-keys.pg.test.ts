/**
 * Keys that rows pass on within a transaction, which a deferrable primary key allows: the row that gives a key up may be heard
 * of after the one that took it. Whatever the order, an index that obeys the messages has what the table has.
 */
import { expect } from 'chai';
import * as fc from 'fast-check';
import { MOST_TAKEN } from '../../src/routing/passed-keys.ts';
import { type Captured, captured, PULL, SEARCH, sinkSettings } from '../support/fixtures/captured.ts';
import { eachMajor } from '../support/postgres/postgres.ts';
import { until } from '../support/until.ts';

const ITEMS = `create table items (id int primary key deferrable initially deferred, code text, body text,
    twice text generated always as (code || code) stored);
  alter table items alter body set storage external;
  alter table items replica identity full`;

interface Message {
  action: string;
  record_pks: string;
  record: string;
}

eachMajor((cluster) => {
  describe('capture of keys that rows pass on', function () {
    this.timeout(120_000);
    let on: Captured;
    let sink: number;
    let lasts: number;
    afterEach(() => on.close());

    async function start(schema: string): Promise<void> {
      on = await captured(`${schema}; create table last (n int primary key)`, { cluster: cluster() });
      sink = await on.addSink(sinkSettings({ name: 'index', destination: SEARCH }));
      lasts = 0;
      on.start();
      await on.streaming();
    }

    /** Messages of the sink, when all that was committed before is captured. */
    async function messages(): Promise<Message[]> {
      lasts += 1;
      await on.source.query('insert into last values ($1)', [-lasts]);
      const { db } = on.messages;
      const isLast = `record_pks = '["-${lasts}"]'`;
      await until('everything is captured', async () => {
        const { rowCount } = await db.query(`select from millrace_private.messages where sink_no = $1 and ${isLast}`, [
          sink,
        ]);
        return rowCount > 0;
      });
      const sql = `select action, record_pks, record from millrace_private.messages
                  where sink_no = $1 and record_pks not like '["-%' order by id`;
      return (await db.query<Message>(sql, [sink])).rows;
    }

    /** What an index has that obeys the messages, by key. */
    async function index(): Promise<Map<string, unknown>> {
      const documents = new Map<string, unknown>();
      for (const { action, record_pks: key, record } of await messages()) {
        if (action === 'delete') documents.delete(key);
        else documents.set(key, JSON.parse(record));
      }
      return documents;
    }

    async function table(key: string, name = 'items'): Promise<Map<string, unknown>> {
      const sql = `select jsonb_build_array(${key})::text as key, to_jsonb(t) as row from ${name} t`;
      const { rows } = await on.source.query<{ key: string; row: unknown }>(sql);
      return new Map(rows.map((one) => [JSON.stringify((JSON.parse(one.key) as unknown[]).map(String)), one.row]));
    }

    const expectSame = async (key = 'id', name = 'items'): Promise<void> => {
      expect(new Map([...(await index())].toSorted())).to.deep.equal(new Map([...(await table(key, name))].toSorted()));
    };

    it('sends the rows that have them in the end, whole', async () => {
      await start(ITEMS);
      await on.source.query(`insert into items select n, 'c' || n, repeat(n::text, 9000) from generate_series(1, 5) n`);
      await on.source.query('update items set id = id + 1');
      await expectSame();
      await on.source.query("begin; insert into items values (6, 'new'); delete from items where code = 'c5'; commit");
      await on.source.query('update items set id = 7 - id where id in (3, 4)');
      await expectSame();
    });

    it('sends nothing of rows that took one for a while', async () => {
      await start(ITEMS);
      await on.source.query(`insert into items select n, 'c' || n from generate_series(1, 3) n`);
      await on.source.query("begin; insert into items values (7, 'gone'); delete from items where id = 7; commit");
      await on.source.query(
        'begin; update items set id = 8 where id = 3; update items set id = 9 where id = 8; commit',
      );
      await expectSame();
      expect((await messages()).filter(({ action }) => action === 'read')).to.deep.equal([]);
    });

    it('sends rows of nothing but their key, and of keys with several columns', async () => {
      await start(`create table items (id int primary key deferrable); alter table items replica identity full;
      create table places (list text, place int, what text, primary key (list, place) deferrable);
      alter table places replica identity full`);
      await on.source.query('insert into items select generate_series(1, 4); update items set id = id + 1');
      await expectSame();
      await on.messages.db.query('delete from millrace_private.messages');
      await on.source.query("insert into places select 'a', n, 'w' || n from generate_series(1, 4) n");
      await on.source.query(
        "update places set place = place + 1 where place >= 2; insert into places values ('a', 2, 'x')",
      );
      await expectSame('list, place', 'places');
    });

    it('sends those of a transaction that is persisted in parts, with a restart in between', async () => {
      await start(ITEMS);
      await on.source.query(`insert into items select n, 'c' || n from generate_series(1, 10000) n`);
      await on.source.query('update items set id = id + 1');
      await until('a part of it is captured', async () => {
        const { rows } = await on.messages.db.query<{ count: number }>(
          "select count(*)::int4 as count from millrace_private.messages where action = 'update'",
        );
        return rows[0]!.count > 0;
      });
      await on.stop();
      on.start();
      const keys = (documents: Map<string, unknown>): string[] => [...documents.keys()].toSorted();
      expect(keys(await index())).to.deep.equal(keys(await table('id')));
    });

    it('says so of a transaction that takes more keys than are followed', async () => {
      await start(ITEMS);
      await on.source.query(`begin; insert into items select n, 'c' from generate_series(1, ${MOST_TAKEN + 1}) n;
        update items set id = id + 1 where id > ${MOST_TAKEN}; commit`);
      await messages();
      const told = (await on.notices(sink)).filter(({ code }) => code === 'changes_left_out');
      expect(told.map(({ table }) => table)).to.deep.equal(['public.items']);
      expect(told[0]!.message).to.contain('passed on keys from row to row');
    });

    it('tells sinks that get each change nothing more', async () => {
      await start(ITEMS);
      const pull = await on.addSink(sinkSettings({ name: 'all', destination: PULL }));
      await on.source.query("insert into items values (1, 'a'), (2, 'b')");
      await on.source.query('update items set id = id + 1');
      await messages();
      const { rows } = await on.messages.db.query<{ action: string }>(
        'select action from millrace_private.messages where sink_no = $1 order by id',
        [pull],
      );
      expect(rows.map(({ action }) => action)).to.deep.equal(['insert', 'insert', 'update', 'update', 'insert']);
    });

    it('ends as the table does, whatever a transaction does with its keys', async () => {
      await start(ITEMS);
      const key = fc.integer({ min: 1, max: 4 });
      const step = fc.oneof(
        fc.tuple(key).map(([to]) => `insert into items values (${to}, 'n' || (random() * 1e6)::int)`),
        fc
          .tuple(key, key)
          .map(
            ([from, to]) => `update items set id = ${to} where ctid = (select min(ctid) from items where id = ${from})`,
          ),
        fc
          .tuple(key, key)
          .map(
            ([from, to]) => `update items set id = ${to} where ctid = (select max(ctid) from items where id = ${from})`,
          ),
        fc
          .tuple(key)
          .map(
            ([at]) => `update items set code = code || 'x' where ctid = (select max(ctid) from items where id = ${at})`,
          ),
        fc.tuple(key).map(([at]) => `delete from items where ctid = (select min(ctid) from items where id = ${at})`),
        fc.constant('update items set id = id % 4 + 1'),
      );
      const transactions = fc.array(fc.array(step, { minLength: 1, maxLength: 8 }), { minLength: 1, maxLength: 12 });
      let committed = 0;
      await fc.assert(
        fc.asyncProperty(transactions, async (all) => {
          for (const steps of all) {
            const done = await on.source
              .query(`begin; ${steps.join('; ')}; commit`)
              .catch(async (error: { code?: string }) => {
                if (error.code !== '23505') throw error;
                await on.source.query('rollback');
              });
            if (done) committed += 1;
          }
          await expectSame();
        }),
        { numRuns: Number(process.env.MILLRACE_TEST_PASSED ?? 15), endOnFailure: false },
      );
      expect(committed).to.be.greaterThan(10);
    });
  });
});
