/**
 * Deliveries into operations, operations into the body of `_bulk`.
 * Guarantees: every delivery belongs to one operation, or to none when no `_id` or no index can be named for it; a
 * document appears at most once among the operations of a batch, so that requests of one batch never race over a
 * document; a user's JSON text is spliced as it lies, never parsed, and always stays on its own single line.
 * The external version is the message id: a delayed request then never overwrites a newer one.
 */
import { joinedKey } from '../../model/joined-key.ts';
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
/** The engines' limit. */
const MOST_ID_BYTES = 512;
const MOST_NAME_BYTES = 255;
/** `<logs-{now/d}>`: an index name with a date, which the engine works out. */
const DATE_MATH = /^<[^\s\p{Cc},*?"\\<>#]*\{now[^\s\p{Cc},*?"\\<>#]*\}[^\s\p{Cc},*?"\\<>#]*>$/u;

/** A document of the batch and the newest delivery for it seen so far. */
interface Slot {
  delivery: Delivery;
  documentId: string;
  operation: Operation | undefined;
}

/** Groups a batch by index; of several deliveries of one document only the newest becomes an operation. */
export function encode(batch: readonly Delivery[], settings: EncodeSettings): Encoded {
  const indexes = new Map<string, Map<string, Slot>>();
  const places = batch.map((delivery): Slot | Outcome => {
    const documentId = joinedKey(delivery.recordPks);
    return refusalOf(delivery, documentId) ?? place({ delivery, documentId, operation: undefined }, indexes, settings);
  });
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

/**
 * The longest head of `operations` that fits the ceiling (one at least), and what is left. `company`: with how many
 * others at most one of them may travel, itself counted.
 */
export function cut(
  operations: Operation[],
  ceiling: Ceiling,
  company: (operation: Operation) => number = () => Number.POSITIVE_INFINITY,
): [head: Operation[], rest: Operation[]] {
  let bytes = 0;
  let count = 0;
  let most = ceiling.documents;
  for (const operation of operations) {
    bytes += operation.bytes;
    most = Math.min(most, company(operation));
    if (count > 0 && (bytes > ceiling.bytes || count >= most)) break;
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

function place(fresh: Slot, indexes: Map<string, Map<string, Slot>>, settings: EncodeSettings): Slot {
  const { delivery, documentId } = fresh;
  const index = delivery.indexName ?? settings.indexName;
  let slots = indexes.get(index);
  if (slots === undefined) {
    slots = new Map();
    indexes.set(index, slots);
  }
  const slot = slots.get(documentId);
  if (slot === undefined) {
    slots.set(documentId, fresh);
    return fresh;
  }
  // With external versions the engine keeps the highest id whatever the order, so that is the one to send.
  if (settings.versioning === 'none' || delivery.id >= slot.delivery.id) slot.delivery = delivery;
  return slot;
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

function refusalOf(delivery: Delivery, documentId: string): Outcome | undefined {
  if (delivery.recordPks.length === 0) {
    return { kind: 'park', error: 'the table has no primary key, so its documents have no _id: add a primary key' };
  }
  const bytes = Buffer.byteLength(documentId);
  if (bytes === 0 || bytes > MOST_ID_BYTES) {
    // No engine has a document of that _id.
    if (delivery.action === 'delete') return { kind: 'done' };
    const what = bytes === 0 ? 'is empty' : `has ${bytes} bytes`;
    const remedy = `an _id has 1 to ${MOST_ID_BYTES}: give the table a shorter primary key, or leave the row out by a filter`;
    return { kind: 'park', error: `the row's key as text ${what}, and ${remedy}` };
  }
  const fault = delivery.indexName === undefined ? undefined : indexNameFault(delivery.indexName);
  return fault === undefined ? undefined : { kind: 'park', error: `the routing function's index_name ${fault}` };
}

/**
 * Why a name cannot be one index, or undefined. Only what no engine takes, or what could make a request reach something
 * else than `/{index}/_bulk`, is refused here; every other rule is the engine's own to state.
 */
export function indexNameFault(name: string): string | undefined {
  if (name === '') return 'is empty';
  if (name === '.' || name === '..') return 'is not a name of an index';
  if (!name.isWellFormed()) return 'holds half a surrogate pair';
  if (/^[_+-]/.test(name)) return 'starts with _, - or +, which no index does';
  if (Buffer.byteLength(name) > MOST_NAME_BYTES) return `is longer than ${MOST_NAME_BYTES} bytes`;
  if (DATE_MATH.test(name) && !name.includes('..')) return undefined;
  if (/[\s\p{Cc},*?"\\/|<>#]/u.test(name)) return 'has a character that no name of an index has';
  return undefined;
}
