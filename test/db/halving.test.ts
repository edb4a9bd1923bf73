import { expect } from 'chai';
import { byHalves } from '../../src/db/halving.ts';

describe('halving', () => {
  const trying = async (items: readonly number[], isRefused: (item: number) => boolean) => {
    const asked: number[][] = [];
    const refused = await byHalves(items, async (part) => {
      asked.push([...part]);
      return !part.some(isRefused);
    });
    return { asked, refused };
  };

  it('asks once for a batch that is taken, and never for an empty one', async () => {
    expect(await trying([1, 2, 3], () => false)).to.deep.equal({ asked: [[1, 2, 3]], refused: [] });
    expect(await trying([], () => true)).to.deep.equal({ asked: [], refused: [] });
  });

  it('goes down to what is at fault, in order, and asks for nothing again that was taken', async () => {
    const { asked, refused } = await trying([1, 2, 3, 4, 5], (item) => item === 2 || item === 5);
    expect(refused).to.deep.equal([2, 5]);
    expect(asked).to.deep.equal([[1, 2, 3, 4, 5], [1, 2, 3], [1, 2], [1], [2], [3], [4, 5], [4], [5]]);
  });

  it('ends with the first error', async () => {
    const failing = byHalves([1, 2], async (part) => {
      if (part.length === 1) throw new Error('gone');
      return false;
    });
    expect(await failing.catch(String)).to.equal('Error: gone');
  });
});
