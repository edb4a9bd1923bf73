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
  /** Of its message: the version. */
  id: number;
  isDelete: boolean;
  /** The document without its line break; null of a delete. */
  body: string | null;
  /** Length of all of it in UTF-8. */
  bytes: number;
  /** Undefined until it is known. */
  outcome: Outcome | undefined;
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

/** Groups a batch by index; of several deliveries of one document only the newest becomes an operation. */
export function encode(batch: readonly Delivery[], settings: EncodeSettings): Encoded {
  const indexes = new Map<string, Map<string, Operation>>();
  const owners = batch.map((delivery): Operation | Outcome => {
    const documentId = joinedKey(delivery.recordPks);
    return refusalOf(delivery, documentId) ?? place(delivery, documentId, { indexes, settings });
  });
  const operations = new Map<string, Operation[]>();
  for (const [index, documents] of indexes) {
    const list = [...documents.values()];
    for (const operation of list) {
      if (operation.body !== null) operation.body = oneLine(operation.body);
      operation.bytes = bytesOfOne(operation, settings.versioning);
    }
    operations.set(index, list);
  }
  return { operations, owners };
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
export function bulkBody(operations: readonly Operation[], versioning: EncodeSettings['versioning']): Buffer {
  const body = Buffer.allocUnsafeSlow(bytesOf(operations));
  let at = 0;
  for (const operation of operations) {
    at += body.write(headOf(operation, versioning), at);
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

/** Of several deliveries of one document the newest becomes its operation. */
function place(
  { id, action, body, indexName }: Delivery,
  documentId: string,
  { indexes, settings }: { indexes: Map<string, Map<string, Operation>>; settings: EncodeSettings },
): Operation {
  const index = indexName ?? settings.indexName;
  let documents = indexes.get(index);
  if (documents === undefined) {
    documents = new Map();
    indexes.set(index, documents);
  }
  const isDelete = action === 'delete';
  const known = documents.get(documentId);
  if (known === undefined) {
    const operation = { documentId, id, isDelete, body: isDelete ? null : body, bytes: 0, outcome: undefined };
    documents.set(documentId, operation);
    return operation;
  }
  // With external versions the engine keeps the highest id whatever the order, so that is the one to send.
  if (settings.versioning === 'none' || id >= known.id) {
    known.id = id;
    known.isDelete = isDelete;
    known.body = isDelete ? null : body;
  }
  return known;
}

/** The action line. Made anew for each request, for kept ones are most of what the garbage collector has to copy. */
function headOf(
  { documentId, id, isDelete }: Pick<Operation, 'documentId' | 'id' | 'isDelete'>,
  versioning: EncodeSettings['versioning'],
): string {
  const version = versioning === 'external' ? `,"version":${id},"version_type":"external"` : '';
  return `{"${isDelete ? 'delete' : 'index'}":{"_id":${JSON.stringify(documentId)}${version}}}\n`;
}

function bytesOfOne({ documentId, id, isDelete, body }: Operation, versioning: EncodeSettings['versioning']): number {
  const idBytes = Buffer.byteLength(JSON.stringify(documentId)) + (versioning === 'external' ? `${id}`.length : 0);
  const bodyBytes = body === null ? 0 : Buffer.byteLength(body) + 1;
  return REST_OF_HEAD[versioning][isDelete ? 'delete' : 'index'] + idBytes + bodyBytes;
}

/** Bytes of an action line without `_id` and version. */
const REST_OF_HEAD = { external: restOfHead('external'), none: restOfHead('none') };

function restOfHead(versioning: EncodeSettings['versioning']): { delete: number; index: number } {
  const digits = versioning === 'external' ? 1 : 0;
  const restOf = (isDelete: boolean) => headOf({ documentId: '', id: 0, isDelete }, versioning).length - 2 - digits;
  return { delete: restOf(true), index: restOf(false) };
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
