import { expect } from 'chai';
import { byTransaction, inOrder, keepSome, Waiting } from '../../../src/capture/triggers/in-order.ts';
import type { ChangeRow } from '../../../src/source/noted-rows.ts';

/** A version's text is its place, unless it is given. */
const row = (
  name: string,
  oldAt: number | null,
  newAt: number | null,
  other: { store?: string; old?: string; new?: string; op?: ChangeRow['op'] } = {},
) => ({
  name,
  store: other.store ?? 'rows',
  op: other.op ?? ('U' as const),
  old: oldAt === null ? null : Buffer.from(other.old ?? `${oldAt}`),
  new: newAt === null ? null : Buffer.from(other.new ?? `${newAt}`),
  oldAt: oldAt === null ? null : BigInt(oldAt),
  newAt: newAt === null ? null : BigInt(newAt),
});
const ordered = (...rows: ReturnType<typeof row>[]): string[] =>
  inOrder(rows, ({ store }) => store).map(({ name }) => name);

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
    expect(ordered(row('a', 1, 2), row('b', 5, 1, { store: 'others' }))).to.deep.equal(['a', 'b']);
  });

  it('are not taken for each other where a place was given once more', () => {
    const emptied = row('emptied', null, null, { op: 'T' });
    expect(ordered(row('gone', 1, null), emptied, row('back', null, 1))).to.deep.equal(['gone', 'emptied', 'back']);
    // Written anew in between, as `cluster` does.
    expect(ordered(row('first', 1, 2), row('second', 7, 1, { old: '2', new: 'x' }))).to.deep.equal(['first', 'second']);
    const again = [row('a', null, 1), row('b', 1, 2), row('c', 2, 3), row('d', 1, 2, { old: '3' })];
    expect(ordered(...again)).to.deep.equal(['a', 'b', 'c', 'd']);
  });

  it('of a row that was too large are told apart by the place alone', () => {
    const large = row('large', 12, 22, { op: 'u', old: 'key' });
    expect(ordered(large, row('made', 2, 12))).to.deep.equal(['made', 'large']);
  });

  it('of transactions come in the order of their last changes', () => {
    const change = (xid: number, seq: number) => ({ xid: BigInt(xid), seq: BigInt(seq) }) as ChangeRow;
    const rows = [change(7, 1), change(5, 2), change(7, 3), change(6, 4), change(5, 5)];
    const seqs = byTransaction(rows).map((transaction) => transaction.map(({ seq }) => Number(seq)));
    expect(seqs).to.deep.equal([[1, 3], [4], [2, 5]]);
  });

  it('wait for what is noted in a later chunk, and what follows them waits too', () => {
    const waiting = new Waiting<ReturnType<typeof row> & { seq: bigint }>(({ store }) => store, {
      keep: (row) => row,
      free: () => undefined,
    });
    const turns = (...rows: [number, ReturnType<typeof row>][]): string[] =>
      rows.flatMap(([seq, one]) => waiting.turn({ ...one, seq: BigInt(seq) }).map(({ name }) => name));
    waiting.learn(new Map([[2n, 9n]]));
    expect(turns([1, row('1', 1, 11)], [2, row('2 again', 12, 22)], [3, row('2 last', 22, 32)])).to.deep.equal(['1']);
    expect(turns([8, row('3', 3, 13)], [9, row('2', 2, 12)])).to.deep.equal(['3', '2', '2 again', '2 last']);
    expect(turns([10, row('2 gone', 32, null)])).to.deep.equal(['2 gone']);
  });

  it('keep their texts while they wait, up to so many bytes of all', () => {
    const change = (seq: number, bytes: number): ChangeRow => ({
      ...{ seq: BigInt(seq), xid: 1n, madeAt: 0, rel: 1, shape: 1n, op: 'U', oldAt: 1n, newAt: 2n },
      ...{ old: Buffer.alloc(bytes), new: null },
    });
    const { keep, free } = keepSome(100);
    const [first, second, third] = [change(1, 60), change(2, 60), change(3, 40)].map(keep);
    const texts = [first, second, third].map((kept) => kept!.old?.length ?? kept!.isLeft);
    expect(texts).to.deep.equal([60, true, 40]);
    free(second!);
    expect(keep(change(4, 60)).isLeft).to.equal(true);
    free(first!);
    expect(keep(change(5, 60)).old).to.have.length(60);
  });
});
