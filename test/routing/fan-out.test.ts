/** Which messages a sink gets of a change, and what each stays in order with. */
import { expect } from 'chai';
import { type FannedRow, fanOut } from '../../src/routing/fan-out.ts';
import { type BoundFilter, bindFilter } from '../../src/routing/filter.ts';
import { groupKey } from '../../src/routing/group.ts';
import type { Route } from '../../src/routing/match.ts';
import { traitsOf } from '../support/fixtures/sinks.ts';

const ROUTE: Route = {
  sinkNo: 1,
  traits: traitsOf('pull'),
  lanes: 1,
  fixedLane: 0,
  actions: new Set(['insert', 'update', 'delete']),
  filters: [],
  deleteOnLeave: false,
  groupColumns: [],
  groupIsOfKey: false,
  identityIsFull: false,
  parkReason: undefined,
};
const row = (
  given: Partial<FannedRow> & { values?: (string | null | undefined)[]; was?: (string | null | undefined)[] },
): FannedRow => ({
  oid: 7,
  action: 'update',
  key: ['1'],
  oldKey: null,
  now: (index) => given.values?.[index],
  before: (index) => given.was?.[index],
  ...given,
});
const group = (...values: string[]) => groupKey(7, values);
const groupsOf = (route: Partial<Route>, given: Parameters<typeof row>[0]) =>
  fanOut({ ...ROUTE, ...route }, row(given)).map((part) => [part.groupKey, part.groupKey2]);

describe('fan-out', () => {
  it('keeps a row in order, under both keys when it changed', () => {
    expect(groupsOf({}, {})).to.deep.equal([[group('1'), null]]);
    expect(groupsOf({}, { oldKey: ['0'] })).to.deep.equal([[group('1'), group('0')]]);
    expect(groupsOf({}, { key: [] })).to.deep.equal([[null, null]]);
    expect(groupsOf({ groupColumns: undefined }, {})).to.deep.equal([[null, null]]);
  });

  it('groups by columns, and by the row where a delete does not carry them', () => {
    const by = { groupColumns: [1] };
    expect(groupsOf(by, { values: ['1', 'a'] })).to.deep.equal([[group('a'), group('1')]]);
    expect(groupsOf(by, { action: 'delete', values: ['1', undefined] })).to.deep.equal([[group('1'), null]]);
    // There is room for two groups, and the row's own come first.
    expect(groupsOf(by, { values: ['1', 'a'], oldKey: ['0'] })).to.deep.equal([[group('1'), group('0')]]);
  });

  it('keeps what came of one row in order, whatever group it went to, and though messages in between are left out', () => {
    const by = { groupColumns: [1], identityIsFull: true };
    const history = [
      { action: 'insert', values: ['1', 'a'] },
      { action: 'update', values: ['1', 'a'], was: ['1', 'a'] },
      { action: 'update', values: ['1', 'b'], was: ['1', 'a'] },
      { action: 'update', values: ['1', 'c'], was: ['1', 'b'] },
      { action: 'delete', values: ['1', 'c'] },
      { action: 'insert', values: ['1', 'd'] },
    ] as const;
    for (const { action, values } of history) {
      const [found] = groupsOf(by, { action, values: [...values] });
      expect(found).to.deep.equal([group(values[1]), group('1')]);
    }
  });

  it('keeps a changed key in the group of its columns, and behind what came under the old one', () => {
    const by = { groupColumns: [1], identityIsFull: true };
    const rekeyed = { key: ['2'], oldKey: ['1'], was: ['1', 'a'] };
    expect(groupsOf(by, { ...rekeyed, values: ['2', 'a'] })).to.deep.equal([[group('a'), group('1')]]);
    expect(groupsOf(by, { ...rekeyed, values: ['2', 'b'] })).to.deep.equal([[group('b'), group('1')]]);
    // A partition's own identity may send the key alone.
    expect(groupsOf(by, { action: 'delete', values: ['1', undefined] })).to.deep.equal([[group('1'), null]]);
  });

  it('groups by columns alone where they are part of the key', () => {
    const by = { groupColumns: [1], groupIsOfKey: true };
    expect(groupsOf(by, { values: ['1', 'a'], was: ['1', 'a'] })).to.deep.equal([[group('a'), null]]);
    expect(groupsOf(by, { values: ['1', 'b'], was: ['1', 'a'] })).to.deep.equal([[group('b'), group('a')]]);
    expect(groupsOf(by, { action: 'delete', values: ['1', 'b'] })).to.deep.equal([[group('b'), null]]);
  });

  const index = { traits: traitsOf('search_index'), fixedLane: undefined, lanes: 4 };
  const partsOf = (route: Partial<Route>, given: Parameters<typeof row>[0]) =>
    fanOut({ ...ROUTE, ...index, ...route }, row(given)).map(({ of, form, key }) => `${form} ${of} ${key}`);
  /** Rows whose second column is not null. */
  const filter = bindFilter(
    {
      column_name: 'b',
      operator: 'not_null',
      comparison_value: null,
      field_path: null,
      field_type: null,
    },
    { index: 1, typeOid: 25, types: new Map() },
  ) as BoundFilter;

  it('deletes the document of a key that is gone', () => {
    expect(partsOf({}, { oldKey: ['0'] })).to.deep.equal(['delete before 0', 'change now 1']);
    expect(partsOf({}, {})).to.deep.equal(['change now 1']);
  });

  it('sends nothing of an action that the sink does not take, unless it is a row that was read', () => {
    const inserts = { actions: new Set(['insert'] as const) };
    expect(partsOf(inserts, { oldKey: ['0'] })).to.deep.equal([]);
    expect(partsOf(inserts, { as: 'read' })).to.deep.equal(['change now 1']);
  });

  it('takes out of an index what leaves the filters, or keeps it, but never under a key that is gone', () => {
    const gone = { values: ['1', null] };
    const leave = { filters: [filter], deleteOnLeave: true };
    expect(partsOf(leave, gone)).to.deep.equal(['delete now 1']);
    expect(partsOf(leave, { ...gone, oldKey: ['0'] })).to.deep.equal(['delete before 0']);
    const keep = { filters: [filter], deleteOnLeave: false };
    expect(partsOf(keep, gone)).to.deep.equal([]);
    expect(partsOf(keep, { ...gone, oldKey: ['0'] })).to.deep.equal(['delete before 0']);
    expect(partsOf(keep, { ...gone, action: 'delete' })).to.deep.equal(['change now 1']);
    expect(partsOf(leave, { ...gone, action: 'insert' })).to.deep.equal([]);
    expect(partsOf(leave, { ...gone, as: 'repair', action: 'insert' })).to.deep.equal(['delete now 1']);
    // What is not carried holds nothing back.
    expect(partsOf(leave, { values: ['1', undefined], action: 'delete' })).to.deep.equal(['change now 1']);
  });
});
