/**
 * What of a change is larger than `max_row_bytes`. The row as it is after the change decides: if that is too large, only its key is
 * kept, and its message is parked. What the row was before is only left out, as if the source had not sent it: without the new
 * values of an update an index would keep the old ones, and without a delete a row that is gone.
 */
import type { RowCodec } from '../codec/row.ts';
import type { RowMessage, UpdateMessage } from '../codec/row-message.ts';
import type { Tuple } from '../codec/tuple.ts';

export interface RowSize {
  /** Of the row after the change, of a delete before it, about. */
  bytes: number;
  isTooLarge: boolean;
  /** Does the message of the change leave out old values? */
  leavesOutOld: boolean;
  /** Is there room for the old row of an update, as a delete of it? */
  fitsBefore: boolean;
}

/** What a value has beside its text. */
const VALUE_BYTES = 5;

export const bytesOf = (message: RowMessage): Buffer =>
  message.tag === 'delete' ? message.old.bytes : message.new.bytes;

/** Bytes that were sent of the row after the change, of a delete before it. */
export function rowBytes(codec: RowCodec, message: RowMessage): number {
  return message.tag === 'update' && message.old
    ? valueBytes(codec, (index) => codec.carrier(message, index))
    : bytesOf(message).length;
}

/** `isLargeRead`: it is too large with what was read again or computed. */
export function sizeOf(
  codec: RowCodec,
  message: RowMessage,
  { maxRowBytes, isLargeRead }: { maxRowBytes: number; isLargeRead: boolean },
): RowSize {
  const sent = sentBytes(message);
  if (sent <= maxRowBytes && !isLargeRead)
    return { bytes: sent, isTooLarge: false, leavesOutOld: false, fitsBefore: true };
  const bytes = rowBytes(codec, message);
  const isTooLarge = isLargeRead || bytes > maxRowBytes;
  if (message.tag === 'insert') return { bytes, isTooLarge, leavesOutOld: false, fitsBefore: true };
  if (message.tag === 'delete') {
    // Without its key a delete says nothing.
    const hasKey = codec.keyIndexes.length > 0;
    return { bytes, isTooLarge: isTooLarge && !hasKey, leavesOutOld: isTooLarge && hasKey, fitsBefore: true };
  }
  const before = valueBytes(codec, (index) => codec.carrierBefore(message, index));
  const leavesOutOld = !isTooLarge && bytes + changedBytes(codec, message) > maxRowBytes;
  return { bytes, isTooLarge, leavesOutOld, fitsBefore: before <= maxRowBytes };
}

function sentBytes(message: RowMessage): number {
  const { length } = bytesOf(message);
  const old = message.tag === 'update' ? message.old : null;
  // Texts in another encoding have bytes of their own.
  return old && old.bytes !== bytesOf(message) ? length + old.bytes.length : length;
}

const changedBytes = (codec: RowCodec, message: UpdateMessage): number =>
  valueBytes(codec, (index) =>
    codec.columns[index]!.shown && codec.changed(message, index) ? codec.carrierBefore(message, index) : undefined,
  );

function valueBytes(codec: RowCodec, tupleAt: (index: number) => Tuple | undefined): number {
  let bytes = 0;
  for (const index of codec.columns.keys()) {
    const tuple = tupleAt(index);
    if (tuple) bytes += VALUE_BYTES + Math.max(0, tuple.ranges[index * 2 + 1]! - tuple.ranges[index * 2]!);
  }
  return bytes;
}
