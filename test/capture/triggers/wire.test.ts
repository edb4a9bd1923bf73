import { expect } from 'chai';
import { decode } from '../../../src/capture/replication/decode.ts';
import {
  beginMessage,
  commitMessage,
  layoutOf,
  logicalMessage,
  rowMessage,
  truncateMessage,
} from '../../../src/capture/triggers/wire.ts';
import { JsonBytes } from '../../../src/codec/json-bytes.ts';
import type { ChangeRow } from '../../../src/source/noted-rows.ts';
import type { Shape } from '../../../src/source/read-changes.ts';

const column = (name: string, more: Partial<Shape['columns'][number]> = {}): Shape['columns'][number] => ({
  ...{ name, type: 25, typmod: -1, key: false, stored: false, virtual: false },
  ...more,
});
const shape = (...columns: Shape['columns']): Shape => ({
  ...{ schema: 'public', name: 'things', rel: 8, leaf: 9 },
  columns,
});
const change = (op: ChangeRow['op'], texts: { old?: string; new?: string }): ChangeRow => ({
  ...{ seq: 1n, xid: 5n, madeAt: 0, rel: 8, shape: 1n, op, oldAt: null, newAt: null },
  old: texts.old === undefined ? null : Buffer.from(texts.old),
  new: texts.new === undefined ? null : Buffer.from(texts.new),
});
const ALL = { first: undefined, generated: true };

function texts(bytes: Buffer | undefined, which: 'old' | 'new' = 'new'): (string | null)[] | undefined {
  if (!bytes) return undefined;
  const message = decode(bytes);
  const tuple = 'oid' in message && which in message ? Reflect.get(message, which) : undefined;
  const { bytes: held, ranges } = tuple as { bytes: Buffer; ranges: number[] };
  return Array.from({ length: ranges.length / 2 }, (_, n) =>
    ranges[n * 2]! < 0 ? null : held.toString('utf8', ranges[n * 2]!, ranges[n * 2 + 1]!),
  );
}

