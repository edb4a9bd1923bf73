/** Places of entries: looked up some at a time, none left out and none twice, from wherever one goes on. */
import { expect } from 'chai';
import type { ChangeTable } from '../../../src/backfill/replay/change-table.ts';
import { FIRST, openPlaces, type Place } from '../../../src/backfill/replay/places.ts';
import type { Queryable } from '../../../src/db/pool.ts';

/** A change table that holds these places, and counts how often it is looked up. */
function tableOf(all: readonly Place[]): ChangeTable & { lookUps: number } {
  const table = {
    database: 'archive',
    schema: 'public',
    name: 'events',
    sourceDatabaseId: '',
    lookUps: 0,
    async read<Result>(_deadline: unknown, work: (tx: Queryable) => Promise<Result>): Promise<Result> {
      let left: { seq: number; id: number }[] = [];
      return await work({
        async query<Row>(sql: unknown, values: readonly unknown[] = []) {
          const text = String(sql);
          let rows: object[] = [];
          if (text.startsWith('declare')) {
            table.lookUps += 1;
            const [seq, id, limit] = values.slice(-3) as [number, number, number];
            const found = all.filter((place) => place[0] > seq || (place[0] === seq && place[1] > id));
            left = found.slice(0, limit).map(([one, other]) => ({ seq: one, id: other }));
          } else {
            rows = left.splice(0, Number(/fetch forward (\d+)/.exec(text)?.[1]));
          }
          return { rows: rows as Row[], rowCount: rows.length };
        },
      });
    },
    async close() {},
  };
  return table;
}

const SIGNAL = new AbortController().signal;
const PLACES: Place[] = Array.from({ length: 25 }, (_, n) => [100 + Math.floor(n / 2), n % 2 === 0 ? 50 + n : 10 + n]);
const SORTED = PLACES.toSorted((a, b) => a[0] - b[0] || a[1] - b[1]);

describe('places of a replay', () => {
  for (const atOnce of [1, 4, 24, 25, 26, 1_000]) {
    for (const count of [1, 3, 25, 100]) {
      it(`${atOnce} looked up at a time, ${count} taken: all of them, in order`, async () => {
        const table = tableOf(SORTED);
        const places = openPlaces(table, [], atOnce);
        const taken: Place[] = [];
        for (let at = FIRST, over = false; !over; ) {
          const { places: some, last } = await places.after(at, count, SIGNAL);
          expect(some.length).to.be.at.most(count);
          taken.push(...some);
          at = some.at(-1) ?? at;
          over = last;
          if (!last) expect(some.length).to.be.greaterThan(0);
        }
        expect(taken).to.deep.equal(SORTED);
        expect(table.lookUps).to.be.at.most(Math.floor(SORTED.length / atOnce) + 1);
      });
    }
  }

  it('go on after one that is not among those known, and again from the beginning', async () => {
    const table = tableOf(SORTED);
    const places = openPlaces(table, []);
    const middle = await places.after([105, 0], 2, SIGNAL);
    expect(middle.places).to.deep.equal(SORTED.filter(([seq]) => seq >= 105).slice(0, 2));
    expect((await places.after(FIRST, 3, SIGNAL)).places).to.deep.equal(SORTED.slice(0, 3));
    expect((await places.after(SORTED[10]!, 100, SIGNAL)).places).to.deep.equal(SORTED.slice(11));
    expect(table.lookUps).to.equal(2);
  });

  it('are none after the last one, and none in an empty table', async () => {
    expect(await openPlaces(tableOf(SORTED), []).after(SORTED.at(-1)!, 5, SIGNAL)).to.deep.equal({
      places: [],
      last: true,
    });
    expect(await openPlaces(tableOf([]), []).after(FIRST, 5, SIGNAL)).to.deep.equal({ places: [], last: true });
  });
});
