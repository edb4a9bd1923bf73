/**
 * Tables whose rows get other keys. An index keeps documents under the former ones, and no message tells so: each sink is told
 * what it means for it, until that is repaired. Where rows keep their keys, or the texts of them, nothing is told.
 */
import { expect } from 'chai';
import { type Captured, captured, PULL, SEARCH, sinkSettings } from '../support/fixtures/captured.ts';
import { PLAIN } from '../support/fixtures/change-table.ts';
import { until } from '../support/until.ts';

interface Case {
  name: string;
  columns: string;
  also?: string;
  /** Of a row of before. */
  row: string;
  alter: string;
  /** Of a row from now on; as before where it is not given. */
  next?: string;
  /** What is told, behind the name of the table; absent: nothing. */
  told?: string;
}

const OTHERS: Case[] = [
  {
    name: 'other_column',
    columns: 'id int primary key, code text not null',
    row: "1, 'a'",
    alter: 'drop constraint other_column_pkey, add primary key (code)',
    next: "2, 'b'",
    told: 'has another primary key, (code) instead of (id)',
  },
  {
    name: 'one_column_more',
    columns: 'id int primary key, code text not null',
    row: "1, 'a'",
    alter: 'drop constraint one_column_more_pkey, add primary key (id, code)',
    next: "2, 'b'",
    told: 'has another primary key, (id, code) instead of (id)',
  },
  {
    name: 'other_order',
    columns: 'a int, b int, primary key (a, b)',
    row: '1, 2',
    alter: 'drop constraint other_order_pkey, add primary key (b, a)',
    next: '3, 4',
    told: 'has another primary key, (b, a) instead of (a, b)',
  },
  {
    name: 'dropped_column',
    columns: 'id int primary key, code text not null',
    row: "1, 'a'",
    alter: 'drop column id, add primary key (code)',
    next: "'b'",
    told: 'has another primary key, (code) instead of (id)',
  },
  {
    name: 'same_name',
    columns: 'id int primary key, name text',
    row: "1, 'a'",
    alter: 'drop column id, add column id int generated always as identity primary key',
    next: "'b'",
    told: 'has another primary key, (id) instead of (id)',
  },
  {
    name: 'full_identity',
    columns: 'id int primary key, code text not null',
    also: '; alter table full_identity replica identity full',
    row: "1, 'a'",
    alter: 'drop constraint full_identity_pkey, add primary key (code)',
    next: "2, 'b'",
    told: 'has another primary key, (code) instead of (id)',
  },
  {
    name: 'parts',
    columns: 'id int primary key, code int not null',
    also: ' partition by range (id); create table part partition of parts default',
    row: '1, 10',
    alter: 'drop constraint parts_pkey, add primary key (id, code)',
    next: '2, 20',
    told: 'has another primary key, (id, code) instead of (id)',
  },
  {
    name: 'scale',
    columns: 'price numeric(9, 2) primary key',
    row: '1',
    alter: 'alter column price type numeric(9, 3)',
    next: '2',
    told: 'has other types in its primary key, in (price)',
  },
  {
    name: 'text_to_int',
    columns: 'a int, code text, primary key (a, code)',
    row: "1, '007'",
    alter: 'alter column code type int using code::int',
    next: '2, 8',
    told: 'has other types in its primary key, in (code)',
  },
  {
    name: 'text_to_uuid',
    columns: 'id text primary key',
    row: "'A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11'",
    alter: 'alter column id type uuid using id::uuid',
    next: 'gen_random_uuid()',
    told: 'has other types in its primary key, in (id)',
  },
  {
    name: 'padded',
    columns: 'id char(3) primary key',
    row: "'a'",
    alter: 'alter column id type text',
    next: "'b'",
    told: 'has other types in its primary key, in (id)',
  },
];

const SAME: Case[] = [
  { name: 'renamed', columns: 'id int primary key', row: '1', alter: 'rename column id to no' },
  { name: 'wider', columns: 'id int primary key', row: '1', alter: 'alter column id type bigint' },
  { name: 'int_to_text', columns: 'id int primary key', row: '1', alter: 'alter column id type text' },
  { name: 'int_to_numeric', columns: 'id int primary key', row: '1', alter: 'alter column id type numeric' },
  {
    name: 'precision',
    columns: 'id numeric(9, 2) primary key',
    row: '1',
    alter: 'alter column id type numeric(12, 2)',
  },
  {
    name: 'uuid_to_text',
    columns: 'id uuid primary key',
    row: "'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'",
    alter: 'alter column id type text',
    next: "'b'",
  },
  { name: 'to_enum', columns: 'id text primary key', row: "'7'", alter: 'alter column id type size using id::size' },
  { name: 'to_domain', columns: 'id text primary key', row: "'7'", alter: 'alter column id type code' },
  { name: 'sorted', columns: 'id text primary key', row: "'7'", alter: 'alter column id type text collate "C"' },
  {
    name: 'other_identity',
    columns: 'id int primary key, code int not null unique',
    row: '1, 1',
    alter: 'replica identity using index other_identity_code_key',
    next: '8, 8',
  },
  { name: 'later_full', columns: 'id int primary key', row: '1', alter: 'replica identity full' },
  {
    name: 'other_constraint',
    columns: 'id int primary key, name text',
    row: "1, 'a'",
    alter: 'drop constraint other_constraint_pkey, add constraint again primary key (id)',
    next: "8, 'b'",
  },
];

const CASES = [...OTHERS, ...SAME];

