import { expect } from 'chai';
import fc from 'fast-check';
import { decode } from '../../../src/capture/replication/decode.ts';
import { NULL_VALUE, type Tuple, UNCHANGED } from '../../../src/codec/tuple.ts';
import { MillraceError } from '../../../src/model/errors.ts';
import {
  cstring,
  insert,
  int32,
  int64,
  message,
  relation,
  remove,
  tuple,
  UNCHANGED_VALUE,
  update,
} from '../../support/postgres/pgoutput.ts';

const MICROS_2000 = 946_684_800_000_000;

function texts({ bytes, ranges }: Tuple): (string | number)[] {
  const values: (string | number)[] = [];
  for (let i = 0; i < ranges.length; i += 2) {
    const start = ranges[i]!;
    values.push(start < 0 ? start : bytes.toString('utf8', start, ranges[i + 1]));
  }
  return values;
}

function refused(bytes: Buffer): MillraceError {
  try {
    decode(bytes);
  } catch (error) {
    expect(error).to.be.instanceOf(MillraceError);
    return error as MillraceError;
  }
  throw new Error('it was accepted');
}

describe('decode', () => {
  it('begin and commit, with positions beyond 2^53 and microseconds', () => {
    const lsn = 0xfedc_ba98_7654_3210n;
    expect(
      decode(message('B', int64(BigInt.asIntN(64, lsn)), int64(812_345_678_901_234n), int32(4_000_000_000))),
    ).to.deep.equal({
      tag: 'begin',
      commitLsn: lsn,
      commitMicros: MICROS_2000 + 812_345_678_901_234,
      xid: 4_000_000_000,
    });
    expect(decode(message('C', '\0', int64(0x16b374d8n), int64(0x16b37508n), int64(-1n)))).to.deep.equal({
      tag: 'commit',
      commitLsn: 0x16b374d8n,
      endLsn: 0x16b37508n,
      commitMicros: MICROS_2000 - 1,
    });
  });

  it('relation, with the replica identity and its columns', () => {
    const columns = [
      { name: 'id', typeOid: 20, key: true },
      { name: 'größe "x"', typeOid: 3_000_000_000, typmod: 24 },
    ];
    for (const [letter, identity] of Object.entries({ d: 'default', n: 'nothing', f: 'full', i: 'index' })) {
      expect(decode(relation(3_999_999_999, letter, columns))).to.deep.equal({
        tag: 'relation',
        oid: 3_999_999_999,
        schema: 'public',
        name: 'things',
        identity,
        columns: [
          { name: 'id', typeOid: 20, typmod: -1, key: true },
          { name: 'größe "x"', typeOid: 3_000_000_000, typmod: 24, key: false },
        ],
      });
    }
  });

  it('insert: ranges of the texts, NULL and empty apart', () => {
    const decoded = decode(insert(7, ['1', '', null, 'ü']));
    if (decoded.tag !== 'insert') throw new Error(decoded.tag);
    expect(decoded.oid).to.equal(7);
    expect(texts(decoded.new)).to.deep.equal(['1', '', NULL_VALUE, 'ü']);
    expect(decoded.new.unchanged).to.equal(false);
  });

  it('update: without an old row, with an old key, with a full old row', () => {
    for (const [bytes, kind] of [
      [update(7, ['1', UNCHANGED_VALUE]), null],
      [update(7, ['1', UNCHANGED_VALUE], { kind: 'K', values: ['0', null] }), 'key'],
      [update(7, ['1', UNCHANGED_VALUE], { kind: 'O', values: ['0', 'long'] }), 'full'],
    ] as const) {
      const decoded = decode(bytes);
      if (decoded.tag !== 'update') throw new Error(decoded.tag);
      expect(decoded.oldKind).to.equal(kind);
      expect(texts(decoded.new)).to.deep.equal(['1', UNCHANGED]);
      expect(decoded.new.unchanged).to.equal(true);
      const old = decoded.old && texts(decoded.old);
      expect(old).to.deep.equal(kind === null ? null : kind === 'key' ? ['0', NULL_VALUE] : ['0', 'long']);
    }
  });

  it('delete, by key and with the full row', () => {
    for (const [letter, kind] of [
      ['K', 'key'],
      ['O', 'full'],
    ] as const) {
      const decoded = decode(remove(7, letter, ['1', null]));
      if (decoded.tag !== 'delete') throw new Error(decoded.tag);
      expect(decoded.oldKind).to.equal(kind);
      expect(texts(decoded.old)).to.deep.equal(['1', NULL_VALUE]);
    }
  });

  it('truncate, type, origin, logical message', () => {
    expect(decode(message('T', int32(2), '\x03', int32(5), int32(6)))).to.deep.equal({ tag: 'truncate', oids: [5, 6] });
    expect(decode(message('Y', int32(16_999), cstring(''), cstring('mood')))).to.deep.equal({
      tag: 'type',
      oid: 16_999,
      schema: 'pg_catalog',
      name: 'mood',
    });
    expect(decode(message('O', int64(9n), cstring('elsewhere')))).to.deep.equal({
      tag: 'origin',
      commitLsn: 9n,
      name: 'elsewhere',
    });
    expect(decode(message('M', '\x01', int64(9n), cstring('millrace:annotations'), int32(3), 'a\0b'))).to.deep.equal({
      tag: 'message',
      transactional: true,
      lsn: 9n,
      prefix: 'millrace:annotations',
      content: Buffer.from('a\0b'),
    });
  });

  it('refuses what is not pgoutput in text, names the tag and shows no value', () => {
    const secret = 'top-secret';
    const binary = message('I', int32(7), 'N', '\0\x01b', int32(secret.length), secret);
    for (const [bytes, tag, reason] of [
      [Buffer.alloc(0), 'none', 'unknown tag'],
      [message('Z', secret), '"Z"', 'unknown tag'],
      [binary, '"I"', 'binary'],
      [message('I', int32(7), 'X', tuple([secret])), '"I"', 'kind of tuple'],
      [message('D', int32(7), 'N', tuple([secret])), '"D"', 'kind of tuple'],
      [message('I', int32(7), 'N', '\0\x01t', int32(-5)), '"I"', 'too early'],
      [message('R', int32(7), 'public'), '"R"', 'too early'],
      [Buffer.concat([insert(7, [secret]), Buffer.from('!')]), '"I"', 'left over'],
    ] as const) {
      const error = refused(bytes);
      expect(error.code).to.equal('bad_source');
      expect(error.message).to.contain(`tag ${tag}`).and.to.contain(reason).and.not.to.contain(secret);
      expect(error.remedy).to.contain('pgoutput');
    }
  });

  it('refuses every message cut short', () => {
    for (const whole of [
      message('B', int64(1n), int64(1n), int32(1)),
      message('C', '\0', int64(1n), int64(1n), int64(1n)),
      relation(7, 'd', [{ name: 'id', typeOid: 20 }]),
      update(7, ['1', null], { kind: 'O', values: ['0', UNCHANGED_VALUE] }),
      message('T', int32(1), '\0', int32(5)),
      message('M', '\x01', int64(9n), cstring('p'), int32(3), 'abc'),
    ]) {
      for (let length = 1; length < whole.length; length++) {
        expect(refused(whole.subarray(0, length)).message).to.contain('too early');
      }
    }
  });

  it('answers any bytes with a message or a bad_source error', () => {
    fc.assert(
      fc.property(fc.constantFrom(...'BCRIUDTMYO'), fc.uint8Array({ maxLength: 60 }), (tag, rest) => {
        try {
          expect(decode(message(tag, Buffer.from(rest)))).to.have.property('tag');
        } catch (error) {
          expect(error).to.be.instanceOf(MillraceError).with.property('code', 'bad_source');
        }
      }),
      { numRuns: 2_000 },
    );
  });
});
