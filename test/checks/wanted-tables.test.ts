import { expect } from 'chai';
import { repairText } from '../../src/checks/finding.ts';
import { checkWantedTables } from '../../src/checks/wanted-tables.ts';
import type { SourceSettings } from '../../src/model/declared.ts';
import type { NamedRelation, PublishedTable } from '../../src/model/published-table.ts';
import { PULL, sinkSettings } from '../support/fixtures/captured.ts';
import { PUBLICATION, TABLE } from '../support/fixtures/source-facts.ts';

describe('a name that a sink takes for a table', () => {
  const source = { include_schemas: null, exclude_schemas: null, include_tables: ['a.T.x'], exclude_tables: null };
  const sinks = [{ no: 1, settings: sinkSettings({ name: 's', destination: PULL, source }) }];
  const say = (others: readonly NamedRelation[]) => {
    const publication = { ...PUBLICATION, tables: [], locked: [], refused: new Map<number, string>(), others };
    const found = checkWantedTables(sinks, publication, new Map());
    return found.map((one) => [one.id, one.summary, repairText(one)]);
  };
  const cases: [NamedRelation['kind'], string, string][] = [
    [
      'unlogged',
      'unlogged: Postgres tells nobody of its changes',
      'alter table "a"."T.x" set logged; -- its changes come from then on',
    ],
    ['temporary', 'a temporary table: Postgres tells nobody of its changes', 'Take it out of include_tables.'],
    ['partition', 'a partition of a.whole: its changes come under that name', 'Write a.whole into include_tables.'],
    [
      'foreign',
      'a foreign table: its rows are in another database',
      'Declare that database, and name its table in a sink of it.',
    ],
    ['view', 'a view: only tables have changes', 'Name the tables that it reads instead.'],
    ['matview', 'a materialized view: only tables have changes', 'Name the tables that it reads instead.'],
    [
      'system',
      "a table of Postgres' own or of Millrace's own, which is never captured",
      'Take it out of include_tables.',
    ],
    ['other', 'not a table', 'Take it out of include_tables.'],
  ];
  for (const [kind, is, remedy] of cases) {
    it(`is told to be what it is: ${kind}`, () => {
      const root = kind === 'partition' ? 'a.whole' : null;
      expect(say([{ schema: 'a', name: 'T.x', kind, root }])).to.deep.equal([
        ['table_missing', `a.T.x is ${is}`, remedy],
      ]);
    });
  }
  it('is told to be unlogged of a table that came, to a sink that takes all', () => {
    const all = { include_schemas: null, exclude_schemas: null, include_tables: null, exclude_tables: ['a.no'] };
    const takers = [{ no: 1, settings: sinkSettings({ name: 's', destination: PULL, source: all }) }];
    const others = ['t', 'no', 'unseen'].map((name) => ({ schema: 'a', name, kind: 'unlogged' as const, root: null }));
    const publication = { ...PUBLICATION, tables: [], locked: [], refused: new Map<number, string>(), others };
    const known = new Map([
      ['a.t', new Set([1])],
      ['a.no', new Set([2])],
    ]);
    expect(checkWantedTables(takers, publication, known).map((one) => [one.id, one.summary, one.sql])).to.deep.equal([
      ['not_published', 'a.t is unlogged now: Postgres tells nobody of its changes', 'alter table "a"."t" set logged'],
    ]);
  });
  it('is told to lead to nothing', () => {
    expect(say([{ schema: 'a', name: 'other', kind: 'view', root: null }])).to.deep.equal([
      ['table_missing', 'there is no table a.T.x', ''],
    ]);
  });

  const KNOWN = new Map([['a.T.x', new Set([TABLE.oid])]]);
  const renamed = { ...TABLE, schema: 'b', name: 'T.x' };
  const ofTables = (include: Partial<SourceSettings>, tables: readonly PublishedTable[]) => {
    const source = {
      include_schemas: null,
      exclude_schemas: null,
      include_tables: null,
      exclude_tables: null,
      ...include,
    };
    const publication = { ...PUBLICATION, tables, locked: [], refused: new Map<number, string>() };
    const sinks = [{ no: 1, settings: sinkSettings({ name: 's', destination: PULL, source }) }];
    return checkWantedTables(sinks, publication, KNOWN).map((one) => [one.id, one.table, one.summary, repairText(one)]);
  };

  it('is told not to be published any more under its new name', () => {
    const remedy = 'Write b.T.x into include_tables.';
    const include = { include_tables: ['a.T.x'] };
    expect(ofTables(include, [renamed])).to.deep.equal([
      ['table_missing', 'a.T.x', 'table a.T.x is called b.T.x now: its changes still come', remedy],
    ]);
    expect(ofTables(include, [{ ...renamed, published: false }])).to.deep.equal([
      ['table_missing', 'a.T.x', 'table a.T.x is called b.T.x now', remedy],
      [
        ...['not_published', 'b.T.x', 'b.T.x: the publication does not list it'],
        'alter publication "pub" add table only "b"."T.x"',
      ],
    ]);
  });

  it('is told of a table that is left out by it, and comes under another one', () => {
    const told = [
      ['table_missing', 'a.T.x', 'table a.T.x, which the sink leaves out, is called b.T.x now: its changes come'],
    ];
    const found = (include: Partial<SourceSettings>, tables: readonly PublishedTable[]) =>
      ofTables(include, tables).map((one) => one.slice(0, 3));
    expect(found({ exclude_tables: ['a.T.x'] }, [renamed])).to.deep.equal(told);
    expect(found({ exclude_schemas: ['a'] }, [renamed])).to.deep.equal(told);
    // It was moved, and the schema is there.
    expect(found({ exclude_schemas: ['a'] }, [renamed, { ...TABLE, oid: 2, schema: 'a' }])).to.deep.equal([]);
    expect(found({ exclude_tables: ['a.T.x', 'b.T.x'] }, [renamed])).to.deep.equal([]);
    expect(found({ exclude_tables: ['a.T.x'] }, [{ ...TABLE, oid: 2 }])).to.deep.equal([]);
    // It took the place of another table.
    KNOWN.set('b.T.x', new Set([2, TABLE.oid]));
    expect(found({ exclude_tables: ['a.T.x'] }, [renamed])).to.deep.equal([]);
    KNOWN.delete('b.T.x');
  });

  it('is told to be missing of all tables of a schema', () => {
    const include = { include_schemas: ['a'] };
    expect(ofTables(include, [{ ...TABLE, schema: 'a' }])).to.deep.equal([]);
    expect(ofTables(include, [{ ...TABLE, oid: 2 }])).to.deep.equal([
      ['table_missing', 'a.*', 'there is no table in schema a', ''],
    ]);
    expect(ofTables(include, [renamed])).to.deep.equal([
      [
        ...['table_missing', 'a.*', 'there is no table in schema a any more, and a.T.x is called b.T.x now'],
        'Write b into include_schemas, then send what was missed: bin/millrace backfill s',
      ],
    ]);
  });

  it('is found without a look at every table for each of the sinks', () => {
    const count = 500;
    let looks = 0;
    const tables = Array.from({ length: count }, (_, i) => ({
      ...{ ...TABLE, oid: 1_000 + i },
      get name() {
        looks += 1;
        return `t${i}`;
      },
    }));
    const takers = tables.map((_, no) => {
      const named = { include_schemas: null, exclude_schemas: null, include_tables: [`${TABLE.schema}.t${no}`] };
      return {
        no,
        settings: sinkSettings({ name: `s${no}`, destination: PULL, source: { ...named, exclude_tables: null } }),
      };
    });
    const publication = { ...PUBLICATION, tables, locked: [], refused: new Map<number, string>() };
    expect(checkWantedTables(takers, publication, new Map())).to.deep.equal([]);
    expect(looks).to.be.below(20 * count);
  });
});
