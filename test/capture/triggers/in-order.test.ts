import { expect } from 'chai';
import { byTransaction, inOrder, Waiting } from '../../../src/capture/triggers/in-order.ts';
import type { ChangeRow } from '../../../src/source/read-changes.ts';

const row = (name: string, oldAt: number | null, newAt: number | null, leaf = 1) => ({
  name,
  leaf,
  oldAt: oldAt === null ? null : BigInt(oldAt),
  newAt: newAt === null ? null : BigInt(newAt),
});
const ordered = (...rows: ReturnType<typeof row>[]): string[] =>
  inOrder(rows, ({ leaf }) => leaf).map(({ name }) => name);

describe('noted changes in order', () => {
  it('stay as they were noted where no version was replaced before it was made', () => {
    expect(ordered(row('a', null, 1), row('b', 1, 2), row('c', null, 3), row('d', 2, null))).to.deep.equal([
      ...['a', 'b', 'c', 'd'],
    ]);
  });

  it('come after the change that made the version they replace', () => {
    // A statement that updates rows 1 and 2; for row 1 a trigger updates row 2 once more.
    expect(ordered(row('1', 1, 11), row('2 again', 12, 22), row('2', 2, 12))).to.deep.equal(['1', '2', '2 again']);
  });

  it('follow a chain of any length, told backwards', () => {
    const chain = Array.from({ length: 4_000 }, (_, n) => row(`${n}`, n, n + 1));
    expect(ordered(...chain.toReversed())).to.deep.equal(chain.map(({ name }) => name));
  });

  it('of two tables are not taken for each other, though versions lie at the same place', () => {
    expect(ordered(row('a', 1, 2, 1), row('b', 5, 1, 2))).to.deep.equal(['a', 'b']);
  });

  it('of transactions come in the order of their last changes', () => {
    const change = (xid: number, seq: number) => ({ xid: BigInt(xid), seq: BigInt(seq) }) as ChangeRow;
    const rows = [change(7, 1), change(5, 2), change(7, 3), change(6, 4), change(5, 5)];
    const seqs = byTransaction(rows).map((transaction) => transaction.map(({ seq }) => Number(seq)));
    expect(seqs).to.deep.equal([[1, 3], [4], [2, 5]]);
  });

  it('wait for what is noted in a later chunk, and what follows them waits too', () => {
    const waiting = new Waiting<ReturnType<typeof row> & { seq: bigint }>(({ leaf }) => leaf);
    const turns = (...rows: [number, ReturnType<typeof row>][]): string[] =>
      rows.flatMap(([seq, one]) => waiting.turn({ ...one, seq: BigInt(seq) }).map(({ name }) => name));
    waiting.learn(new Map([[2n, 9n]]));
    expect(turns([1, row('1', 1, 11)], [2, row('2 again', 12, 22)], [3, row('2 last', 22, 32)])).to.deep.equal(['1']);
    expect(turns([8, row('3', 3, 13)], [9, row('2', 2, 12)])).to.deep.equal(['3', '2', '2 again', '2 last']);
    expect(turns([10, row('2 gone', 32, null)])).to.deep.equal(['2 gone']);
  });
});
