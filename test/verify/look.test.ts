import { expect } from 'chai';
import { judge, type Look, type Rules, volatileFields } from '../../src/verify/look.ts';

const ALL: Rules = { deleteOnLeave: true, inserts: true, updates: true, deletes: true };
const HERE = { kind: 'document', index: 'products', body: '{"id":1,"price":1.50}' } as const;
const row = (version: string, expected: NonNullable<Look['before']>['expected'] = HERE) => ({ version, expected });
const document = (source: string | undefined, version = '7.1') => ({ version, source });

const look = (changes: Partial<Look>): Look => ({
  index: 'products',
  before: row('a'),
  after: { version: 'a' },
  document: document('{"price":1.5,"id":1}'),
  seen: undefined,
  ...changes,
});
const kind = (changes: Partial<Look>, rules: Partial<Rules> = {}): string =>
  judge(look(changes), { ...ALL, ...rules }).kind;

describe('verify/look', () => {
  it('a document that is its row, however it is written, is fine', () => {
    expect(kind({})).to.equal('fine');
    expect(kind({ document: document(undefined) })).to.equal('fine');
  });

  it('a row that stayed as it was proves what is missing and what differs, by field', () => {
    expect(kind({ document: undefined })).to.equal('missing');
    expect(judge(look({ document: document('{"id":1,"price":2,"more":null}') }), ALL)).to.deep.equal({
      kind: 'different',
      fields: ['more', 'price'],
      reason: null,
    });
  });

  it('a row that changed, came or went meanwhile proves nothing', () => {
    for (const changes of [
      { after: { version: 'b' } },
      { after: undefined },
      { before: undefined, after: { version: 'a' } },
    ]) {
      expect(kind({ ...changes, document: undefined })).to.equal('again');
      expect(kind({ ...changes, document: document('{}') })).to.equal('again');
    }
  });

  it('a document without a row is left over when nobody wrote it since it was first seen', () => {
    const none = { before: undefined, after: undefined };
    expect(kind({ ...none, document: undefined })).to.equal('fine');
    expect(judge(look({ ...none, document: document('{}', '8.1') }), ALL)).to.deep.equal({
      kind: 'again',
      seen: '8.1',
    });
    expect(judge(look({ ...none, seen: '7.1', document: document('{}', '8.1') }), ALL)).to.deep.equal({
      kind: 'again',
      seen: '8.1',
    });
    expect(kind({ ...none, seen: '8.1', document: document('{}', '8.1') })).to.equal('extra');
  });

  it('a row that has no place here leaves no document here', () => {
    for (const expected of [{ kind: 'none' }, { ...HERE, index: 'elsewhere' }] as const) {
      expect(kind({ before: row('a', expected) })).to.equal('extra');
      expect(kind({ before: row('a', expected), document: undefined })).to.equal('fine');
    }
  });

  it('with filter_leave: keep, a row that left the filters may stay, one that moved may not', () => {
    expect(kind({ before: row('a', { kind: 'none' }) }, { deleteOnLeave: false })).to.equal('fine');
    expect(kind({ before: row('a', { ...HERE, index: 'b' }) }, { deleteOnLeave: false })).to.equal('extra');
  });

  it('a row on which a function fails is told with its reason, document or not', () => {
    const before = row('a', { kind: 'fault', reason: 'no' });
    for (const one of [undefined, document('{}')]) {
      expect(judge(look({ before, document: one }), ALL)).to.deep.equal({
        kind: 'different',
        fields: [],
        reason: 'no',
      });
    }
  });

  it('what comes of actions that the sink does not take is no drift', () => {
    expect(kind({ document: undefined }, { inserts: false })).to.equal('fine');
    expect(kind({ document: document('{}') }, { updates: false })).to.equal('fine');
    expect(kind({ before: undefined, after: undefined, seen: '7.1' }, { deletes: false })).to.equal('fine');
  });

  it('finds the fields that hang on more than the row', () => {
    const fields = volatileFields('{"a":1,"at":"x"}', { kind: 'document', index: 'i', body: '{"at":"y","a":1.0}' });
    expect([...fields!]).to.deep.equal(['at']);
    expect(volatileFields('{}', { kind: 'none' })).to.equal(undefined);
  });
});
