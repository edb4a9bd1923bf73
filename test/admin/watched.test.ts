/** How often it is looked how far backfills are. */
import { expect } from 'chai';
import { type WatchDeps, watchBackfills } from '../../src/admin/watched.ts';

describe('a watch of backfills', () => {
  it('looks twice a second, and less often where a look takes long', async () => {
    let now = 0;
    const took = [10, 800, 20];
    const slept: number[] = [];
    const over = new AbortController();
    const query = async () => {
      now += took[slept.length]!;
      return { rows: [{ id: 'b', kind: 'table', state: 'running', rows_done: 0, reason: null }] };
    };
    const deps: WatchDeps = {
      db: { query } as unknown as WatchDeps['db'],
      now: () => now,
      async sleep(ms) {
        slept.push(ms);
        if (slept.length === took.length) over.abort();
      },
    };
    await watchBackfills(deps, { ids: ['b'], onLook: () => undefined }, over.signal);
    expect(slept).to.deep.equal([500, 3_200, 500]);
  });
});
