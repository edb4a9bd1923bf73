/**
 * The engine's answers into verdicts: the one table of what each answer means (docs: "Search engine answers").
 * Guarantees: nothing counts as done unless the engine said so for that very document; an answer that cannot be
 * understood is "unknown" and sent again, which external versions make harmless; a fault of the index, of the credential
 * or of the engine as a whole never parks a message, for it is not the message's fault. The engine's error text is
 * carried unchanged.
 */
import type { Mask } from '../../model/mask.ts';
import { outsideText } from '../../model/outside-text.ts';
import { type Circuit, noConnection, type Outcome } from '../../model/sink.ts';
import type { HttpReply } from '../../runtime/http-client.ts';
import type { Operation } from './encode.ts';

type Answer = HttpReply & { kind: 'answer' };

export type Verdict =
  /** One outcome per operation, in order. `pushedBack`: some were turned away for want of room. */
  | { kind: 'items'; outcomes: Outcome[]; pushedBack: boolean }
  /**
   * No clear answer for any document, or all were turned away: nothing is known of them but why. `isForIndex`: the engine says that
   * it is for the index' sake, and others may be well.
   */
  | { kind: 'failed'; circuit: Circuit; isDropped: boolean; isForIndex?: true }
  /** Nothing can be delivered to any index. */
  | { kind: 'circuit'; circuit: Circuit }
  /** Nothing can be delivered to this index. */
  | IndexFault
  /** Too large, or one document spoils the whole request: send smaller requests; alone, its operation is parked. */
  | { kind: 'split'; because: 'too_large' | 'malformed'; error: string }
  | { kind: 'aborted' };

/** `isMissing`: the engine itself says that there is no such index. */
export interface IndexFault {
  kind: 'index';
  circuit: Circuit;
  isMissing: boolean;
}

/** How an index answers `_search`. `index`: only this index is at fault. `name`: no index can have this name. */
export type Readiness =
  /** `documents`: how many it has, if it said so; `orMore`: it did not count further. */
  | { kind: 'ready'; documents?: number; orMore?: true }
  | { kind: 'circuit' | 'name' | 'unclear'; circuit: Circuit }
  | IndexFault
  | { kind: 'aborted' };

const ERROR_CHARACTERS = 4000;
const CLOSED = 'index_closed_exception';
/** For ever with 403, and while its disk is full with 429. */
const BLOCKED = 'cluster_block_exception';
const SHARDS_AWAY = 'unavailable_shards_exception';
/** What `_search` says of an index without a shard that answers. */
const NO_SHARDS = new Set<unknown>(['search_phase_execution_exception', 'no_shard_available_action_exception']);
/** Why an alias, a data stream or an index takes no document at all: an `illegal_argument_exception`, as with what is wrong with one of them. */
const TAKES_NONE =
  /^(no write index is defined for alias|only write ops with an op_type of create|pipeline with id \[[^\]]*\] does not exist)/;
const NO_INDEX = 'index_not_found_exception';
/** How long messages wait whose index is missing or refuses the credential. */
export const INDEX_WAIT_MS = 30_000;

/** What an answer to `_bulk` means for the operations that were sent. */
export function decodeBulk(reply: HttpReply, sent: readonly Operation[], versioning: 'external' | 'none'): Verdict {
  if (reply.kind !== 'answer') return decodeSilence(reply);
  const { status } = reply;
  const error = errorText(reply);
  if (status === 200) {
    const items = readItems(reply, sent);
    if (items !== undefined) return decodeItems(items, sent, versioning);
    return failed('bad_destination', `HTTP 200 that does not answer for each document: ${error}`);
  }
  if (status === 413) return { kind: 'split', because: 'too_large', error };
  if (status === 400 && engineErrorOf(reply.text) !== undefined) return { kind: 'split', because: 'malformed', error };
  const circuit = refusalOf(reply, error);
  if (circuit === undefined) return failed(reasonOf(status), error, reply.retryAfterMs);
  return faultOf(reply, circuit);
}