describe('noted changes as messages of the stream', () => {
  it('are transactions that follow one another', () => {
    expect(decode(beginMessage(77n, 1_700_000_000_123_456, 2n ** 32n + 9n))).to.deep.equal({
      ...{ tag: 'begin', commitLsn: 77n, commitMicros: 1_700_000_000_123_456, xid: 9 },
    });
    expect(decode(commitMessage(77n, 946_684_799_999_999))).to.deep.equal({
      ...{ tag: 'commit', commitLsn: 77n, endLsn: 78n, commitMicros: 946_684_799_999_999 },
    });
    expect(decode(truncateMessage(8))).to.deep.equal({ tag: 'truncate', oids: [8] });
    expect(decode(logicalMessage('millrace:page', 'ü'))).to.deep.equal({
      ...{ tag: 'message', transactional: true, lsn: 0n, prefix: 'millrace:page', content: Buffer.from('ü') },
    });
  });

  it('have what the output functions print, whatever quotes and backslashes are in it', () => {
    const layout = layoutOf(8, shape(column('a'), column('b'), column('c'), column('d')), ALL);
    const noted = change('U', { old: '("","a ""b""",,"(1,""x"")")', new: '(a,"c\\\\d",",","\n")' });
    const message = rowMessage(new JsonBytes(), noted, layout);
    expect(texts(message, 'old')).to.deep.equal(['', 'a "b"', null, '(1,"x")']);
    expect(texts(message)).to.deep.equal(['a', 'c\\d', ',', '\n']);
  });

  it('tell which columns are the key, and that old rows are whole', () => {
    const { relation } = layoutOf(8, shape(column('a'), column('id', { key: true, type: 23 })), ALL);
    expect(decode(relation)).to.deep.include({
      ...{ tag: 'relation', oid: 8, schema: 'public', name: 'things', identity: 'full' },
      columns: [
        { name: 'a', typeOid: 25, typmod: -1, key: true },
        { name: 'id', typeOid: 23, typmod: -1, key: true, primary: true },
      ],
    });
  });

  it('bring names as the bytes that they are', () => {
    const { relation } = layoutOf(8, shape(column('gr\u00f6\u00dfe')), ALL);
    const message = decode(relation, (bytes) => Buffer.from(new TextDecoder('windows-1252').decode(bytes)));
    expect('columns' in message && message.columns[0]!.name).to.equal('größe');
    const { relation: inUtf8 } = layoutOf(8, shape(column(Buffer.from('größe').toString('latin1'))), ALL);
    const plain = decode(inUtf8);
    expect('columns' in plain && plain.columns[0]!.name).to.equal('größe');
  });

  it('of partitions with their columns in another order look alike', () => {
    const first = shape(column('id'), column('a'));
    const [one, other] = [
      layoutOf(8, first, { ...ALL, first }),
      layoutOf(8, shape(column('a'), column('id')), { ...ALL, first }),
    ];
    expect(other.relation).to.deep.equal(one.relation);
    expect(texts(rowMessage(new JsonBytes(), change('I', { new: '(x,1)' }), other))).to.deep.equal(['1', 'x']);
  });

  it('of a partition have the order of its table', () => {
    const first = shape(column('id'), column('a'));
    const partition = { ...shape(column('a'), column('id'), column('s', { stored: true })), order: ['id', 's', 'a'] };
    const layout = layoutOf(8, partition, { ...ALL, first });
    expect(texts(rowMessage(new JsonBytes(), change('I', { new: '(x,1,2)' }), layout))).to.deep.equal(['1', '2', 'x']);
    // The table has another column by now.
    const former = layoutOf(8, { ...partition, order: ['id', 'a', 'new'] }, { ...ALL, first: undefined });
    expect(texts(rowMessage(new JsonBytes(), change('I', { new: '(x,1,2)' }), former))).to.deep.equal(['x', '1', '2']);
  });

  it('leave out generated columns that a backfill does not bring', () => {
    const columns = shape(column('a'), column('s', { stored: true }), column('v', { virtual: true }));
    const noted = change('I', { new: '(1,2,)' });
    expect(texts(rowMessage(new JsonBytes(), noted, layoutOf(8, columns, ALL)))).to.deep.equal(['1', '2']);
    expect(texts(rowMessage(new JsonBytes(), noted, layoutOf(8, columns, { ...ALL, generated: false })))).to.deep.equal(
      ['1'],
    );
  });

  it('are announced anew where a column comes, or gets another name, that is not sent: it is computed', () => {
    const marks = ['s', 'renamed', 's'].map((name, n) => {
      const columns = shape(
        column('a'),
        column(name, { stored: true }),
        ...(n === 2 ? [column('t', { stored: true })] : []),
      );
      return layoutOf(8, columns, { ...ALL, generated: false });
    });
    expect(new Set(marks.map(({ relation }) => relation.toString('latin1'))).size).to.equal(1);
    expect(new Set(marks.map(({ mark }) => mark)).size).to.equal(3);
  });

  it('of tables with one column, or none, are told apart', () => {
    expect(
      texts(rowMessage(new JsonBytes(), change('I', { new: '()' }), layoutOf(8, shape(column('a')), ALL))),
    ).to.deep.equal([null]);
    expect(texts(rowMessage(new JsonBytes(), change('I', { new: '()' }), layoutOf(8, shape(), ALL)))).to.deep.equal([]);
  });

  it('are none where a row does not have the fields that it should, or is no row at all', () => {
    const layout = layoutOf(8, shape(column('a'), column('b')), ALL);
    for (const text of ['(1)', '(1,2,3)', '', '(1,2', 'x', '("1,2)'])
      expect(rowMessage(new JsonBytes(), change('D', { old: text }), layout), text).to.equal(undefined);
    expect(rowMessage(new JsonBytes(), change('U', { new: '(1,2)' }), layout)).to.equal(undefined);
  });
});
