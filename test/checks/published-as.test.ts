import { expect } from 'chai';
import { leftOutSince, type PublicationOptions, type PublishedAs } from '../../src/checks/published-as.ts';

describe('what a publication left out between two looks', () => {
  const OPTIONS: PublicationOptions = { xmin: '7', actions: 'iudt', viaRoot: true, owner: '10', generated: 's' };
  const as = (
    entries: PublishedAs['entries'],
    options: Partial<PublicationOptions> = {},
    allTables = false,
  ): PublishedAs => ({ entries, allTables, options: { ...OPTIONS, ...options } });
  const ONE = { 1: ['w5'] };
  const RETURNED = 'was taken out of the publication and put in again: changes that were made meanwhile may be missing';
  const SOME =
    'was published with a row filter or a list of columns, and now is otherwise: what was left out until then is missing';
  const BACK =
    'is in a publication that was altered, and altered back: changes that were made meanwhile may be missing';

  const cases: [string, PublishedAs, PublishedAs, string | undefined][] = [
    ['nothing happened', as(ONE), as(ONE), undefined],
    ['another entry', as(ONE), as({ 1: ['w6'] }), RETURNED],
    ['an entry of its schema came besides', as(ONE), as({ 1: ['w5', 'w9'] }), undefined],
    ['an entry of its schema stayed', as({ 1: ['w5', 'w9'] }), as({ 1: ['w6', 'w9'] }), undefined],
    ['it was moved to another schema and back', as({ 1: ['w5:700'] }), as({ 1: ['w5:702'] }), RETURNED],
    ['it stayed in its schema', as({ 1: ['w5:700'] }), as({ 1: ['w5:700'] }), undefined],
    ['nobody had noted since when it was in its schema', as({ 1: ['w5'] }), as({ 1: ['w5:700'] }), undefined],
    ['a row filter came', as(ONE), as({ 1: ['s6'] }), SOME],
    ['a row filter went', as({ 1: ['s5'] }), as({ 1: ['w6'] }), SOME],
    ['a row filter stayed', as({ 1: ['s5'] }), as({ 1: ['s5'] }), undefined],
    ['a schema came over a row filter', as({ 1: ['s5'] }), as({ 1: ['s5', 'w9'] }), SOME],
    ['a partition was listed again', as({ 2: ['w5'], 3: ['w6'] }), as({ 2: ['w5'], 3: ['w8'] }), RETURNED],
    ['a partition came', as({ 2: ['w5'] }), as({ 2: ['w5'], 3: ['w8'] }), undefined],
    ['a partition went', as({ 2: ['w5'], 3: ['w8'] }), as({ 2: ['w5'] }), undefined],
    ['partitions became the whole', as({ 2: ['w5'] }), as(ONE), RETURNED],
    ['all tables, whatever stands besides', as({}, {}, true), as({}, {}, true), undefined],
    ['an owner came', as(ONE), as(ONE, { xmin: '8', owner: '11' }), undefined],
    ['generated columns came', as(ONE, { generated: 'n' }), as(ONE, { xmin: '8' }), undefined],
    ['less is published', as(ONE), as(ONE, { xmin: '8', actions: 'iud' }), undefined],
    ['it was altered and altered back', as(ONE), as(ONE, { xmin: '8' }), BACK],
    ['the same of all tables', as({}, {}, true), as({}, { xmin: '8' }, true), BACK],
  ];
  for (const [what, before, now, expected] of cases) {
    it(`is told: ${what}`, () => {
      expect(leftOutSince(before, now, { oid: 1, partitioned: false })).to.equal(expected);
    });
  }

  it('is told of partitions that were unlogged', () => {
    const logged = { ...as(ONE), unlogged: [] };
    const unlogged = { ...as(ONE), unlogged: ['2', '3'] };
    const table = { oid: 1, partitioned: true };
    expect(leftOutSince(unlogged, { ...logged, unlogged: ['2'] }, table)).to.equal(
      'had partitions that were unlogged until now: changes that were made in them are missing',
    );
    expect(leftOutSince(logged, unlogged, table)).to.equal(undefined);
    expect(leftOutSince(unlogged, unlogged, table)).to.equal(undefined);
  });

  it('is told by the kind of change', () => {
    const before = as(ONE, { actions: 'i' });
    const now = as(ONE, { xmin: '8' });
    expect(leftOutSince(before, now, { oid: 1, partitioned: false })).to.equal(
      'was published without updates and deletes and truncates until now: those that were made are missing',
    );
  });

  it('is told of partitions that came under their own names', () => {
    const before = as(ONE, { viaRoot: false });
    const now = as(ONE, { xmin: '8' });
    expect(leftOutSince(before, now, { oid: 1, partitioned: true })).to.equal(
      'was published under the names of its partitions until now: changes that were made may be missing',
    );
    expect(leftOutSince(before, now, { oid: 1, partitioned: false })).to.equal(undefined);
  });
});