/** What an answer to `_search` says about the index: the gate of a sink and of every routed index name. */
export function decodeSearch(reply: HttpReply): Readiness {
  if (reply.kind === 'aborted') return reply;
  if (reply.kind === 'unreachable') return { kind: 'circuit', circuit: noConnection(reply) };
  if (reply.kind === 'lost') return { kind: 'unclear', circuit: passing('unreachable', reply.error) };
  const { status } = reply;
  const error = errorText(reply);
  if (status === 200) {
    const answer = parse(reply.text);
    if (isObject(answer)) return { kind: 'ready', ...documentsIn(answer) };
    const notJson = `HTTP 200 without JSON: is endpoint_url the search engine's address? ${error}`;
    return { kind: 'circuit', circuit: { reason: 'bad_destination', error: capped(notJson) } };
  }
  const circuit = refusalOf(reply, error);
  if (circuit === undefined) {
    const later = passing(reasonOf(status), error, reply.retryAfterMs);
    const isForIndex = status === 503 && NO_SHARDS.has(engineErrorOf(reply.text)?.type);
    return isForIndex ? { kind: 'index', circuit: later, isMissing: false } : { kind: 'unclear', circuit: later };
  }
  const engineError = status === 400 ? engineErrorOf(reply.text) : undefined;
  if (engineError !== undefined) {
    return engineError.type === CLOSED ? { kind: 'index', circuit, isMissing: false } : { kind: 'name', circuit };
  }
  return faultOf(reply, circuit);
}

/** A 404 may also come from something in between, which knows nothing of indexes. */
function faultOf({ status, text }: Answer, circuit: Circuit): IndexFault | { kind: 'circuit'; circuit: Circuit } {
  if (status !== 403 && status !== 404) return { kind: 'circuit', circuit };
  return { kind: 'index', circuit, isMissing: engineErrorOf(text)?.type === NO_INDEX };
}

/** Answers that no repetition changes; undefined for those that one may (408, 429, 5xx, and a 2xx that says nothing). */
function refusalOf(reply: Answer, error: string): Circuit | undefined {
  const { status } = reply;
  if (status === 401 || status === 403) return { reason: 'auth_failed', error };
  if (status === 404) return { reason: 'index_missing', error };
  if (status >= 300 && status < 400) {
    const target = reply.location === undefined ? '' : ` to ${reply.location}`;
    const remedy = 'redirects are refused: set endpoint_url to the address itself';
    return { reason: 'bad_destination', error: capped(`HTTP ${status}${target}; ${remedy}`) };
  }
  if (status >= 400 && status < 500 && status !== 408 && status !== 425 && status !== 429) {
    return { reason: 'bad_destination', error };
  }
  return undefined;
}

function decodeSilence(reply: Exclude<HttpReply, { kind: 'answer' }>): Verdict {
  if (reply.kind === 'aborted') return reply;
  if (reply.kind === 'unreachable') return { kind: 'circuit', circuit: noConnection(reply) };
  return { ...failed('unreachable', reply.error), isDropped: true };
}

/** 2xx without what was asked for is no search engine, or one that is broken. */
function reasonOf(status: number): Circuit['reason'] {
  if (status < 300) return 'bad_destination';
  return status === 429 || status === 503 ? 'overloaded' : 'unreachable';
}

function failed(reason: Circuit['reason'], error: string, retryAfterMs?: number): Verdict & { kind: 'failed' } {
  return { kind: 'failed', circuit: passing(reason, error, retryAfterMs), isDropped: false };
}

/** A circuit that may be over at any moment. */
function passing(reason: Circuit['reason'], error: string, retryAfterMs?: number): Circuit {
  const circuit: Circuit = { reason, error: capped(error), isPassing: true };
  return retryAfterMs === undefined ? circuit : { ...circuit, retryAfterMs };
}

interface Item {
  status: number;
  error: string | undefined;
  type: string | undefined;
  /** What it says is said of the index, whatever the document. */
  isForIndex: boolean;
}

function decodeItems(items: readonly Item[], sent: readonly Operation[], versioning: 'external' | 'none'): Verdict {
  const fault = indexFault(items, sent);
  if (fault !== undefined) return fault;
  const first = items[0];
  if (first !== undefined && items.every(isTurnedAway)) {
    const isForIndex = items.every(({ type }) => type === BLOCKED || type === SHARDS_AWAY);
    return { ...failed('overloaded', itemError(first)), ...(isForIndex ? { isForIndex } : {}) };
  }
  let pushedBack = false;
  const outcomes = items.map((item, i): Outcome => {
    if (isPushedBack(item)) pushedBack = true;
    return outcomeOf(item, sent[i]!.isDelete, versioning);
  });
  return { kind: 'items', outcomes, pushedBack };
}

/**
 * A missing, closed or blocked index, and a credential that may not write here, fail every item alike. A 403 on deletes
 * alone is no proof of that (a role may index and not delete): those wait, and the rest of the index goes on.
 */
