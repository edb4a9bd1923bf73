/** Changes are sent as what they were when they were made, whatever became of their table since. */
import { expect } from 'chai';
import { type Captured, captured, PULL, SEARCH, sinkSettings } from '../support/fixtures/captured.ts';
import { ofReplication } from '../support/postgres/capture-way.ts';
import { eachMajor } from '../support/postgres/postgres.ts';

const keysAlone = ofReplication('what triggers note of a row is whole');

describe('a backlog', function () {
  this.timeout(120_000);
  let on: Captured;
  let pull: number;
  let index: number;
  afterEach(() => on.close());

  async function behind(schema: string, ...statements: string[]): Promise<void> {
    on = await captured(schema);
    pull = await on.addSink(sinkSettings({ name: 'worker', destination: PULL }));
    index = await on.addSink(sinkSettings({ name: 'index', destination: SEARCH }));
    on.start();
    await on.streaming();
    await on.source.query("insert into t (a, b, n) values (1, 'x', 0)");
    await on.received(pull, 1);
    await on.stop();
    for (const statement of statements) await on.source.query(statement);
    on.start();
  }
  const seen = async (sink: number, count: number) =>
    (await on.received(sink, count)).map((row) => `${row.action} ${row.record_pks} ${row.group_key !== null}`);

  const TABLE = 'create table t (a int, b text, n int, primary key (b, a))';
  const WRITES = ['update t set n = 1', 'delete from t'];
  const after: Record<string, string[]> = {
    'a key column is renamed': ['alter table t rename a to z'],
    'both are renamed, and a column comes': [
      'alter table t rename a to z; alter table t rename b to y; alter table t add more int',
    ],
    'the key is dropped': ['alter table t drop constraint t_pkey'],
    'the key is made anew of another column': [
      'alter table t drop constraint t_pkey; alter table t add code serial; alter table t add primary key (code)',
    ],
    'the key gets another order': ['alter table t drop constraint t_pkey; alter table t add primary key (a, b)'],
    'the table is renamed': ['alter table t rename to u'],
    'the table moves to another schema': ['create schema apart; alter table t set schema apart'],
    'the identity changes': ['alter table t replica identity full'],
    'the table is dropped': ['drop table t'],
    'the table is dropped, and another one has its name': ['drop table t; create table t (id int primary key)'],
  };
  for (const [what, statements] of Object.entries(after)) {
    it(`keeps its keys and groups when ${what}`, async () => {
      await behind(TABLE, ...WRITES, ...statements);
      const keyed = what.includes('another order') ? '["1","x"]' : '["x","1"]';
      const expected = [`update ${keyed} true`, `delete ${keyed} true`];
      expect((await seen(pull, 3)).slice(1)).to.deep.equal(expected);
      expect((await seen(index, 3)).slice(1).toSorted()).to.deep.equal(expected.toSorted());
    });
  }

  it('of many tables, of which some were changed meanwhile, is what was made, in its order', async () => {
    const tables = Array.from({ length: 120 }, (_, n) => `t_${n}`);
    const expected: string[] = [];
    const write = (table: string, a: number): string => {
      expected.push(`${table} insert ["x","${a}"]`);
      return `insert into ${table} values (${a}, 'x', 0)`;
    };
    const make = (table: string): string => `create table ${table} (a int, b text, n int, primary key (b, a))`;
    await behind(
      [TABLE, ...tables.map(make)].join(';'),
      ...tables.map((table) => write(table, 1)),
      ...tables
        .filter((table) => table.endsWith('0'))
        .flatMap((table) => [`alter table ${table} rename a to z`, write(table, 2)]),
      ...tables
        .filter((table) => table.endsWith('5'))
        .flatMap((table) => [`alter table ${table} rename to other_${table}`, write(`other_${table}`, 2)]),
      ...tables.toReversed().map((table) => write(table.endsWith('5') ? `other_${table}` : table, 3)),
    );
    const rows = (await on.received(pull, expected.length + 1)).slice(1);
    const nameOf = ({ text }: { text: string }): string => JSON.parse(text).metadata.table_name;
    expect(rows.map((row) => `${nameOf(row)} ${row.action} ${row.record_pks}`)).to.deep.equal(expected);
  });

  it('is by the key that was renamed, also with a full identity', async () => {
    await behind(`${TABLE}; alter table t replica identity full`, ...WRITES, 'alter table t rename a to z');
    expect((await seen(pull, 3)).slice(1)).to.deep.equal(['update ["x","1"] true', 'delete ["x","1"] true']);
    const [, update] = await on.received(pull, 3);
    expect(update!.changes).to.equal('{"n":0}');
  });

  eachMajor((cluster) => {
    keysAlone.it(
      'of a partition that sends its key alone, below a table with full identity, invents no nulls',
      async () => {
        on = await captured(
          `create table t (a int primary key, b text, n int) partition by range (a);
         create table t_1 partition of t for values from (0) to (9); alter table t replica identity full`,
          { cluster: cluster() },
        );
        const filters = [
          { column_name: 'b', operator: '=' as const, comparison_value: 'x', field_path: null, field_type: null },
        ];
        pull = await on.addSink(sinkSettings({ name: 'worker', destination: PULL, filters }));
        on.start();
        await on.streaming();
        await on.source.query("insert into t values (1, 'x', 0); update t set a = 2; delete from t");
        const rows = await on.received(pull, 3);
        expect(rows.map((row) => row.record)).to.deep.equal([
          '{"a":1,"b":"x","n":0}',
          '{"a":2,"b":"x","n":0}',
          '{"a":2}',
        ]);
        expect(rows[1]!.changes).to.equal('{"a":1}');
      },
    );
  });
});
