import { expect } from 'chai';
import { createByteBudget, LEAST_BYTES, type Share } from '../../../src/runtime/concurrency/byte-budget.ts';

const never = new AbortController().signal;

describe('the read budget of a worker', () => {
  /** Takes, and notes who got a share and when. */
  const taking = (budget: ReturnType<typeof createByteBudget>) => {
    const got = new Map<string, Share>();
    const take = (name: string, bytes: number, signal = never) => {
      budget.take(bytes, signal).then(
        (share) => share && got.set(name, share),
        () => undefined,
      );
    };
    const turn = async (): Promise<string[]> => {
      await new Promise((resolve) => setImmediate(resolve));
      return [...got.keys()];
    };
    return { got, take, turn };
  };

  it('gives what there is, and lets the next one wait until something is given back', async () => {
    const budget = createByteBudget(100);
    const { got, take, turn } = taking(budget);
    take('a', 60);
    take('b', 40);
    take('c', 1);
    expect(await turn()).to.deep.equal(['a', 'b']);
    got.get('a')!.release();
    got.get('a')!.release();
    expect(await turn()).to.deep.equal(['a', 'b', 'c']);
    expect(budget.used).to.equal(41);
  });

  it('gives one that is slow no less than what is of use to it', async () => {
    const budget = createByteBudget(16 * LEAST_BYTES);
    await budget.take(8 * LEAST_BYTES, never);
    const by = { owner: 1, slow: true };
    expect((await budget.take(4 * LEAST_BYTES, never, by))!.bytes).to.equal(LEAST_BYTES);
    const other = { owner: 2, slow: true, leastBytes: 3 * LEAST_BYTES };
    expect((await budget.take(4 * LEAST_BYTES, never, other))!.bytes).to.equal(3 * LEAST_BYTES);
    const large = { owner: 3, slow: true, leastBytes: 6 * LEAST_BYTES };
    budget.take(6 * LEAST_BYTES, never, large).then(
      (share) => share?.release(),
      () => undefined,
    );
    expect(budget.used).to.equal(12 * LEAST_BYTES);
  });

  it('gives at once what need not be waited for, and nothing while somebody waits', async () => {
    const budget = createByteBudget(100);
    const { got, take, turn } = taking(budget);
    const first = budget.tryTake(60)!;
    expect(first.bytes).to.equal(60);
    expect(budget.tryTake(41)).to.equal(undefined);
    take('large', 90);
    expect(await turn()).to.deep.equal([]);
    expect(budget.tryTake(1)).to.equal(undefined);
    first.release();
    expect(await turn()).to.deep.equal(['large']);
    got.get('large')!.release();
    const one = { owner: 1, slow: false, leastBytes: 1 };
    const half = [budget.tryTake(25, one)!, budget.tryTake(25, one)!];
    expect(budget.tryTake(1, one)).to.equal(undefined);
    expect(budget.tryTake(25, { ...one, owner: 2 })?.release()).to.equal(undefined);
    expect(budget.used).to.equal(50);
    for (const share of half) share.release();
    expect(budget.used).to.equal(0);
  });

  it('passes nobody who waits, however little the next one wants', async () => {
    const { got, take, turn } = taking(createByteBudget(100));
    take('a', 60);
    take('large', 90);
    take('small', 1);
    expect(await turn()).to.deep.equal(['a']);
    got.get('a')!.release();
    expect(await turn()).to.deep.equal(['a', 'large', 'small']);
  });

  it('lets one go that needs more than there is, alone', async () => {
    const { got, take, turn } = taking(createByteBudget(100));
    take('a', 1);
    take('huge', 1_000);
    take('b', 1);
    expect(await turn()).to.deep.equal(['a']);
    got.get('a')!.release();
    expect(await turn()).to.deep.equal(['a', 'huge']);
    got.get('huge')!.release();
    expect(await turn()).to.deep.equal(['a', 'huge', 'b']);
  });

  it('counts what was really read, also when that is more', async () => {
    const budget = createByteBudget(100);
    const { got, take, turn } = taking(budget);
    take('a', 50);
    await turn();
    got.get('a')!.resize(150);
    take('b', 1);
    expect(await turn()).to.deep.equal(['a']);
    got.get('a')!.resize(10);
    expect(await turn()).to.deep.equal(['a', 'b']);
    got.get('a')!.release();
    got.get('a')!.resize(70);
    expect(budget.used).to.equal(1);
  });

  it('lets whoever is stopped leave, and those behind it go on', async () => {
    const budget = createByteBudget(100);
    const { take, turn } = taking(budget);
    const stop = new AbortController();
    take('a', 60);
    take('large', 90, stop.signal);
    take('b', 40);
    expect(await turn()).to.deep.equal(['a']);
    stop.abort();
    expect(await turn()).to.deep.equal(['a', 'b']);
    expect(await budget.take(1, stop.signal)).to.equal(undefined);
    expect(budget.used).to.equal(100);
  });

  describe('for many sinks, of which some are slow', () => {
    const TOTAL = 24 * 1024 * 1024;
    const MB = 1024 * 1024;

    it('gives one sink a quarter, and its waiting lanes are in nobody’s way', async () => {
      const budget = createByteBudget(TOTAL);
      const first = (await budget.take(4 * MB, never, { owner: 1, slow: false }))!;
      const second = budget.take(4 * MB, never, { owner: 1, slow: false });
      const other = await budget.take(4 * MB, never, { owner: 2, slow: false });
      expect([budget.used, other?.bytes]).to.deep.equal([8 * MB, 4 * MB]);
      first.resize(2 * MB);
      expect((await second)?.bytes).to.equal(4 * MB);
    });

    it('gives a sink no more at once, and counts one large message as what it is', async () => {
      const budget = createByteBudget(TOTAL);
      const share = (await budget.take(16 * MB, never, { owner: 1, slow: false }))!;
      expect(share.bytes).to.equal(6 * MB);
      share.resize(16 * MB);
      expect(budget.used).to.equal(16 * MB);
    });

    it('keeps something for one that is quick while forty lanes keep what they have', async () => {
      const budget = createByteBudget(TOTAL);
      for (let lane = 0; lane < 40; lane += 1) {
        const kept = await budget.take(8 * MB, never, { owner: lane, slow: true });
        // What was read: all that was allowed.
        expect(kept?.bytes).to.equal(lane < 2 ? 6 * MB : LEAST_BYTES);
      }
      const quick = await budget.take(2 * MB, never, { owner: 100, slow: false });
      expect(quick?.bytes).to.equal(2 * MB);
    });
  });
});
