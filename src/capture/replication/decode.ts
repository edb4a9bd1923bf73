/**
 * pgoutput messages, proto_version 1 with text values, from the wire's bytes. Row values stay where they are: a tuple is a
 * list of byte ranges into the message, so a row costs no string before it becomes JSON. A message that does not follow the
 * protocol is a `bad_source` error that names its tag, never anything else, and never shows a value.
 * https://www.postgresql.org/docs/current/protocol-logicalrep-message-formats.html
 */

import type { Transcode } from '../../codec/encoding.ts';
import type {
  DeleteMessage,
  InsertMessage,
  RelationColumn,
  RelationMessage,
  ReplicaIdentity,
  RowMessage,
  UpdateMessage,
} from '../../codec/row-message.ts';
import { NULL_VALUE, type Tuple, transcoded, UNCHANGED } from '../../codec/tuple.ts';
import { MillraceError } from '../../model/errors.ts';

/** Times are microseconds since 1970, exact in a double until the year 2255. */
export type WalMessage =
  | RowMessage
  | RelationMessage
  | { tag: 'begin'; commitLsn: bigint; commitMicros: number; xid: number }
  | { tag: 'commit'; commitLsn: bigint; endLsn: bigint; commitMicros: number }
  | { tag: 'truncate'; oids: number[] }
  | { tag: 'message'; transactional: boolean; lsn: bigint; prefix: string; content: Buffer }
  | { tag: 'type'; oid: number; schema: string; name: string }
  | { tag: 'origin'; commitLsn: bigint; name: string };

const MICROS_1970_TO_2000 = 946_684_800_000_000;
/** Postgres leaves this bit alone: of a column of the primary key, in messages that are made of noted changes. */
export const PRIMARY = 2;

const IDENTITIES: Readonly<Record<string, ReplicaIdentity>> = { d: 'default', n: 'nothing', f: 'full', i: 'index' };

/** What is wrong with a message, in our words. */
class Malformed extends Error {}

interface Reader {
  bytes: Buffer;
  at: number;
  transcode: Transcode | undefined;
}

/**
 * Decodes one pgoutput message (without the XLogData header). The result refers to `bytes`, which must not be written to
 * while it is in use. `transcode`: the texts are in another encoding. Throws MillraceError `bad_source`.
 */
export function decode(bytes: Buffer, transcode?: Transcode): WalMessage {
  const reader: Reader = { bytes, at: 1, transcode };
  try {
    const message = read(reader);
    if (reader.at !== bytes.length) throw new Malformed(`${bytes.length - reader.at} bytes left over`);
    return message;
  } catch (error) {
    const tag = bytes.length > 0 ? JSON.stringify(bytes.toString('latin1', 0, 1)) : 'none';
    const reason = error instanceof Malformed ? error.message : 'it ends too early';
    throw new MillraceError('bad_source', `malformed pgoutput message (tag ${tag}, ${bytes.length} bytes): ${reason}`, {
      remedy:
        'Check that the slot uses pgoutput and that nothing between the source and this service alters the stream.',
    });
  }
}

function read(reader: Reader): WalMessage {
  switch (reader.bytes[0]) {
    case 0x49: // I
      return readInsert(reader);
    case 0x55: // U
      return readUpdate(reader);
    case 0x44: // D
      return readDelete(reader);
    case 0x42: // B
      return { tag: 'begin', commitLsn: lsn(reader), commitMicros: micros(reader), xid: uint32(reader) };
    case 0x43: // C
      skip(reader, 1);
      return { tag: 'commit', commitLsn: lsn(reader), endLsn: lsn(reader), commitMicros: micros(reader) };
    case 0x52: // R
      return readRelation(reader);
    case 0x54: // T
      return readTruncate(reader);
    case 0x4d: // M
      return readMessage(reader);
    case 0x59: // Y
      return { tag: 'type', oid: uint32(reader), schema: schema(reader), name: cstring(reader) };
    case 0x4f: // O
      return { tag: 'origin', commitLsn: lsn(reader), name: cstring(reader) };
    default:
      throw new Malformed('unknown tag');
  }
}

function readInsert(reader: Reader): InsertMessage {
  const oid = uint32(reader);
  expect(byte(reader), 0x4e);
  return { tag: 'insert', oid, new: tuple(reader) };
}

function readUpdate(reader: Reader): UpdateMessage {
  const oid = uint32(reader);
  let kind = byte(reader);
  let old: Tuple | null = null;
  let oldKind: 'key' | 'full' | null = null;
  if (kind !== 0x4e) {
    oldKind = identityKind(kind);
    old = tuple(reader);
    kind = byte(reader);
  }
  expect(kind, 0x4e);
  return { tag: 'update', oid, new: tuple(reader), old, oldKind };
}

