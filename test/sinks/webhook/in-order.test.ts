import { expect } from 'chai';
import fc from 'fast-check';
import { inOrder } from '../../../src/sinks/webhook/in-order.ts';

/** Ends what runs in the order that `choose` says, and tells what was begun and ended. */
async function played(groups: number[][], parallel: number, choose: (running: number[]) => number) {
  const events: string[] = [];
  const running = new Map<number, () => void>();
  let most = 0;
  const works = groups.map((of, work) => ({ work, groups: [...new Set(of)] }));
  const all = inOrder(works, { parallel, mayBegin: () => true }, async (work) => {
    events.push(`+${work}`);
    await new Promise<void>((resolve) => running.set(work, resolve));
    events.push(`-${work}`);
  });
  let isOver = false;
  void all.then(() => {
    isOver = true;
  });
  while (!isOver) {
    await new Promise((resolve) => setImmediate(resolve));
    most = Math.max(most, running.size);
    const next = [...running.keys()][choose([...running.keys()])];
    if (next === undefined) continue;
    running.get(next)!();
    running.delete(next);
  }
  return { events, most };
}

describe('works in the order of their groups', () => {
  it('each begins after every earlier one of its groups has ended, all are done, and no more at once than may', async () => {
    const groups = fc.array(fc.array(fc.integer({ min: 1, max: 4 }), { maxLength: 3 }), { maxLength: 15 });
    await fc.assert(
      fc.asyncProperty(groups, fc.integer({ min: 1, max: 4 }), fc.nat(), async (all, parallel, seed) => {
        let turn = seed;
        const { events, most } = await played(all, parallel, (running) => {
          turn = (turn * 31 + 7) % 1_000_003;
          return turn % running.length;
        });
        expect(most).to.be.at.most(parallel);
        expect(events.filter((event) => event.startsWith('-'))).to.have.length(all.length);
        all.forEach((mine, work) => {
          all.slice(0, work).forEach((theirs, earlier) => {
            if (!mine.some((group) => theirs.includes(group))) return;
            expect(events.indexOf(`-${earlier}`)).to.be.lessThan(events.indexOf(`+${work}`));
          });
        });
      }),
      { numRuns: 60 },
    );
  });

  it('begins the earliest that may begin, and those of other groups beside it', async () => {
    const { events } = await played([[1], [1], [1], [2], []], 2, () => 0);
    expect(events.filter((event) => event.startsWith('+'))).to.deep.equal(['+0', '+3', '+1', '+4', '+2']);
  });

  it('begins nothing more when it may not, and waits for what was begun', async () => {
    let begun = 0;
    let ended = 0;
    const works = Array.from({ length: 10 }, (_, work) => ({ work, groups: [] }));
    await inOrder(works, { parallel: 3, mayBegin: () => begun < 3 }, async () => {
      begun += 1;
      await new Promise((resolve) => setImmediate(resolve));
      ended += 1;
    });
    expect([begun, ended]).to.deep.equal([3, 3]);
  });
});
