/**
 * Random transactions with savepoints and changes of the table's columns, a capture that stops meanwhile, a change table that
 * is locked, refuses entries or does not fit: in the end its entries are what happened, once and in order.
 */
import { expect } from 'chai';
import fc from 'fast-check';
import { type Database, openPool } from '../../../src/db/pool.ts';
import type { Sink } from '../../../src/model/sink.ts';
import { createLog } from '../../../src/runtime/log.ts';
import { openChangeTable } from '../../../src/sinks/change-table/sink.ts';
import { openSandbox, type Sandbox } from '../../../src/transform/sandbox.ts';
import { type Captured, captured, sinkSettings } from '../../support/fixtures/captured.ts';
import { PLAIN, SOURCE } from '../../support/fixtures/change-table.ts';
import { laneSink, runOnce } from '../../support/fixtures/lane.ts';
import { SEQUENCES } from '../../support/fixtures/random-changes.ts';
import { until } from '../../support/until.ts';

const SCHEMA = `create table items (id int primary key, value text, note text); alter table items replica identity full;
  create table fence (n int primary key)`;
const EVENTS = 'public.orders_events';
const log = createLog({ level: 'silent', role: 'test' });

const id = fc.integer({ min: 1, max: 3 });
const WRITE = fc.record({
  what: fc.constantFrom('insert', 'update', 'update', 'key', 'delete'),
  ...{ id, to: id, value: fc.nat(9) },
  within: fc.constantFrom('', '', 'kept', 'undone', 'truncated'),
});
/** Of what comes with a column, only changes tell. */
const ALTER = fc.constantFrom(
  'alter table items rename note to remark; alter table items rename remark to note',
  'alter table items drop note; alter table items add note int',
  'alter table items drop note; alter table items add note text',
  'alter table items alter id type bigint',
  'alter table items add more int; alter table items drop more',
);
const TRANSACTION = fc.record({
  alter: fc.option(ALTER, { freq: 3 }),
  writes: fc.array(WRITE, { maxLength: 4 }),
  end: fc.constantFrom('commit', 'commit', 'rollback'),
});
const TROUBLE = {
  none: ['select', 'select'],
  locked: [`begin; lock table ${EVENTS}`, 'rollback'],
  unfit: [`alter table ${EVENTS} rename seq to gone`, `alter table ${EVENTS} rename gone to seq`],
  refusing: [
    `alter table ${EVENTS} add constraint no_updates check (action <> 'update') not valid`,
    `alter table ${EVENTS} drop constraint no_updates`,
  ],
} as const;
const STEPS = fc.array(
  fc.record({
    transactions: fc.array(TRANSACTION, { maxLength: 4 }),
    isCaptured: fc.boolean(),
    trouble: fc.constantFrom(...(Object.keys(TROUBLE) as (keyof typeof TROUBLE)[])),
  }),
  { minLength: 1, maxLength: 4 },
);

type Of<Values> = Values extends fc.Arbitrary<infer Value> ? Value : never;

interface Entry {
  action: string;
  key: string;
  record: unknown;
}

describe('a change table among random changes', function () {
  this.timeout(60_000 + SEQUENCES * 4_000);
  let sandbox: Sandbox;
  let on: Captured;
  let source: Database;
  before(() => {
    sandbox = openSandbox({ log });
  });
  after(async () => await sandbox.close());
  beforeEach(async () => {
    on = await captured(SCHEMA);
    source = openPool({ address: on.sourceUrl, max: 3, applicationName: 'millrace test' });
  });
  afterEach(async () => {
    await source.close();
    await on.close();
  });

  const query = async <Row>(sql: string): Promise<Row[]> => (await on.source.query(sql)).rows;

  /** What it did. */
  async function write({ what, id, to, value }: Omit<Of<typeof WRITE>, 'within'>) {
    const sql = {
      insert: `insert into items as i values (${id}, ${value}, ${value}) on conflict do nothing`,
      update: `update items i set value = '${value}.' || value where id = ${id}`,
      key: `update items i set id = ${to} where id = ${id} and not exists (select from items where id = ${to})`,
      delete: `delete from items i where id = ${id}`,
    }[what]!;
    const action = what === 'key' ? 'update' : what;
    const rows = await query<Omit<Entry, 'action'>>(`${sql} returning i.id::text as key, to_jsonb(i) as record`);
    return rows.map((row): Entry => ({ action, ...row }));
  }

  async function transact({ alter, writes, end }: Of<typeof TRANSACTION>) {
    const done: Entry[] = [];
    await query(`begin; ${alter ?? 'select'}`);
    for (const { within, ...one } of writes) {
      if (within) await query('savepoint s');
      if (within === 'truncated') await query('truncate items');
      const entries = await write(one);
      if (within === '' || within === 'kept') done.push(...entries);
      else await query('rollback to s');
    }
    await query(end);
    return end === 'commit' ? done : [];
  }

  for (const where of ['the message database', 'the source']) {
    it(`in ${where} has what happened`, async () => {
      const { db } = on.messages;
      const destination = where === 'the source' ? source : db;
      const tables = { include_schemas: null, exclude_schemas: null, exclude_tables: null };
      const no = await on.addSink(
        sinkSettings({
          name: 'history',
          destination: PLAIN,
          source: { ...tables, include_tables: ['public.items', 'public.fence'] },
        }),
      );
      const { rows } = await db.query<{ id: string }>('select id from millrace_private.sinks');
      const settings = { retentionId: rows[0]!.id, sourceDatabaseId: SOURCE, destination: PLAIN };
      const sink: Sink = await openChangeTable({ log, destination, messages: db }, settings, { lockTimeoutMs: 50 });
      on.start();
      await on.streaming();
      let fences = 0;
      const isEmpty = async (): Promise<boolean> =>
        (await db.query('select from millrace_private.messages')).rowCount === 0;
      const deliver = async (): Promise<void> => {
        await db.query('update millrace_private.circuits set probe_at = now()');
        await db.query('update millrace_private.delivery_states set due_at = now() where due_at is not null');
        const target = laneSink({ no, name: 'history', sink, tested: false });
        await runOnce({ db, sandbox }, { target, runMs: 200 });
      };
      const property = fc.asyncProperty(STEPS, async (steps) => {
        const happened = await query<Entry>(
          `delete from items i returning 'delete' as action, i.id::text as key, to_jsonb(i) as record`,
        );
        await destination.query(`delete from ${EVENTS}`);
        for (const { transactions, isCaptured, trouble } of steps) {
          if (!isCaptured) await on.stop();
          for (const each of transactions) happened.push(...(await transact(each)));
          if (!isCaptured) on.start();
          fences += 1;
          await query(`insert into fence values (${fences})`);
          const fence = `select from millrace_private.messages where record_pks = '["${fences}"]' and record = '{"n":${fences}}'`;
          await until('all changes are messages', async () => (await db.query(fence)).rowCount > 0);
          const other = await destination.pool.connect();
          await other.query(TROUBLE[trouble][0]);
          await deliver();
          await other.query(TROUBLE[trouble][1]);
          other.release();
        }
        await until('all is delivered', async () => {
          await db.query("select millrace.retry('history', array(select id from millrace.parked_messages))");
          await deliver();
          return await isEmpty();
        });
        const found = await destination.query<Entry>(
          `select action, record_pk as key, record from ${EVENTS} where source_table_name = 'items' order by seq`,
        );
        expect(found.rows).to.deep.equal(happened);
      });
      await fc.assert(property, { numRuns: SEQUENCES });
      await sink.close();
    });
  }
});
