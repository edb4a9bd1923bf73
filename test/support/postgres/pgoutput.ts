/** pgoutput messages made by hand: the layout of the manual's "Logical Replication Message Formats", proto_version 1. */

/** A column value of a tuple; `unchanged` is a TOASTed value that was not sent. */
export type Value = string | null | { unchanged: true };

export const UNCHANGED_VALUE: Value = { unchanged: true };

export function int16(value: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeInt16BE(value);
  return bytes;
}

export function int32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value >>> 0);
  return bytes;
}

export function int64(value: bigint): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigInt64BE(value);
  return bytes;
}

export function cstring(value: string): Buffer {
  return Buffer.from(`${value}\0`);
}

export function message(tag: string, ...parts: (Buffer | string)[]): Buffer {
  return Buffer.concat([tag, ...parts].map((part) => (typeof part === 'string' ? Buffer.from(part) : part)));
}

export function tuple(values: readonly Value[]): Buffer {
  const columns = values.map((value) => {
    if (value === null) return Buffer.from('n');
    if (typeof value === 'object') return Buffer.from('u');
    const bytes = Buffer.from(value);
    return message('t', int32(bytes.length), bytes);
  });
  return message('', int16(values.length), ...columns);
}

export interface Column {
  name: string;
  typeOid: number;
  typmod?: number;
  key?: boolean;
}

export function relation(oid: number, identity: string, columns: readonly Column[]): Buffer {
  const parts = columns.flatMap(({ name, typeOid, typmod = -1, key = false }) => [
    Buffer.from([key ? 1 : 0]),
    cstring(name),
    int32(typeOid),
    int32(typmod),
  ]);
  return message('R', int32(oid), cstring('public'), cstring('things'), identity, int16(columns.length), ...parts);
}

export function insert(oid: number, values: readonly Value[]): Buffer {
  return message('I', int32(oid), 'N', tuple(values));
}

export function update(
  oid: number,
  values: readonly Value[],
  old?: { kind: 'K' | 'O'; values: readonly Value[] },
): Buffer {
  return message('U', int32(oid), ...(old ? [old.kind, tuple(old.values)] : []), 'N', tuple(values));
}

export function remove(oid: number, kind: 'K' | 'O', values: readonly Value[]): Buffer {
  return message('D', int32(oid), kind, tuple(values));
}
