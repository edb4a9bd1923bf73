/**
 * Stored generated columns that a server before 18 does not send, and that are computed (source/generated.ts): a table's
 * Relation message and its changes get a place for them, where a newer server would send them. Until they are computed they are
 * like a large value that was not sent: not known. So they stay where something that they are made of is not known, or where
 * the change was made before the column had its expression of now.
 */
import { isUtf8 } from 'node:buffer';
import type { Reread, RowCodec } from '../codec/row.ts';
import type { RelationMessage, RowMessage } from '../codec/row-message.ts';
import { NULL_VALUE, type Tuple, UNCHANGED } from '../codec/tuple.ts';
import type { GeneratedColumn } from '../source/generated.ts';
import { namesNow, type TableNow } from './relation-key.ts';

/** Columns by their index in the widened message. */
export interface ComputedColumn {
  index: number;
  column: GeneratedColumn;
  /** In the order of `column.inputs`. */
  inputs: readonly number[];
}

/** The row after a change, of a delete before it; or the row before an update. */
export type Image = 'now' | 'before';

/** What is to be computed of a change. */
export interface Wanted {
  image: Image;
  columns: readonly ComputedColumn[];
}

/** Values by column index, for each image. */
export type ComputedValues = Partial<Record<Image, ReadonlyMap<number, string | Buffer | null>>>;

/** The message with the columns that are computed; those that it has already come with every row. */
export function widenRelation(
  message: RelationMessage,
  columns: readonly GeneratedColumn[],
  now: TableNow,
): { message: RelationMessage; computed: ComputedColumn[] } {
  const names = namesNow(message, now);
  const former = new Map([...names].map(([then, present]) => [present, then]));
  const computable = columns.filter(
    ({ why, name, inputs }) => why === null && !former.has(name) && inputs.every((input) => former.has(input.name)),
  );
  const placeOf = (present: string | undefined): number =>
    (now.columns ?? []).findIndex((column) => column.name === present);
  const widened = [...message.columns];
  for (const column of computable) {
    const { name, typeOid, typmod } = column;
    const place = placeOf(name);
    const behind = widened.findIndex((other) => placeOf(names.get(other.name) ?? other.name) > place);
    widened.splice(behind < 0 ? widened.length : behind, 0, { name, typeOid, typmod, key: isKey(message, column) });
  }
  const indexOf = (name: string | undefined): number => widened.findIndex((column) => column.name === name);
  const computed = computable.map((column) => ({
    index: indexOf(column.name),
    column,
    inputs: column.inputs.map((input) => indexOf(former.get(input.name))),
  }));
  return { message: { ...message, columns: widened }, computed };
}

const isKey = ({ identity }: RelationMessage, { inKey, inIndex }: GeneratedColumn): boolean =>
  identity === 'full' || (identity === 'default' && inKey) || (identity === 'index' && inIndex);

/** The change with a place for each of the columns, whose indexes ascend. */
export function widenRow(message: RowMessage, computed: readonly ComputedColumn[]): RowMessage {
  if (computed.length === 0) return message;
  const widened = (tuple: Tuple): Tuple => {
    const ranges = [...tuple.ranges];
    for (const { index } of computed) ranges.splice(index * 2, 0, UNCHANGED, UNCHANGED);
    return { ...tuple, ranges, unchanged: true };
  };
  return mapTuples(message, { now: widened, before: widened });
}

/** What can be computed of a change of transaction `xid`, as far as its inputs are not to be read first. */
export function wantedOf(
  { codec, computed }: { codec: RowCodec; computed: readonly ComputedColumn[] },
  message: RowMessage,
  xid: number,
): Wanted[] {
  if (computed.length === 0) return [];
  const known = computed.filter(({ column: { since } }) => since === null || ((xid - since) | 0) >= 0);
  if (known.length === 0) return [];
  const old = message.tag === 'insert' ? undefined : message.oldKind;
  // An old row holds its identity, and nothing else of it is known.
  const carried = known.filter(
    ({ index, inputs }) => old && [index, ...inputs].every((one) => old === 'full' || codec.columns[one]!.inIdentity),
  );
  const wanted: Wanted[] =
    message.tag === 'delete'
      ? [{ image: 'now', columns: carried }]
      : [
          { image: 'now', columns: known },
          { image: 'before', columns: carried },
        ];
  return wanted.filter(({ columns }) => columns.length > 0);
}

/** The inputs of one column in an image, by name. Undefined: one is not known, or no UTF-8. `reread`: values that were read again. */
export function inputsOf(
  { column, inputs }: ComputedColumn,
  given: { codec: RowCodec; message: RowMessage; image: Image; reread: Reread | undefined },
): ReadonlyMap<string, string | null> | undefined {
  const { codec, message, image, reread } = given;
  const values = new Map<string, string | null>();
  for (const [n, index] of inputs.entries()) {
    const tuple = image === 'now' ? codec.carrier(message, index) : codec.carrierBefore(message, index);
    const value = tuple ? bytesAt(tuple, index) : image === 'now' ? reread?.get(index) : undefined;
    if (value === undefined || (Buffer.isBuffer(value) && !isUtf8(value))) return undefined;
    values.set(column.inputs[n]!.name, value === null ? null : value.toString());
  }
  return values;
}

function bytesAt({ bytes, ranges }: Tuple, index: number): Buffer | null {
  const start = ranges[index * 2]!;
  return start === NULL_VALUE ? null : bytes.subarray(start, ranges[index * 2 + 1]);
}

/**
 * The change with what was computed. An old value is left out where the new one is not known: nothing may take it for the new
 * one, as an unchanged large value is taken from the old row.
 */
export function withComputed(message: RowMessage, { now, before }: ComputedValues): RowMessage {
  const comparable = new Map([...(before ?? [])].filter(([index]) => now?.has(index)));
  return mapTuples(message, { now: (tuple) => filled(tuple, now), before: (tuple) => filled(tuple, comparable) });
}

function filled(tuple: Tuple, values: ReadonlyMap<number, string | Buffer | null> = new Map()): Tuple {
  if (values.size === 0) return tuple;
  const ranges = [...tuple.ranges];
  const parts = [tuple.bytes];
  let length = tuple.bytes.length;
  for (const [index, value] of values) {
    const part = value === null ? null : Buffer.from(value);
    ranges[index * 2] = part === null ? NULL_VALUE : length;
    ranges[index * 2 + 1] = part === null ? NULL_VALUE : length + part.length;
    if (part === null) continue;
    parts.push(part);
    length += part.length;
  }
  return { bytes: Buffer.concat(parts, length), ranges, unchanged: ranges.includes(UNCHANGED) };
}

type Widen = (tuple: Tuple) => Tuple;

function mapTuples(message: RowMessage, { now, before }: Record<Image, Widen>): RowMessage {
  if (message.tag === 'insert') return { ...message, new: now(message.new) };
  if (message.tag === 'delete') return { ...message, old: now(message.old) };
  return { ...message, new: now(message.new), old: message.old && before(message.old) };
}
