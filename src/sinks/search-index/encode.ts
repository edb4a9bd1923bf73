/**
 * Deliveries into operations, operations into the body of `_bulk`.
 * Guarantees: every delivery belongs to one operation, or to none when no `_id` or no index can be named for it; a
 * document appears at most once among the operations of a batch, so that requests of one batch never race over a
 * document; a user's JSON text is spliced as it lies, never parsed, and always stays on its own single line.
 * The external version is the message id: a delayed request then never overwrites a newer one.
 */
import type { Delivery, Outcome } from '../../model/sink.ts';
import type { Ceiling } from './limits.ts';

/** One line pair (or, for a delete, one line) of a bulk body, each line with its line break. */
export interface Operation {
  documentId: string;
  isDelete: boolean;
  /** The action line. */
  head: string;
  /** The document without its line break; null of a delete. */
  body: string | null;
  /** Length of all of it in UTF-8. */
  bytes: number;
}

/** `owners[i]` is what delivers `batch[i]`: its operation, or the outcome that is already known. */
export interface Encoded {
  operations: Map<string, Operation[]>;
  owners: (Operation | Outcome)[];
}

export interface EncodeSettings {
  /** Index of deliveries that no routing function has placed. */
  indexName: string;
  versioning: 'external' | 'none';
}

const LINE_BREAK = 0x0a;

/** A document of the batch and the newest delivery for it seen so far. */
interface Slot {
  delivery: Delivery;
  documentId: string;
  operation: Operation | undefined;
}

/** Groups a batch by index; of several deliveries of one document only the newest becomes an operation. */
export function encode(batch: readonly Delivery[], settings: EncodeSettings): Encoded {
  const indexes = new Map<string, Map<string, Slot>>();
  const places: (Slot | Outcome)[] = batch.map((delivery) => refusalOf(delivery) ?? place(delivery, indexes, settings));
  const operations = new Map<string, Operation[]>();
  for (const [index, slots] of indexes) {
    const list: Operation[] = [];
    for (const slot of slots.values()) {
      slot.operation = operationOf(slot, settings.versioning);
      list.push(slot.operation);
    }
    operations.set(index, list);
  }
  return { operations, owners: places.map((placed) => ('kind' in placed ? placed : placed.operation!)) };
}

/** The longest head of `operations` that fits the ceiling (one at least), and what is left. */
export function cut(operations: Operation[], ceiling: Ceiling): [head: Operation[], rest: Operation[]] {
  let bytes = 0;
  let count = 0;
  for (const operation of operations) {
    bytes += operation.bytes;
    if (count > 0 && (bytes > ceiling.bytes || count >= ceiling.documents)) break;
    count += 1;
  }
  return count === operations.length ? [operations, []] : [operations.slice(0, count), operations.slice(count)];
}

/**
 * The body of one `_bulk`: it ends in a line break, as the engine demands. Written straight into bytes: joined to strings
 * first, every document would be copied twice more.
 */
export function bulkBody(operations: readonly Operation[]): Buffer {
  const body = Buffer.allocUnsafeSlow(bytesOf(operations));
  let at = 0;
  for (const operation of operations) {
    at += body.write(operation.head, at);
    if (operation.body === null) continue;
    at += body.write(operation.body, at);
    body[at++] = LINE_BREAK;
  }
  return body;
}

export function bytesOf(operations: readonly Operation[]): number {
  let bytes = 0;
  for (const operation of operations) bytes += operation.bytes;
  return bytes;
}

function place(delivery: Delivery, indexes: Map<string, Map<string, Slot>>, settings: EncodeSettings): Slot {
  const index = delivery.indexName ?? settings.indexName;
  let slots = indexes.get(index);
  if (slots === undefined) {
    slots = new Map();
    indexes.set(index, slots);
  }
  const documentId = documentIdOf(delivery.recordPks);
  const slot = slots.get(documentId);
  if (slot === undefined) {
    const fresh = { delivery, documentId, operation: undefined };
    slots.set(documentId, fresh);
    return fresh;
  }
  // With external versions the engine keeps the highest id whatever the order, so that is the one to send.
  if (settings.versioning === 'none' || delivery.id >= slot.delivery.id) slot.delivery = delivery;
  return slot;
}

/** The key's values as text, joined with `-`. */
export function documentIdOf(recordPks: readonly string[]): string {
  return recordPks.length === 1 ? recordPks[0]! : recordPks.join('-');
}

function operationOf({ delivery, documentId }: Slot, versioning: 'external' | 'none'): Operation {
  const isDelete = delivery.action === 'delete';
  const version = versioning === 'external' ? `,"version":${delivery.id},"version_type":"external"` : '';
  const head = `{"${isDelete ? 'delete' : 'index'}":{"_id":${JSON.stringify(documentId)}${version}}}\n`;
  const body = isDelete ? null : oneLine(delivery.body);
  const bytes = Buffer.byteLength(head) + (body === null ? 0 : Buffer.byteLength(body) + 1);
  return { documentId, isDelete, head, body, bytes };
}

/** A JSON text has raw line breaks between its tokens only, where a space means the same. */
function oneLine(json: string): string {
  return json.includes('\n') || json.includes('\r') ? json.replace(/[\r\n]+/g, ' ') : json;
}

function refusalOf(delivery: Delivery): Outcome | undefined {
  if (delivery.recordPks.length === 0) {
    return { kind: 'park', error: 'the table has no primary key, so its documents have no _id: add a primary key' };
  }
  const fault = delivery.indexName === undefined ? undefined : indexNameFault(delivery.indexName);
  return fault === undefined ? undefined : { kind: 'park', error: `the routing function's index_name ${fault}` };
}

/**
 * Why a name cannot be one index, or undefined. Only what could make a request reach something else than
 * `/{index}/_bulk` is refused here; every other rule is the engine's own to state.
 */
export function indexNameFault(name: string): string | undefined {
  if (name === '') return 'is empty';
  if (name === '.' || name === '..') return 'is not a name of an index';
  if (/^[_+-]/.test(name)) return 'starts with _, - or +, which no index does';
  if (!name.startsWith('<') && /[\s,*?"\\/|<>#]/.test(name)) return 'has a character that no name of an index has';
  return undefined;
}