function readDelete(reader: Reader): DeleteMessage {
  const oid = uint32(reader);
  const oldKind = identityKind(byte(reader));
  return { tag: 'delete', oid, old: tuple(reader), oldKind };
}

function identityKind(kind: number): 'key' | 'full' {
  if (kind === 0x4b) return 'key';
  if (kind === 0x4f) return 'full';
  throw new Malformed('unknown kind of tuple');
}

function readRelation(reader: Reader): RelationMessage {
  const oid = uint32(reader);
  const relationSchema = schema(reader);
  const name = cstring(reader);
  const identity = IDENTITIES[String.fromCharCode(byte(reader))];
  if (!identity) throw new Malformed('unknown replica identity');
  const count = uint16(reader);
  const columns: RelationColumn[] = [];
  for (let i = 0; i < count; i++) {
    const flags = byte(reader);
    const column = { name: cstring(reader), typeOid: uint32(reader), typmod: uint32(reader) | 0 };
    columns.push({ ...column, key: (flags & 1) === 1, ...((flags & PRIMARY) === PRIMARY && { primary: true }) });
  }
  return { tag: 'relation', oid, schema: relationSchema, name, identity, columns };
}

function readTruncate(reader: Reader): WalMessage {
  const count = uint32(reader);
  skip(reader, 1);
  const oids: number[] = [];
  for (let i = 0; i < count; i++) oids.push(uint32(reader));
  return { tag: 'truncate', oids };
}

function readMessage(reader: Reader): WalMessage {
  const transactional = (byte(reader) & 1) === 1;
  const at = lsn(reader);
  const prefix = cstring(reader);
  const length = uint32(reader);
  const start = reader.at;
  skip(reader, length);
  return { tag: 'message', transactional, lsn: at, prefix, content: reader.bytes.subarray(start, reader.at) };
}

/** The hot path: one pass over the lengths, nothing but numbers made. */
function tuple(reader: Reader): Tuple {
  const bytes = reader.bytes;
  const size = bytes.length;
  const count = uint16(reader);
  const ranges: number[] = [];
  let unchanged = false;
  let at = reader.at;
  for (let i = 0; i < count; i++) {
    const kind = bytes[at++];
    if (kind === 0x74) {
      if (at + 4 > size) throw new RangeError();
      const start = at + 4;
      const length = (bytes[at]! << 24) | (bytes[at + 1]! << 16) | (bytes[at + 2]! << 8) | bytes[at + 3]!;
      at = start + length;
      if (length < 0 || at > size) throw new RangeError();
      ranges.push(start, at);
    } else if (kind === 0x6e) {
      ranges.push(NULL_VALUE, NULL_VALUE);
    } else if (kind === 0x75) {
      ranges.push(UNCHANGED, UNCHANGED);
      unchanged = true;
    } else {
      if (kind === undefined) throw new RangeError();
      throw new Malformed(kind === 0x62 ? 'binary values, but text was asked for' : 'unknown kind of value');
    }
  }
  reader.at = at;
  const found = { bytes, ranges, unchanged };
  return reader.transcode ? transcoded(found, reader.transcode) : found;
}

function expect(actual: number, wanted: number): void {
  if (actual !== wanted) throw new Malformed('unknown kind of tuple');
}

function skip(reader: Reader, count: number): void {
  if (reader.at + count > reader.bytes.length) throw new RangeError();
  reader.at += count;
}

function byte(reader: Reader): number {
  return reader.bytes.readUInt8(reader.at++);
}

function uint16(reader: Reader): number {
  const at = reader.at;
  reader.at += 2;
  return reader.bytes.readUInt16BE(at);
}

function uint32(reader: Reader): number {
  const at = reader.at;
  reader.at += 4;
  return reader.bytes.readUInt32BE(at);
}

function lsn(reader: Reader): bigint {
  const at = reader.at;
  reader.at += 8;
  return reader.bytes.readBigUInt64BE(at);
}

/** Microseconds since 2000 on the wire, since 1970 here. */
function micros(reader: Reader): number {
  const at = reader.at;
  reader.at += 8;
  return reader.bytes.readInt32BE(at) * 2 ** 32 + reader.bytes.readUInt32BE(at + 4) + MICROS_1970_TO_2000;
}

function cstring(reader: Reader): string {
  const start = reader.at;
  const end = reader.bytes.indexOf(0, start);
  if (end < 0) throw new RangeError();
  reader.at = end + 1;
  if (reader.transcode) return reader.transcode(reader.bytes.subarray(start, end)).toString();
  return reader.bytes.toString('utf8', start, end);
}

/** pg_catalog is sent as an empty name. */
function schema(reader: Reader): string {
  return cstring(reader) || 'pg_catalog';
}
