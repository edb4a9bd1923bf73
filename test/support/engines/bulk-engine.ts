/**
 * The rules of a search engine's `_bulk` and `_search`, in memory and without HTTP: documents by index with external
 * versions and tombstones, items in the engine's own shapes. test/support/engines/bulk-server.ts puts it behind a port.
 */
import { type Answer, findHits, type Stored } from './bulk-search.ts';

export interface BulkOperation {
  action: 'index' | 'delete';
  index: string;
  id: string;
  version: number | undefined;
  /** The document's text, undefined for a delete. */
  source: string | undefined;
}

export interface Item {
  status: number;
  result?: string;
  error?: unknown;
}

interface Refreshed {
  atMs: number;
  documents: Map<string, Stored>;
}

export class BulkEngine {
  readonly #indexes = new Map<string, Map<string, Stored>>();
  /** What a search sees. */
  readonly #refreshed = new Map<string, Refreshed>();
  readonly #written = new Map<string, number>();
  /** Writes are numbered in each. */
  shards = 1;
  /** A search sees what was written by the last refresh; 0: everything. */
  refreshMs = 0;
  /** `index.max_result_window` */
  mostHits = 10_000;
  /** Like `action.auto_create_index`. */
  autoCreate = false;

  createIndex(name: string): void {
    if (!this.#indexes.has(name)) this.#indexes.set(name, new Map());
  }

  deleteIndex(name: string): void {
    this.#indexes.delete(name);
  }

  /** What an index holds: document by `_id`. */
  documents(index: string): Map<string, unknown> {
    const found = new Map<string, unknown>();
    for (const [id, { source }] of this.#indexes.get(index) ?? []) {
      if (source !== undefined) found.set(id, JSON.parse(source));
    }
    return found;
  }

  search(index: string, body: string): Answer {
    const documents = this.#indexes.get(index);
    if (documents === undefined) return failure(404, notFound(index));
    let seen = this.#refreshed.get(index);
    if (seen === undefined || this.refreshMs === 0 || Date.now() - seen.atMs >= this.refreshMs) {
      seen = { atMs: Date.now(), documents: new Map(documents) };
      this.#refreshed.set(index, seen);
    }
    return findHits({ index, mostHits: this.mostHits }, seen.documents, body);
  }

  /** Somebody else writes a document, or removes it. */
  plant(index: string, id: string, source: string | undefined): void {
    const documents = this.#indexes.get(index)!;
    const version = documents.get(id)?.version ?? 0;
    documents.set(id, { version, seqNo: this.#nextSeqNo(index, id), source });
  }

  /** The versions of deleted documents are forgotten: `index.gc_deletes`, 60 s by default, is over. */
  forgetDeleted(): void {
    for (const documents of this.#indexes.values()) {
      for (const [id, { source }] of documents) if (source === undefined) documents.delete(id);
    }
  }

  #nextSeqNo(index: string, id: string): number {
    let hash = 0;
    for (const character of id) hash = (hash * 31 + character.charCodeAt(0)) % 1_000_003;
    const shard = `${index}/${hash % this.shards}`;
    const seqNo = this.#written.get(shard) ?? 0;
    this.#written.set(shard, seqNo + 1);
    return seqNo;
  }

  /** `decide` may answer for an operation instead of the engine, which then does not apply it. */
  bulk(index: string, body: string, decide: (operation: BulkOperation) => Item | undefined): Answer {
    const operations = readOperations(index, body);
    if (typeof operations === 'string') {
      return failure(400, { type: 'illegal_argument_exception', reason: operations });
    }
    if (this.autoCreate) this.createIndex(index);
    const items = operations.map((operation) => {
      const item = decide(operation) ?? this.#apply(operation);
      return { [operation.action]: { _index: index, _id: operation.id, ...item } };
    });
    const errors = items.some((item) => Object.values(item)[0]?.error !== undefined);
    return { status: 200, text: JSON.stringify({ took: 1, errors, items }) };
  }

  #apply({ index, id, action, version, source }: BulkOperation): Item {
    const documents = this.#indexes.get(index);
    if (documents === undefined) return { status: 404, error: notFound(index) };
    if (source !== undefined && !isDocument(source)) {
      return { status: 400, error: { type: 'mapper_parsing_exception', reason: 'failed to parse' } };
    }
    const known = documents.get(id);
    if (version !== undefined && known !== undefined && known.version >= version) {
      const reason = `[${id}]: version conflict, current version [${known.version}] is higher or equal to [${version}]`;
      return { status: 409, error: { type: 'version_conflict_engine_exception', reason } };
    }
    const seqNo = this.#nextSeqNo(index, id);
    documents.set(id, { version: version ?? (known?.version ?? 0) + 1, seqNo, source });
    if (action === 'index') return { status: known?.source === undefined ? 201 : 200, result: 'created' };
    return known?.source === undefined ? { status: 404, result: 'not_found' } : { status: 200, result: 'deleted' };
  }
}

export function failure(status: number, error: { type: string; reason: string }): Answer {
  return { status, text: JSON.stringify({ error: { root_cause: [error], ...error }, status }) };
}

function notFound(index: string): { type: string; reason: string } {
  return { type: 'index_not_found_exception', reason: `no such index [${index}]` };
}

function isDocument(source: string): boolean {
  try {
    const value: unknown = JSON.parse(source);
    return typeof value === 'object' && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}

/** The operations of a body, or why the engine refuses all of it. */
export function readOperations(index: string, body: string): BulkOperation[] | string {
  if (!body.endsWith('\n')) return 'The bulk request must be terminated by a newline [\\n]';
  const lines = body.slice(0, -1).split('\n');
  const operations: BulkOperation[] = [];
  for (let i = 0; i < lines.length; i += 1) {
    const operation = readAction(index, lines[i]!);
    if (operation === undefined) return `Malformed action/metadata line [${i + 1}]`;
    if (Buffer.byteLength(operation.id) > 512)
      return `Validation Failed: id is too long, must be no longer than 512 bytes`;
    if (operation.action === 'index') {
      i += 1;
      operation.source = lines[i];
      if (operation.source === undefined) return 'Validation Failed: 1: no requests added';
    }
    operations.push(operation);
  }
  return operations;
}

function readAction(index: string, line: string): BulkOperation | undefined {
  let parsed: unknown;
  try {
    parsed = JSON.parse(line);
  } catch {
    return undefined;
  }
  if (typeof parsed !== 'object' || parsed === null) return undefined;
  const [action, meta] = Object.entries(parsed)[0] ?? [];
  if ((action !== 'index' && action !== 'delete') || typeof meta !== 'object' || meta === null) return undefined;
  const known = ['_id', 'version', 'version_type'];
  if (Object.keys(meta).some((key) => !known.includes(key)) || typeof meta._id !== 'string') return undefined;
  const version = meta.version_type === 'external' ? Number(meta.version) : undefined;
  return { action, index, id: meta._id, version, source: undefined };
}
