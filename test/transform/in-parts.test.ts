import { expect } from 'chai';
import { inParts } from '../../src/transform/in-parts.ts';

describe('a batch in parts', () => {
  /** Chunks of sizes; each item's result is as long as the item says. Notes what was under way, and the room it had. */
  const parts = (chunks: readonly (readonly number[])[], room: number, first = 0) => {
    let under = 0;
    const rooms: number[] = [];
    const seen = { most: 0, rooms };
    const run = async (chunk: readonly number[], own: { left: number }): Promise<number[]> => {
      under += own.left;
      seen.most = Math.max(seen.most, under);
      seen.rooms.push(own.left);
      const before = own.left;
      await new Promise((resolve) => setImmediate(resolve));
      const fits = chunk.findIndex((size) => {
        if (size > own.left) return true;
        own.left -= size;
        return false;
      });
      under -= before;
      return fits < 0 ? [...chunk] : chunk.slice(0, fits);
    };
    return { seen, results: inParts({ chunks, lengthOf: (chunk) => chunk.length, run }, room, first) };
  };

  it('has all results when there is room', async () => {
    const { results, seen } = parts([[1, 2], [3], [4, 5]], 100);
    expect(await results).to.deep.equal([1, 2, 3, 4, 5]);
    expect(seen.rooms).to.deep.equal([50, 25, 12.5]);
  });

  it('ends at the first that finds no room, and never gives more than there is', async () => {
    const { results, seen } = parts(
      [
        [10, 10],
        [10, 10],
        [10, 10],
        [10, 10],
      ],
      45,
    );
    const all = await results;
    expect(all.length).to.be.within(2, 4);
    expect(new Set(all)).to.deep.equal(new Set([10]));
    expect(seen.most).to.be.at.most(45);
  });

  it('gives the first chunk what one message may need', async () => {
    expect(await parts([[90], [1]], 100, 90).results).to.deep.equal([90, 1]);
    expect(await parts([[90], [1]], 80, 90).results).to.deep.equal([]);
  });

  it('fails when one of them does, and leaves no failure unheard', async () => {
    const run = (chunk: readonly number[]) => Promise.reject(new Error(`no ${chunk[0]}`));
    const caught = await inParts({ chunks: [[1], [2], [3]], lengthOf: () => 0, run }, 100, 0).catch((error) => error);
    expect(caught.message).to.equal('no 1');
  });
});