function indexFault(items: readonly Item[], sent: readonly Operation[]): Verdict | undefined {
  const unauthorised = items.find((item) => item.status === 401);
  if (unauthorised !== undefined) {
    return { kind: 'circuit', circuit: { reason: 'auth_failed', error: itemError(unauthorised) } };
  }
  for (const item of items) {
    if (item.type === NO_INDEX) {
      return { kind: 'index', circuit: { reason: 'index_missing', error: itemError(item) }, isMissing: true };
    }
    if (item.isForIndex) {
      return { kind: 'index', circuit: { reason: 'bad_destination', error: itemError(item) }, isMissing: false };
    }
  }
  const first = items[0];
  if (first?.status === 403 && items.every((item) => item.status === 403) && sent.some(({ isDelete }) => !isDelete)) {
    return { kind: 'index', circuit: { reason: 'auth_failed', error: itemError(first) }, isMissing: false };
  }
  return undefined;
}

const DONE: Outcome = { kind: 'done' };

function outcomeOf(item: Item, isDelete: boolean, versioning: 'external' | 'none'): Outcome {
  const { status, type } = item;
  const isGone = isDelete && status === 404;
  if (item.error === undefined && ((status >= 200 && status < 300) || isGone)) return DONE;
  const error = itemError(item);
  const answer = { status, ...(type === undefined ? {} : { type }) };
  if (status === 409) {
    const isOlder = versioning === 'external' && type === 'version_conflict_engine_exception';
    return isOlder ? { kind: 'done' } : { kind: 'retry', error, answer };
  }
  if (status === 403) return { kind: 'wait', error, retryAfterMs: INDEX_WAIT_MS };
  if (isPushedBack(item) || status === 408 || status >= 500 || status < 400) return { kind: 'retry', error, answer };
  return { kind: 'park', error, answer };
}

const isTurnedAway = (item: Item): boolean => isPushedBack(item) || item.status === 503;

function isPushedBack(item: Item): boolean {
  return (
    item.status === 429 ||
    item.type === 'es_rejected_execution_exception' ||
    item.type === 'rejected_execution_exception'
  );
}

/** The items of an answer, or undefined when they are not exactly the operations that were sent. */
function readItems({ text, mask }: Answer, sent: readonly Operation[]): Item[] | undefined {
  const answer = parse(text);
  const list = isObject(answer) ? answer.items : undefined;
  if (!Array.isArray(list) || list.length !== sent.length) return undefined;
  const items: Item[] = [];
  for (let i = 0; i < list.length; i += 1) {
    const operation = sent[i]!;
    const entry: unknown = list[i];
    const item = isObject(entry) ? (operation.isDelete ? entry.delete : entry.index) : undefined;
    if (!isObject(item) || typeof item.status !== 'number') return undefined;
    if (typeof item._id === 'string' && item._id !== operation.documentId) return undefined;
    const given = item.error ?? undefined;
    const type = isObject(given) && typeof given.type === 'string' ? given.type : undefined;
    const error = given === undefined ? undefined : masked(given, mask);
    const isForIndex = isObject(given) && isIndexFault(item.status, given);
    items.push({ status: item.status, error, type, isForIndex });
  }
  return items;
}

/** Is the index closed or blocked, or does it take no document at all? */
function isIndexFault(status: number, { type, reason }: Record<string, unknown>): boolean {
  if (type === BLOCKED) return status === 403;
  if (type === 'illegal_argument_exception') return typeof reason === 'string' && TAKES_NONE.test(reason);
  return type === CLOSED;
}

function itemError({ error, status }: Item): string {
  if (error === undefined) return `HTTP ${status} for the document, without a reason`;
  return capped(error);
}

function errorText({ status, text, mask }: Answer): string {
  return text.trim() === '' ? `HTTP ${status} with an empty answer` : capped(masked(text, mask));
}

/** Before it is cut: of half a secret nobody could tell that it is one. No more of it than is ever shown. */
function masked(value: unknown, mask: Mask): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return mask(text.slice(0, 8 * ERROR_CHARACTERS));
}

/** `hits.total`, as a number or, since Elasticsearch 7, as an object. */
function documentsIn({ hits }: Record<string, unknown>): { documents?: number; orMore?: true } {
  const total = isObject(hits) ? hits.total : undefined;
  const value = isObject(total) ? total.value : total;
  if (typeof value !== 'number') return {};
  return { documents: value, ...(isObject(total) && total.relation === 'gte' ? { orMore: true } : {}) };
}

/** What the engine says; undefined where it is something in between that speaks, and knows nothing of documents. */
function engineErrorOf(text: string): { type?: unknown } | undefined {
  const answer = parse(text);
  if (!isObject(answer) || answer.error === undefined) return undefined;
  return isObject(answer.error) ? answer.error : {};
}

function capped(text: string): string {
  return outsideText(text, { max: ERROR_CHARACTERS });
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
