/** The key of a table as it was, from what a Relation message says, the catalog now, and what was known before. */
import { expect } from 'chai';
import type { RelationMessage, ReplicaIdentity } from '../../src/codec/row-message.ts';
import { keyThen, namesNow, type TableNow } from '../../src/routing/relation-key.ts';

/** `a*`: in the replica identity. */
const message = (identity: ReplicaIdentity, ...columns: string[]): RelationMessage => ({
  tag: 'relation',
  oid: 1,
  schema: 'public',
  name: 't',
  identity,
  columns: columns.map((column) => ({
    name: column.replace('*', ''),
    typeOid: 23,
    typmod: -1,
    key: column.endsWith('*'),
  })),
});
const table = (columns: string[] | undefined, key: string[], known: string[] | null = null): TableNow => ({
  columns: columns?.map((name, place) => ({ number: place + 1, name, typeOid: 23, generated: false })),
  key,
  known,
});

describe('the key that a table had', () => {
  const cases: [string, RelationMessage, TableNow, string[]][] = [
    [
      'is the one it has, in its order',
      message('default', 'a*', 'b*', 'c'),
      table(['a', 'b', 'c'], ['b', 'a']),
      ['b', 'a'],
    ],
    ['was renamed', message('default', 'a*', 'b'), table(['x', 'b'], ['x']), ['a']],
    [
      'was renamed, and a column came',
      message('default', 'a*', 'b*'),
      table(['x', 'b', 'new'], ['b', 'x']),
      ['b', 'a'],
    ],
    ['was dropped', message('default', 'a*', 'b'), table(['a', 'b'], []), ['a']],
    ['was made anew of others', message('default', 'a*', 'b'), table(['a', 'b'], ['b']), ['a']],
    [
      'was in another order than its columns',
      message('default', 'a*', 'b*'),
      table(['a', 'b', 'c'], ['c'], ['b', 'a']),
      ['b', 'a'],
    ],
    ['went with its table', message('default', 'a*', 'b*'), table(undefined, [], ['b', 'a']), ['b', 'a']],
    ['went with its table, and nothing is known', message('default', 'a*', 'b*'), table(undefined, []), ['a', 'b']],
    ['came later', message('default', 'a', 'b'), table(['a', 'b'], ['a']), ['a']],
    ['is none', message('default', 'a', 'b'), table(['a', 'b'], []), []],
    ['full: is the one it has', message('full', 'a*', 'b*'), table(['a', 'b'], ['a']), ['a']],
    ['full: was renamed', message('full', 'a*', 'b*'), table(['x', 'b'], ['x'], ['a']), ['a']],
    [
      'full: was renamed and another column dropped',
      message('full', 'a*', 'b*', 'c*'),
      table(['x', 'c'], ['x'], ['a']),
      ['a'],
    ],
    ['full: went with its table', message('full', 'a*', 'b*'), table(undefined, [], ['a']), ['a']],
    ['full: was dropped, so rows have none', message('full', 'a*', 'b*'), table(['a', 'b'], [], ['a']), []],
    ['index: is covered', message('index', 'a*', 'b*'), table(['a', 'b'], ['a']), ['a']],
    ['index: is there though it is not covered', message('index', 'a', 'b*'), table(['a', 'b'], ['a']), ['a']],
    ['nothing: is there for inserts', message('nothing', 'a', 'b'), table(['a', 'b'], ['a']), ['a']],
    ['has a column that is not published', message('full', 'b*'), table(['a', 'b'], ['a']), []],
  ];
  for (const [what, relation, now, key] of cases) it(what, () => expect(keyThen(relation, now)).to.deep.equal(key));

  it('columns are the same when they kept their places, else by name', () => {
    const names = (columns: string[]) => [...namesNow(message('default', 'a*', 'b', 'c'), table(columns, []))];
    expect(names(['x', 'b', 'c', 'd'])).to.deep.equal([
      ['a', 'x'],
      ['b', 'b'],
      ['c', 'c'],
    ]);
    expect(names(['x', 'c'])).to.deep.equal([['c', 'c']]);
    // Names were exchanged: which is which cannot be told.
    expect(names(['b', 'a', 'c'])).to.deep.equal([
      ['a', 'a'],
      ['b', 'b'],
      ['c', 'c'],
    ]);
  });
});
