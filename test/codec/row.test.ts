import { expect } from 'chai';
import { decode } from '../../src/capture/replication/decode.ts';
import { compileRelation, type RowCodec } from '../../src/codec/row.ts';
import type { RelationMessage, RowMessage } from '../../src/codec/row-message.ts';
import { insert, relation, remove, UNCHANGED_VALUE, update, type Value } from '../support/postgres/pgoutput.ts';

const OID = 7;
const COLUMNS = [
  { name: 'id', typeOid: 20, key: true },
  { name: 'na"me', typeOid: 25 },
  { name: 'body', typeOid: 25 },
  { name: 'at', typeOid: 1114 },
];

function codecOf(options: { keyColumns?: string[]; leaveOut?: string[]; keys?: string[] } = {}): RowCodec {
  const columns = COLUMNS.map((column) => ({
    ...column,
    key: options.keys?.includes(column.name) ?? column.key ?? false,
  }));
  const { keyColumns = ['id'], leaveOut = [] } = options;
  return compileRelation(new Map(), decode(relation(OID, 'd', columns)) as RelationMessage, { keyColumns, leaveOut });
}

const row = (bytes: Buffer) => decode(bytes) as RowMessage;
const ROW: Value[] = ['1', 'Ann', null, '2026-01-02 03:04:05'];
const BIG = 'x'.repeat(5_000);

