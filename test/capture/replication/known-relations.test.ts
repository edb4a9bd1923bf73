/** What a stream knows of its tables, at the places that it may go back to. */
import { expect } from 'chai';
import { KnownRelations } from '../../../src/capture/replication/known-relations.ts';
import type { LoadedRelation } from '../../../src/routing/relation.ts';

const relation = (oid: number, name: string, types = 0): LoadedRelation =>
  ({ oid, name, types: new Map(Array.from({ length: types }, (_, n) => [n, {}])) }) as unknown as LoadedRelation;

describe('tables that a stream knows', () => {
  const names = (known: KnownRelations): string[] => [...known.all].map(({ oid, name }) => `${oid}:${name}`).toSorted();
  const asItWas = (one: LoadedRelation): LoadedRelation => one;

  it('are at a place of before what they were there, however often they were announced since', () => {
    const known = new KnownRelations();
    known.know(relation(1, 'a'));
    known.know(relation(2, 'b'));
    const { place } = known;
    for (const name of ['c', 'd']) known.know(relation(1, name));
    known.know(relation(3, 'e'));
    expect(names(known)).to.deep.equal(['1:d', '2:b', '3:e']);
    known.goBack(place, asItWas);
    expect(names(known)).to.deep.equal(['1:a', '2:b']);
    expect(known.place).to.equal(place);
  });

  it('all come with the routes of now', () => {
    const known = new KnownRelations();
    known.know(relation(1, 'a'));
    const { place } = known;
    known.know(relation(2, 'b'));
    known.goBack(place, ({ oid, name }) => relation(oid, `${name} again`));
    expect(names(known)).to.deep.equal(['1:a again']);
  });

  it('can be gone back to once others were passed, and again', () => {
    const known = new KnownRelations();
    const places = ['a', 'b', 'c'].map((name) => {
      known.know(relation(1, name));
      return known.place;
    });
    known.passed(places[1]!);
    known.goBack(places[1]!, asItWas);
    expect(names(known)).to.deep.equal(['1:b']);
    known.know(relation(1, 'd'));
    known.passed(places[1]!);
    known.goBack(places[1]!, asItWas);
    expect(names(known)).to.deep.equal(['1:b']);
  });
});