describe('capture: tables whose rows get other keys', function () {
  this.timeout(60_000);
  let on: Captured;
  let index: number;
  const begin = async (schema: string): Promise<void> => {
    on = await captured(schema, { timing: { checkMs: 100 } });
    index = await on.addSink(sinkSettings({ name: 'an-index', destination: SEARCH }));
    on.start();
    await on.streaming();
  };
  afterEach(async () => await on?.close());
  const told = async (sink: number) => (await on.notices(sink)).filter(({ code }) => code === 'key_changed');
  const ITEMS = 'create table items (id int primary key, code text not null unique)';
  const toCode = 'alter table items drop constraint items_pkey, add primary key (code)';
  const toId = 'alter table items drop constraint items_pkey, add primary key (id)';
  const write = async (id: number): Promise<void> => {
    await on.source.query(`insert into items values (${id}, 'c${id}')`);
    await on.received(index, id);
  };

  it('tells which table has another key, and of none that keeps it', async () => {
    const tables = CASES.map(({ name, columns, also }) => `create table ${name} (${columns})${also ?? ''};`);
    await begin(`create type size as enum ('7', '8'); create domain code as text; ${tables.join('\n')}`);
    for (const { name, row } of CASES) await on.source.query(`insert into ${name} values (${row})`);
    await on.received(index, CASES.length);
    for (const { name, alter } of CASES) await on.source.query(`alter table ${name} ${alter}`);
    for (const { name, row, next } of CASES)
      await on.source.query(`insert into ${name} values (${next ?? row.replace(/[17]/, '8')})`);
    const pks = (await on.received(index, 2 * CASES.length)).map(({ record_pks }) => record_pks);
    expect(pks, 'of other_order').to.include.members(['["1","2"]', '["4","3"]']);
    const found = (await told(index)).map(({ table, message }) => [table, message.slice(0, message.indexOf(':'))]);
    expect(Object.fromEntries(found)).to.deep.equal(
      Object.fromEntries(OTHERS.map(({ name, told }) => [`public.${name}`, `public.${name} ${told}`])),
    );
  });

  it('says on each kind of sink what it means for it, and how it is repaired', async () => {
    await begin(ITEMS);
    const pull = await on.addSink(sinkSettings({ name: 'all', destination: PULL }));
    const kept = await on.addSink(sinkSettings({ name: 'kept', destination: PLAIN }));
    await write(1);
    await on.source.query(toCode);
    await write(2);
    const what = 'public.items has another primary key, (code) instead of (id)';
    const said = { code: 'key_changed', table: 'public.items' };
    expect(await told(index)).to.deep.equal([
      {
        ...said,
        message: `${what}: documents of before stay under their former _id, and rows that did not change since have none under the one of now`,
        remedy: 'bin/millrace verify an-index --repair',
      },
    ]);
    expect(await told(pull)).to.deep.equal([
      {
        ...said,
        message: `${what}: messages of before have the former key, and no order with those of the same rows from now on`,
        remedy: 'bin/millrace backfill all public.items # remove there what it has under the former key',
      },
    ]);
    expect(await told(kept)).to.deep.equal([
      {
        ...said,
        message: `${what}: entries of before have the former key in record_pk`,
        remedy:
          "Whoever finds rows in it by record_pk must know both keys. Then: select millrace.dismiss('kept', 'key_changed')",
      },
    ]);
  });

  it('tells it once, also over a restart, and of what happened while nobody captured', async () => {
    await begin(ITEMS);
    await write(1);
    await on.stop();
    await on.source.query(toCode);
    await on.source.query("insert into items values (2, 'c2')");
    on.start();
    await on.received(index, 2);
    expect(await told(index)).to.have.length(1);
    await on.messages.db.query("select millrace.dismiss('an-index', 'key_changed')");
    await on.stop();
    on.start();
    await write(3);
    await on.source.query('alter table items rename to things');
    await on.source.query("insert into things values (4, 'c4')");
    await on.received(index, 4);
    expect(await told(index)).to.deep.equal([]);
  });

  it('tells of a key that was another one for a while, from messages that come late', async () => {
    await begin(ITEMS);
    await write(1);
    await on.stop();
    await on.source.query(toCode);
    await on.source.query("insert into items values (2, 'c2')");
    await on.source.query(toId);
    await on.source.query("insert into items values (3, 'c3')");
    on.start();
    const keys = (await on.received(index, 3)).map(({ record_pks }) => record_pks);
    expect(keys).to.deep.equal(['["1"]', '["c2"]', '["3"]']);
    expect(await told(index)).to.have.length(1);
  });

  it('goes from a consumer once its table was sent again', async () => {
    await begin(ITEMS);
    const pull = await on.addSink(sinkSettings({ name: 'all', destination: PULL }));
    await write(1);
    await on.source.query(toCode);
    await write(2);
    expect(await told(pull)).to.have.length(1);
    await on.messages.db.query("select millrace.backfill('all', 'public.items')");
    await on.received(pull, 4);
    expect(await told(pull)).to.deep.equal([]);
    expect(await told(index)).to.have.length(1);
  });

  it('tells an index what it has missed of a table that had no key for a while', async () => {
    await begin(ITEMS);
    await write(1);
    await on.source.query('alter table items replica identity full, drop constraint items_pkey');
    const pull = await on.addSink(sinkSettings({ name: 'all', destination: PULL }));
    await on.source.query("insert into items values (2, 'c2')");
    await on.received(pull, 1);
    await until('it is left out', async () => (await on.notices(index)).some(({ code }) => code === 'no_primary_key'));
    await on.source.query("alter table items add primary key (id); insert into items values (3, 'c3')");
    await on.received(index, 2);
    expect(await on.notices(index)).to.deep.equal([
      {
        code: 'changes_left_out',
        table: 'public.items',
        message: 'public.items had no primary key for a while: its rows and changes of that time are missing',
        remedy: 'bin/millrace verify an-index --repair',
      },
    ]);
  });
});