describe('row codec', () => {
  it('insert: every column in its order, no changes', () => {
    const message = row(insert(OID, ROW));
    expect(codecOf().record(message)).to.equal('{"id":1,"na\\"me":"Ann","body":null,"at":"2026-01-02T03:04:05"}');
    expect(codecOf().changes(message)).to.equal(null);
    expect(codecOf().key(message)).to.deep.equal(['1']);
    expect(codecOf().oldKey(message)).to.equal(null);
    expect(codecOf().missing(message)).to.deep.equal([]);
  });

  it('update without an old row: changes are {}, the key is the same', () => {
    const message = row(update(OID, ROW));
    expect(codecOf().changes(message)).to.equal('{}');
    expect(codecOf().oldKey(message)).to.equal(null);
  });

  it('update with a full old row: old values of what changed, NULL on either side included', () => {
    const old: Value[] = ['1', null, 'gone', '2026-01-02 03:04:05'];
    const message = row(update(OID, ROW, { kind: 'O', values: old }));
    expect(codecOf().changes(message)).to.equal('{"na\\"me":null,"body":"gone"}');
    expect(codecOf().oldKey(message)).to.equal(null);
    const long = row(update(OID, ['1', null, `${BIG}b`, null], { kind: 'O', values: ['1', null, `${BIG}a`, null] }));
    expect(codecOf().changes(long)).to.equal(`{"body":"${BIG}a"}`);
    const same = row(update(OID, ['1', null, BIG, null], { kind: 'O', values: ['1', null, BIG, null] }));
    expect(codecOf().changes(same)).to.equal('{}');
  });

  it('update of the key with identity default: changes hold the old key alone', () => {
    const message = row(update(OID, ROW, { kind: 'K', values: ['0', null, null, null] }));
    expect(codecOf().changes(message)).to.equal('{"id":0}');
    expect(codecOf().oldKey(message)).to.deep.equal(['0']);
    expect(codecOf().key(message)).to.deep.equal(['1']);
  });

  it('delete: only what is known, never an invented null', () => {
    const byKey = row(remove(OID, 'K', ['1', null, null, null]));
    expect(codecOf().record(byKey)).to.equal('{"id":1}');
    expect(codecOf().key(byKey)).to.deep.equal(['1']);
    expect(codecOf().text(byKey, 1)).to.equal(undefined);
    const whole = row(remove(OID, 'O', ROW));
    expect(codecOf().record(whole)).to.equal('{"id":1,"na\\"me":"Ann","body":null,"at":"2026-01-02T03:04:05"}');
    expect(codecOf().text(whole, 2)).to.equal(null);
    expect(codecOf().changes(whole)).to.equal(null);
  });

  it('an unchanged TOASTed column comes from the full old row and has not changed', () => {
    const now: Value[] = ['1', 'Bob', UNCHANGED_VALUE, null];
    const message = row(update(OID, now, { kind: 'O', values: ['1', 'Ann', BIG, null] }));
    expect(codecOf().missing(message)).to.deep.equal([]);
    expect(codecOf().record(message)).to.equal(`{"id":1,"na\\"me":"Bob","body":"${BIG}","at":null}`);
    expect(codecOf().changes(message)).to.equal('{"na\\"me":"Ann"}');
  });

  it('an unchanged TOASTed column without an old row is named, taken when supplied, else left out', () => {
    const message = row(update(OID, ['1', 'Bob', UNCHANGED_VALUE, UNCHANGED_VALUE]));
    const codec = codecOf();
    expect(codec.missing(message)).to.deep.equal([2, 3]);
    expect(codec.columns[2]!.name).to.equal('body');
    expect(codec.record(message)).to.equal('{"id":1,"na\\"me":"Bob"}');
    const reread = new Map([
      [2, 'say "x"'],
      [3, null],
    ]);
    expect(codec.record(message, reread)).to.equal('{"id":1,"na\\"me":"Bob","body":"say \\"x\\"","at":null}');
    expect(codec.changes(message)).to.equal('{}');
  });

  it('an unchanged TOASTed key comes from the old key', () => {
    const codec = codecOf({ keyColumns: ['body', 'id'], keys: ['id', 'body'] });
    const message = row(
      update(OID, ['2', 'Bob', UNCHANGED_VALUE, null], { kind: 'K', values: ['1', null, BIG, null] }),
    );
    expect(codec.missing(message)).to.deep.equal([]);
    expect(codec.key(message)).to.deep.equal([BIG, '2']);
    expect(codec.oldKey(message)).to.deep.equal([BIG, '1']);
    expect(codec.changes(message)).to.equal('{"id":1}');
  });

  it('a key that the message does not tell is null, a table without one has none', () => {
    const message = row(remove(OID, 'K', ['1', null, null, null]));
    expect(codecOf({ keyColumns: ['na"me'] }).key(message)).to.equal(null);
    expect(codecOf({ keyColumns: [] }).key(message)).to.deep.equal([]);
    expect(codecOf({ keyColumns: [] }).oldKey(row(update(OID, ROW)))).to.equal(null);
  });

  it('columns left out are in no record, and the key is still known', () => {
    const codec = codecOf({ leaveOut: ['id', 'body'] });
    const message = row(update(OID, ['1', 'b', UNCHANGED_VALUE, null], { kind: 'K', values: ['0', null, null, null] }));
    expect(codec.record(message)).to.equal('{"na\\"me":"b","at":null}');
    expect(codec.changes(message)).to.equal('{}');
    expect(codec.missing(message)).to.deep.equal([]);
    expect(codec.key(message)).to.deep.equal(['1']);
  });

  it('picks columns', () => {
    expect(codecOf().pick(row(insert(OID, ROW)), [3, 0])).to.equal('{"at":"2026-01-02T03:04:05","id":1}');
    expect(codecOf().pick(row(remove(OID, 'K', ROW)), [3, 0])).to.equal('{"id":1}');
  });

  it('counts values that do not fit their type, and passes them as strings', () => {
    const codec = codecOf();
    expect(codec.record(row(insert(OID, ['one', 'a', null, null])))).to.contain('"id":"one"');
    expect(codec.misfits).to.equal(1);
  });

  it('refuses a key column that is not published, and a row that is not of its relation', () => {
    expect(() => codecOf({ keyColumns: ['nope'] })).to.throw('public.things: key column nope is not published');
    expect(() => codecOf().record(row(insert(OID, ['1'])))).to.throw('columns that its Relation message announced');
  });
});
