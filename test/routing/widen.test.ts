/** Rows and Relation messages that are widened by columns that are computed, and copies of changes that wait for their values. */
import { expect } from 'chai';
import { compileRelation } from '../../src/codec/row.ts';
import type { RelationMessage, UpdateMessage } from '../../src/codec/row-message.ts';
import { tupleOf } from '../../src/codec/tuple.ts';
import { wantedOf, widenRelation, widenRow, withComputed } from '../../src/routing/widen.ts';
import { copyOf } from '../../src/routing/write-change.ts';
import type { GeneratedColumn } from '../../src/source/generated.ts';

const INT = 23;
const column = (name: string, key = false) => ({ name, typeOid: INT, typmod: -1, key });
const RELATION: RelationMessage = {
  ...{ tag: 'relation', oid: 7, schema: 'public', name: 't', identity: 'full' },
  columns: [column('id', true), column('a', true)],
};
const now = (...names: string[]) => ({
  columns: names.map((name, place) => ({ number: place + 1, name, typeOid: INT, generated: name.startsWith('g') })),
  key: ['id'],
  known: null,
});
const generated = (name: string, also: Partial<GeneratedColumn> = {}): GeneratedColumn => ({
  ...{ oid: 7, name, expression: 1, typeOid: INT, typmod: -1, type: 'integer', since: null },
  ...{ inKey: false, inIndex: false, why: null, sql: 'a' },
  inputs: [{ name: 'a', type: 'integer', collation: null }],
  ...also,
});
const update = (old: string[], values: string[]): UpdateMessage => ({
  ...{ tag: 'update', oid: 7, oldKind: 'full' },
  old: tupleOf(old),
  new: tupleOf(values),
});

describe('columns that are computed', () => {
  const load = (columns: GeneratedColumn[], ...names: string[]) => {
    const { message, computed } = widenRelation(RELATION, columns, now(...names));
    return { message, computed, codec: compileRelation(new Map(), message, { keyColumns: ['id'] }) };
  };

  it('have their places among the others', () => {
    const { message, computed } = load(
      [generated('g1'), generated('g2'), generated('g3')],
      'g1',
      'id',
      'g2',
      'a',
      'g3',
    );
    expect(message.columns.map(({ name }) => name)).to.deep.equal(['g1', 'id', 'g2', 'a', 'g3']);
    expect(computed.map(({ index, inputs }) => [index, ...inputs])).to.deep.equal([
      [0, 3],
      [2, 3],
      [4, 3],
    ]);
  });

  it('are left alone where they came with the message, do not qualify, or are made of a column that it does not have', () => {
    const input = { name: 'b', type: 'integer', collation: null };
    const columns = [generated('a'), generated('g1', { why: 'it uses f' }), generated('g2', { inputs: [input] })];
    const { message, computed } = load(columns, 'id', 'a', 'b', 'g1', 'g2');
    expect(message.columns).to.deep.equal(RELATION.columns);
    expect(computed).to.deep.equal([]);
  });

  it('are not known until they are computed, and then a part of the row', () => {
    const { codec, computed } = load([generated('g')], 'id', 'g', 'a');
    const message = widenRow(update(['1', '2'], ['1', '3']), computed);
    expect(codec.record(message)).to.equal('{"id":1,"a":3}');
    expect(codec.missing(message)).to.deep.equal([1]);
    expect(codec.changes(message)).to.equal('{"a":2}');
    const whole = withComputed(message, { now: new Map([[1, '30']]), before: new Map([[1, '20']]) });
    expect(codec.record(whole)).to.equal('{"id":1,"g":30,"a":3}');
    expect(codec.changes(whole)).to.equal('{"g":20,"a":2}');
    expect(codec.missing(whole)).to.deep.equal([]);
  });

  it('never have the old value for the new one', () => {
    const { codec, computed } = load([generated('g')], 'id', 'a', 'g');
    const message = withComputed(widenRow(update(['1', '2'], ['1', '3']), computed), { before: new Map([[2, '20']]) });
    expect(codec.record(message)).to.equal('{"id":1,"a":3}');
    expect(codec.changes(message)).to.equal('{"a":2}');
  });

  it('are not known in changes of earlier transactions than the one that gave them their expression', () => {
    const relation = load([generated('g', { since: 0xffff_fff0 })], 'id', 'a', 'g');
    const message = widenRow(update(['1', '2'], ['1', '3']), relation.computed);
    expect(wantedOf(relation, message, 0xffff_ffef)).to.deep.equal([]);
    for (const xid of [0xffff_fff0, 5]) expect(wantedOf(relation, message, xid)).to.have.length(2);
  });
});

describe('the copy of a change', () => {
  it('has its own bytes, of both rows, whether they came together or apart', () => {
    const apart = update(['1', 'old'], ['1', 'new row']);
    const bytes = Buffer.concat([apart.new.bytes, apart.old!.bytes]);
    const shift = apart.new.bytes.length;
    const together = {
      ...apart,
      new: { ...apart.new, bytes },
      old: { ...apart.old!, bytes, ranges: apart.old!.ranges.map((at) => at + shift) },
    };
    const texts = RELATION.columns.map((one) => ({ ...one, typeOid: 25 }));
    const codec = compileRelation(new Map(), { ...RELATION, columns: texts }, { keyColumns: ['id'] });
    for (const message of [apart, together]) {
      const copy = copyOf(message);
      expect(codec.record(copy)).to.equal('{"id":"1","a":"new row"}');
      expect(codec.changes(copy)).to.equal('{"a":"old"}');
    }
    const copy = copyOf(together);
    bytes.fill(0);
    expect(codec.changes(copy)).to.equal('{"a":"old"}');
  });
});
