/** Windows of pages: what supersedes a row, what makes a page useless, and what its reader hears of it. */
import { expect } from 'chai';
import { type Page, StreamEndedError, Windows } from '../../src/capture/windows.ts';
import { JsonBytes } from '../../src/codec/json-bytes.ts';
import { countRow, emptyPending } from '../../src/routing/pending.ts';
import type { Snapshot } from '../../src/source/visibility.ts';

const ACTIONS = new Set(['insert', 'update', 'delete'] as const);
const PENDING = emptyPending(1, new JsonBytes());
const PLACE = {
  transaction: { commitLsn: 1n, committedAt: 0, annotations: null, xid: 7 },
  commitIdx: 0,
  maxRowBytes: 10,
};

const SEES_ALL: Snapshot = { next: 1_000, open: new Set() };

/** A page of these keys, which tells what of it is taken. */
function pageOf(keys: string[], taken: string[]): Page {
  return {
    put(_pending, { hasChanged }) {
      taken.push(...keys.filter((key) => !hasChanged(() => [key])));
      return taken.length;
    },
    progress: (count) => `progress ${count}`,
  };
}

describe('windows', () => {
  it('leave out the rows that changed since they were opened, by old key and new', async () => {
    const windows = new Windows();
    windows.changed(1, 'update', [['0']]);
    const window = windows.open({ oid: 1, actions: ACTIONS });
    expect([windows.watches(1), windows.watches(2)]).to.deep.equal([true, false]);
    windows.changed(1, 'insert', [['1'], []]);
    windows.changed(1, 'update', [['3'], ['2']]);
    windows.changed(2, 'update', [['4'], []]);
    const taken: string[] = [];
    window.fill(pageOf(['0', '1', '2', '3', '4'], taken), SEES_ALL);
    const placed = windows.reached(window.token, PENDING, PLACE);
    expect(taken).to.deep.equal(['0', '4']);
    expect(placed).to.include({ count: 2, sql: 'progress 2' });
    expect(windows.watches(1)).to.equal(false);
    placed!.persisted();
    expect(await window.result).to.equal('persisted');
    expect(windows.reached(window.token, PENDING, PLACE), 'a watermark counts once').to.equal(undefined);
  });

  it('note only the actions that the sink gets', () => {
    const windows = new Windows();
    const window = windows.open({ oid: 1, actions: new Set(['insert']) });
    windows.changed(1, 'delete', [['1']]);
    const taken: string[] = [];
    window.fill(pageOf(['1'], taken), SEES_ALL);
    windows.reached(window.token, PENDING, PLACE);
    expect(taken).to.deep.equal(['1']);
  });

  it('leave no row out for a change that comes again, unless the page does not see it', async () => {
    const windows = new Windows();
    const open = () => windows.open({ oid: 1, actions: ACTIONS });
    const [seeing, early, late] = [open(), open(), open()];
    windows.repeated(1, 70);
    const taken: string[] = [];
    seeing.fill(pageOf(['1'], taken), SEES_ALL);
    early.fill(pageOf(['2'], taken), { next: 1_000, open: new Set([70]) });
    late.fill(pageOf(['3'], taken), { next: 70, open: new Set() });
    for (const { token } of [seeing, early, late]) windows.reached(token, PENDING, PLACE)?.persisted();
    expect(await Promise.all([seeing.result, early.result, late.result])).to.deep.equal([
      'persisted',
      'again',
      'again',
    ]);
    expect(taken).to.deep.equal(['1']);
  });

  for (const [what, happens] of [
    ['a truncate', (windows: Windows) => windows.truncated(1)],
    ['a change that does not tell its key', (windows: Windows) => windows.changed(1, 'delete', [null])],
    [
      'too many changes',
      (windows: Windows) => {
        for (let n = 0; n <= 200_000; n++) windows.changed(1, 'update', [[String(n)]]);
      },
    ],
  ] as const) {
    it(`have the page read again after ${what}`, async () => {
      const windows = new Windows();
      const window = windows.open({ oid: 1, actions: ACTIONS });
      happens(windows);
      window.fill(pageOf(['1'], []), SEES_ALL);
      expect(windows.reached(window.token, PENDING, PLACE)).to.equal(undefined);
      expect(await window.result).to.equal('again');
    });
  }

  it('have a page read again that does not want to be put, or was not there', async () => {
    const windows = new Windows();
    const [stale, empty] = [windows.open({ oid: 1, actions: ACTIONS }), windows.open({ oid: 1, actions: ACTIONS })];
    stale.fill({ put: () => undefined, progress: () => '' }, SEES_ALL);
    for (const { token } of [stale, empty]) expect(windows.reached(token, PENDING, PLACE)).to.equal(undefined);
    expect(await Promise.all([stale.result, empty.result])).to.deep.equal(['again', 'again']);
  });

  it('tell the reader of a page that cannot be put, keep nothing of it, and go on', async () => {
    const windows = new Windows();
    const [bad, good] = [windows.open({ oid: 1, actions: ACTIONS }), windows.open({ oid: 1, actions: ACTIONS })];
    const fault = new Error('half of it is there');
    const put: Page['put'] = (pending) => {
      countRow(pending, 1, 10);
      throw fault;
    };
    bad.fill({ put, progress: () => '' }, SEES_ALL);
    expect(windows.reached(bad.token, PENDING, PLACE)).to.equal(undefined);
    expect(await bad.result.catch((error: unknown) => error)).to.equal(fault);
    expect([PENDING.rows, PENDING.sinks.size]).to.deep.equal([0, 0]);
    good.fill(pageOf(['1'], []), SEES_ALL);
    expect(windows.reached(good.token, PENDING, PLACE)).to.include({ count: 1 });
  });

  it('know a snapshot that does not see what had come before they were opened', () => {
    const windows = new Windows();
    windows.passed(100);
    const window = windows.open({ oid: 1, actions: ACTIONS });
    windows.passed(101);
    const misses = (next: number, ...open: number[]): boolean => window.misses({ next, open: new Set(open) });
    expect([misses(102, 100), misses(102, 101), misses(102)]).to.deep.equal([true, false, false]);
    expect([misses(100), misses(101), misses(2 ** 32 - 5)], 'the newest is not listed').to.deep.equal([
      true,
      false,
      true,
    ]);
    for (let xid = 200; xid < 200 + 16_384; xid++) windows.passed(xid);
    expect(misses(100_000, 100), 'long ago').to.equal(false);
  });

  it('know that a snapshot may not see what came in the session before', () => {
    const windows = new Windows();
    const mayMiss = (...open: number[]): boolean =>
      windows.open({ oid: 1, actions: ACTIONS }).mayMiss({ next: 200, open: new Set(open) });
    expect(mayMiss(100), 'no commit waits for a standby').to.equal(false);
    windows.beginAt(101);
    expect([mayMiss(), mayMiss(101), mayMiss(100)]).to.deep.equal([false, false, true]);
  });

  it('end with their session: nobody waits for ever, nothing is opened any more', async () => {
    const windows = new Windows();
    const [open, placed] = [windows.open({ oid: 1, actions: ACTIONS }), windows.open({ oid: 1, actions: ACTIONS })];
    placed.fill(pageOf(['1'], []), SEES_ALL);
    windows.reached(placed.token, PENDING, PLACE);
    windows.end(new Error('lost'));
    for (const { result } of [open, placed]) {
      expect(await result.catch((error: unknown) => error)).to.be.instanceOf(StreamEndedError);
    }
    expect(() => windows.open({ oid: 1, actions: ACTIONS })).to.throw(StreamEndedError);
  });
});
