/** Making the event table, and judging one that is there: each fault has a statement, and the statements are enough. */
import { expect } from 'chai';
import type { Database } from '../../../src/db/pool.ts';
import { type QuotedTable, quoteTable } from '../../../src/model/quote.ts';
import { instructions } from '../../../src/sinks/change-table/policies/instructions.ts';
import { createChangeTable, verifyChangeTable } from '../../../src/sinks/change-table/table.ts';
import { type Bench, changeTableBench } from '../../support/fixtures/change-table.ts';
import { delivery } from '../../support/fixtures/delivery.ts';

const clean = { faults: [], warnings: [] };

describe('the event table', () => {
  let bench: Bench;
  let db: Database;
  let made = 0;
  let sent = 0;
  before(async () => {
    bench = await changeTableBench('other');
    db = bench.destination;
  });
  after(() => bench.drop());

  const fresh = (): QuotedTable => {
    made += 1;
    return { schema: 'public', name: `events_${made}` };
  };
  const create = (table: QuotedTable, options = {}): Promise<void> =>
    db.transaction((tx) => createChangeTable(tx, table, options));

  /** The event table as somebody else might have made it. */
  async function madeAs(columns: Record<string, string>, after = ''): Promise<QuotedTable> {
    const table = fresh();
    const all: Record<string, string> = {
      id: 'bigserial',
      seq: 'bigint not null',
      source_database_id: 'uuid not null',
      source_table_oid: 'bigint not null',
      source_table_schema: 'text not null',
      source_table_name: 'text not null',
      record_pk: 'text not null',
      record: 'jsonb not null',
      changes: 'jsonb',
      action: 'text not null',
      committed_at: 'timestamptz not null',
      inserted_at: 'timestamptz not null default now()',
      '': 'primary key (id)',
      ...columns,
    };
    const lines = Object.entries(all).filter(([, definition]) => definition !== '');
    await db.query(`create table ${quoteTable(table)} (${lines.map((line) => line.join(' ')).join(', ')}) ${after}`);
    return table;
  }

  /** Runs every remedy on a table that holds rows; then it is an event table, and takes rows. */
  async function fix(table: QuotedTable): Promise<string[]> {
    const { faults } = await verifyChangeTable(db, table, null);
    for (const { remedy } of faults) await db.query(remedy);
    expect(await verifyChangeTable(db, table, null)).to.deep.equal(clean);
    const sink = await bench.open({ table_name: table.name, create_if_not_exists: false });
    sent += 1;
    expect(await sink.send([delivery(sent, '1')], new AbortController().signal)).to.deep.equal({
      outcomes: [{ kind: 'done' }],
    });
    return faults.map(({ message }) => message);
  }

  it('is created with exactly these columns, and an id that never ends', async () => {
    const table = fresh();
    await create(table);
    const { rows } = await db.query(
      `select column_name || ' ' || data_type || case is_nullable when 'NO' then ' not null' else '' end
              || coalesce(' default ' || column_default, '') as line
         from information_schema.columns where table_name = $1 order by ordinal_position`,
      [table.name],
    );
    expect(rows.map(({ line }) => line)).to.deep.equal([
      `id bigint not null default nextval('${table.name}_id_seq'::regclass)`,
      'seq bigint not null',
      'source_database_id uuid not null',
      'source_table_oid bigint not null',
      'source_table_schema text not null',
      'source_table_name text not null',
      'record_pk text not null',
      'record jsonb not null',
      'changes jsonb',
      'action text not null',
      'committed_at timestamp with time zone not null',
      'inserted_at timestamp with time zone not null default now()',
    ]);
    expect(await verifyChangeTable(db, table, null)).to.deep.equal(clean);
  });

  it('is created once when many want it at the same moment, and left alone when it is there', async () => {
    const table = fresh();
    await Promise.all(Array.from({ length: 4 }, () => create(table)));
    await db.query(`alter table ${quoteTable(table)} add column mine text`);
    await create(table);
    const { rows } = await db.query(`select mine from ${quoteTable(table)}`);
    expect(rows).to.deep.equal([]);
  });

  it('has the index by which its entries are read in their order, and that of the retention job when there is one', async () => {
    const [plain, job] = [fresh(), fresh()];
    await create(plain);
    await create(job, { index: true });
    const { rows } = await db.query(
      `select indexname, substring(indexdef from '\\(.*') as columns from pg_indexes
        where tablename = any ($1) and indexname not like '%_pkey' order by 1`,
      [[plain.name, job.name]],
    );
    const bySeq = [plain, job].map(({ name }) => ({ indexname: `${name}_seq_idx`, columns: '(seq, id)' }));
    const byTime = { indexname: `${job.name}_committed_at_idx`, columns: '(committed_at)' };
    expect(rows).to.have.deep.members([...bySeq, byTime]);
  });

  it('is made by the instructions as they are printed, with any name', async () => {
    for (const name of ['Orders "events"', `o'rders; -- <event_table>`, 'x'.repeat(60)]) {
      for (const variant of ['plain', 'job'] as const) {
        const table = { schema: 'public', name };
        const printed = instructions({ table, variant });
        expect(printed).to.include(`create table if not exists "public"."${name.replaceAll('"', '""')}" (`);
        await db.query(printed);
        expect(await verifyChangeTable(db, table, null)).to.deep.equal(clean);
      }
    }
  });

  it('accepts the partitioned form', async () => {
    const table = await madeAs({ '': 'primary key (id, committed_at)' }, 'partition by range (committed_at)');
    const { faults, warnings } = await verifyChangeTable(db, table, null);
    expect([faults, warnings.map(({ code }) => code)]).to.deep.equal([[], ['partition_missing']]);
    await db.query(`create table of_any_time partition of ${quoteTable(table)} default`);
    expect(await verifyChangeTable(db, table, null)).to.deep.equal(clean);
  });

  it('fixes a partitioned one whichever columns divide it, and says where no statement can', async () => {
    const other = await madeAs({ '': 'unique (seq, "inserted_at")' }, 'partition by range (inserted_at)');
    await db.query(`create table of_any_other_time partition of ${quoteTable(other)} default`);
    expect(await fix(other)).to.deep.equal(['column "id" is not the primary key']);
    const local = await madeAs({ committed_at: 'timestamp not null', '': '' }, 'partition by range (committed_at)');
    expect((await verifyChangeTable(db, local, null)).faults.map(({ sql }) => sql)).to.deep.equal([undefined, null]);
  });

  it('accepts a serial or identity id, and columns of the user’s that need no value', async () => {
    for (const id of ['serial', 'integer generated always as identity', 'bigint generated by default as identity']) {
      const table = await madeAs({
        id,
        note: 'text',
        at: 'date not null default now()',
        twice: 'bigint generated always as (seq * 2) stored',
      });
      expect(await verifyChangeTable(db, table, null), id).to.deep.equal(clean);
      await fix(table);
    }
  });

  it('warns of a serial that is 70 % used up, with the statement that widens it', async () => {
    const [wide, most] = ['alter table TABLE alter column id type bigint', 2 ** 31 - 1];
    for (const [id, change, end] of [
      ['serial', '', most],
      ['integer generated by default as identity', '', most],
      ['serial', wide, most],
      ['smallserial', wide, 2 ** 15 - 1],
      ['bigserial', 'alter sequence SEQUENCE maxvalue 1000', 1000],
    ] as const) {
      const table = await madeAs({ id });
      const sequence = `${table.name}_id_seq`;
      if (change) await db.query(change.replace('TABLE', quoteTable(table)).replace('SEQUENCE', sequence));
      await db.query(`select setval('${sequence}', ${Math.floor(end * 0.69)})`);
      expect(await verifyChangeTable(db, table, null)).to.deep.equal(clean);
      await db.query(`select setval('${sequence}', ${Math.ceil(end * 0.7)})`);
      const { faults, warnings } = await verifyChangeTable(db, table, null);
      expect(faults).to.deep.equal([]);
      const what =
        change === '' ? 'is an integer that is 70 % used up' : `has numbers up to ${end}, of which 70 % are used up`;
      expect(warnings.map(({ code, message }) => [code, message])).to.deep.equal([
        ['serial_ends', `column "id" ${what}`],
      ]);
      await bench.open({ table_name: table.name });
      expect(bench.logged.at(-1)).to.include({ level: 'warn', msg: warnings[0]!.message, remedy: warnings[0]!.remedy });
      await db.query(warnings[0]!.remedy);
      await db.query(`select setval('${sequence}', 3000000000)`);
      expect(await verifyChangeTable(db, table, null)).to.deep.equal(clean);
    }
  });

  it('warns of an unlogged table', async () => {
    const table = fresh();
    await create(table);
    await db.query(`alter table ${quoteTable(table)} set unlogged`);
    const { warnings } = await verifyChangeTable(db, table, null);
    expect(warnings.map(({ message }) => message)).to.deep.equal([
      'the table is unlogged: a crash of its server empties it',
    ]);
    await db.query(warnings[0]!.remedy);
    expect(await verifyChangeTable(db, table, null)).to.deep.equal(clean);
  });

  it('names everything that differs, at once, and each statement fixes it', async () => {
    const table = await madeAs({
      seq: 'integer not null',
      source_database_id: 'text not null',
      source_table_oid: 'bigint',
      source_table_schema: '',
      source_table_name: 'varchar(63) not null',
      record: 'json not null',
      changes: `jsonb not null default '{}'`,
      committed_at: 'timestamp not null',
      inserted_at: 'timestamptz',
      mine: 'text not null',
      '"a ""b"""': 'text not null',
    });
    await db.query(
      `insert into ${quoteTable(table)} (seq, source_database_id, source_table_oid, source_table_name, record_pk, record,
                                         action, committed_at, inserted_at, mine, "a ""b""")
       values (1, gen_random_uuid()::text, 1, 't', '1', '{}', 'insert', now(), now(), '', '')`,
    );
    expect(await fix(table)).to.deep.equal([
      'column "seq" is integer instead of bigint',
      'column "source_database_id" is text instead of uuid',
      'column "source_table_oid" may be null',
      'column "source_table_schema" is missing',
      'column "source_table_name" is character varying(63) instead of text',
      'column "record" is json instead of jsonb',
      'column "changes" does not take null',
      'column "committed_at" is timestamp without time zone instead of timestamp with time zone',
      'column "inserted_at" may be null',
      'column "inserted_at" has no default',
      'column "mine" is not a column of a change table, takes no null and has no default',
      'column "a ""b""" is not a column of a change table, takes no null and has no default',
    ]);
  });

  it('fixes an id that is missing, or does not number itself, on a table that holds rows', async () => {
    const values = `(seq, source_database_id, source_table_oid, source_table_schema, source_table_name, record_pk, record,
                     action, committed_at) values (1, gen_random_uuid(), 1, 's', 't', '1', '{}', 'insert', now())`;
    const without = await madeAs({ id: '', '': '' });
    await db.query(`insert into ${quoteTable(without)} ${values}`);
    expect(await fix(without)).to.deep.equal(['column "id" is missing']);
    const plain = await madeAs({ id: 'integer default 41', '': '' });
    await db.query(`insert into ${quoteTable(plain)} ${values}`);
    await db.query(`alter table ${quoteTable(plain)} alter column id drop default`);
    expect(await fix(plain)).to.deep.equal([
      'column "id" may be null',
      'column "id" does not number itself',
      'column "id" is not the primary key',
    ]);
    const { rows } = await db.query(`select id from ${quoteTable(plain)} order by id`);
    expect(rows).to.deep.equal([{ id: 41 }, { id: 42 }]);
  });

  it('fixes what a default, an expression or another primary key is in the way of', async () => {
    const isVirtual =
      Number((await db.query<{ server_version_num: string }>('show server_version_num')).rows[0]!.server_version_num) >=
      180000;
    const virtual = isVirtual ? "generated always as ('t') virtual" : 'not null';
    const table = await madeAs({
      seq: "text not null default '0'",
      source_database_id: "text not null default ''",
      source_table_name: `text ${virtual}`,
      record: "text not null default '{}'",
      action: "varchar generated always as ('insert') stored",
      inserted_at: 'timestamp not null default now()',
      '': 'primary key (seq)',
    });
    expect(await fix(table)).to.deep.equal([
      'column "id" is not the primary key',
      'column "seq" is text instead of bigint',
      'column "source_database_id" is text instead of uuid',
      ...(isVirtual ? ['column "source_table_name" is generated'] : []),
      'column "record" is text instead of jsonb',
      'column "action" is generated',
      'column "action" is character varying instead of text',
      'column "action" may be null',
      'column "inserted_at" is timestamp without time zone instead of timestamp with time zone',
    ]);
  });

  it('fixes an id that no cast makes a number, and keeps what it was', async () => {
    for (const id of ['uuid not null default gen_random_uuid()', 'text not null default gen_random_uuid()::text']) {
      const table = await madeAs({ id, source_table_name: "text not null default ''" });
      await db.query(
        `insert into ${quoteTable(table)} (seq, source_database_id, source_table_oid, source_table_schema, record_pk, record, action, committed_at)
         values (1, gen_random_uuid(), 1, 's', '1', '{}', 'insert', now())`,
      );
      await db.query(`alter table ${quoteTable(table)} alter column source_table_name drop default`);
      expect(await fix(table)).to.deep.equal([`column "id" is ${id.split(' ')[0]} instead of bigint`]);
      const { rows } = await db.query(
        `select id, length(id_before::text) as length from ${quoteTable(table)} order by id`,
      );
      expect(rows).to.deep.equal([
        { id: 1, length: 36 },
        { id: 2, length: 36 },
      ]);
    }
  });

  it('is a table: a view, and a name that Postgres would cut, are refused', async () => {
    await db.query('create view looks_like as select 1 as id');
    const view = await verifyChangeTable(db, { schema: 'public', name: 'looks_like' }, null);
    expect(view.faults.map(({ message }) => message)).to.deep.equal(['"public"."looks_like" is not a table']);
    const long = await verifyChangeTable(db, { schema: 'public', name: 'é'.repeat(32) }, null);
    expect(long.faults.map(({ message }) => message)).to.deep.equal([
      `the name "${'é'.repeat(32)}" is longer than 63 bytes, which Postgres would cut`,
    ]);
  });
});
