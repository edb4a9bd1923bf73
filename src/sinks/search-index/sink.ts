/**
 * The search-index sink: one batch in, one outcome per delivery out.
 * Guarantees: at most two requests at once and never one document in both; a fault of the whole destination becomes a
 * circuit, a fault of one routed index holds back only that index's messages, a fault of one document only that one.
 * A batch of which no request has a clear answer is the destination's fault, whatever came back.
 * It keeps nothing but what it may forget: routed indexes seen ready, request sizes learned from refusals, suspects.
 * Death anywhere repeats requests, which external versions make harmless.
 */
import { MillraceError } from '../../model/errors.ts';
import type { Circuit, Delivery, Outcome, SendResult, Sink } from '../../model/sink.ts';
import type { Log } from '../../runtime/log.ts';
import { type ClientOptions, type ClientSettings, openSearchClient, type SearchClient } from './client.ts';
import { decodeBulk, decodeSearch, type IndexFault, type Verdict } from './decode.ts';
import { bulkBody, bytesOf, cut, encode, indexNameFault, type Operation } from './encode.ts';
import { type Held, heldFor, openRoutes, type Route, type Routes } from './known-indexes.ts';
import { type Limits, learnLimits } from './limits.ts';
import type { SearchDestination } from './section.ts';
import { openSuspects, type Suspects } from './suspects.ts';

export interface SearchSinkParts {
  log: Pick<Log, 'info'>;
  /** Milliseconds since 1970. */
  now?: () => number;
}

const REQUESTS_AT_ONCE = 2;
/** Requests that a send may spend on finding documents that spoil a whole request; the rest waits for the next one. */
const SEARCHES_PER_SEND = 100;
const UNANSWERED_PER_SEND = 2;
/** One for all messages of failed requests, so that they come back together, and for those that were not tried. */
const FAILED_WAIT_MS = 1000;

/** Throws MillraceError `bad_destination` when endpoint, index name or credential cannot be used. Does not connect. */
export function openSearchSink(
  { log, now = Date.now }: SearchSinkParts,
  settings: ClientSettings,
  options: ClientOptions = {},
): Sink {
  const { destination } = settings;
  const fault = indexNameFault(destination.index_name);
  if (fault !== undefined) {
    const faults = [{ field: 'index_name', message: `index_name ${fault}`, remedy: 'name one existing index' }];
    throw new MillraceError('bad_destination', `index_name ${fault}`, { faults, remedy: 'name one existing index' });
  }
  const client = openSearchClient(settings, { now, ...options });
  const limits = learnLimits({ bytes: destination.batch_bytes, documents: destination.batch_size });
  const routes = openRoutes({ client, now });
  const suspects = openSuspects();
  return {
    batchSize: destination.batch_size,
    batchBytes: destination.batch_bytes,
    bodiesOnly: true,
    send: (batch, signal) => sendBatch({ client, limits, routes, suspects, log, destination, signal }, batch),
    async test(signal) {
      const readiness = decodeSearch(await client.search(destination.index_name, signal));
      if (readiness.kind === 'aborted') throw signal.reason ?? new Error('the sink is closed');
      return readiness.kind === 'ready' ? undefined : readiness.circuit;
    },
    close: () => client.close(),
  };
}

interface Sending {
  client: SearchClient;
  limits: Limits;
  routes: Routes;
  suspects: Suspects;
  log: Pick<Log, 'info'>;
  destination: SearchDestination;
  signal: AbortSignal;
}

/** Operations of one index that still have no outcome. */
interface Load {
  index: string;
  operations: Operation[];
}

/** Operations of which nothing is known, and why. `isSent`: false when it is the index that gave no clear answer. */
interface Failed extends Load {
  circuit: Circuit;
  isSent: boolean;
}

/** What one `send` knows so far. */
interface Progress {
  pending: Load[];
  circuit: Circuit | undefined;
  /** Routed indexes that turned out to be at fault, and what their operations get. */
  held: Map<string, Held>;
  searchesLeft: number;
  failed: Failed[];
  /** The engine has said something of some document. */
  isAnswered: boolean;
}

/** Cut off by a shutdown: not a failed attempt. */
const UNTRIED: Outcome = { kind: 'untried' };

async function sendBatch(sending: Sending, batch: readonly Delivery[]): Promise<SendResult> {
  const { destination } = sending;
  const encoded = encode(batch, { indexName: destination.index_name, versioning: destination.versioning });
  const progress: Progress = {
    pending: [...encoded.operations].map(([index, operations]) => ({ index, operations })).reverse(),
    circuit: undefined,
    held: new Map(),
    searchesLeft: SEARCHES_PER_SEND,
    failed: [],
    isAnswered: false,
  };
  await holdUnready(sending, progress);
  await Promise.all(Array.from({ length: REQUESTS_AT_ONCE }, () => sendPending(sending, progress)));
  judgeFailed(sending, progress);
  if (progress.circuit !== undefined) return { outcomes: [], circuit: progress.circuit };
  const outcomes = encoded.owners.map((owner) => ('kind' in owner ? owner : (owner.outcome ?? UNTRIED)));
  return { outcomes };
}

/** The engine would silently create a missing index: a routed name is asked for before its first use. */
async function holdUnready({ routes, destination, signal }: Sending, progress: Progress): Promise<void> {
  const ready: Load[] = [];
  for (const load of progress.pending.toReversed()) {
    if (signal.aborted) return;
    const route = load.index === destination.index_name ? READY : await askOnce(routes, progress, { load, signal });
    if (route.kind === 'circuit') {
      progress.circuit = route.circuit;
      return;
    }
    if (route.kind === 'ready') ready.push(load);
    if (route.kind === 'held') hold(progress, load, route);
    if (route.kind === 'unclear') progress.failed.push({ ...load, circuit: route.circuit, isSent: false });
  }
  progress.pending = ready.reverse();
}

const READY: Route = { kind: 'ready' };

/** An engine that does not even answer this is not asked for each name. */
async function askOnce(
  routes: Routes,
  progress: Progress,
  { load, signal }: { load: Load; signal: AbortSignal },
): Promise<Route> {
  const unclear = progress.failed.at(-1);
  if (unclear !== undefined && progress.failed.length >= UNANSWERED_PER_SEND) {
    return { kind: 'unclear', circuit: unclear.circuit };
  }
  return await routes.check(load.index, { signal, hasDeletes: load.operations.some(({ isDelete }) => isDelete) });
}

/**
 * One lane: takes what fits into a request until nothing is pending. Between taking a load and putting back its rest
 * there is no await, so the lanes share one index's operations; they never share a document, for encode saw to it.
 */
async function sendPending(sending: Sending, progress: Progress): Promise<void> {
  while (progress.circuit === undefined && !sending.signal.aborted) {
    const load = progress.pending.pop();
    if (load === undefined) return;
    const { index } = load;
    const held = progress.held.get(index);
    if (held !== undefined) {
      settleHeld(load.operations, held);
      continue;
    }
    const [operations, rest] = cut(load.operations, sending.limits.ceiling, (one) =>
      sending.suspects.company(index, one),
    );
    if (rest.length > 0) progress.pending.push({ index, operations: rest });
    const reply = await sending.client.bulk(
      index,
      bulkBody(operations, sending.destination.versioning),
      sending.signal,
    );
    const verdict = decodeBulk(reply, operations, sending.destination.versioning);
    apply(sending, progress, { load: { index, operations }, verdict });
  }
}

function apply(sending: Sending, progress: Progress, { load, verdict }: { load: Load; verdict: Verdict }): void {
  const { limits, suspects } = sending;
  const { index, operations } = load;
  switch (verdict.kind) {
    case 'items':
      progress.isAnswered = true;
      suspects.answered(index, operations);
      if (verdict.pushedBack) limits.failed(operations.length);
      else limits.accepted(bytesOf(operations));
      for (let i = 0; i < operations.length; i += 1) operations[i]!.outcome = verdict.outcomes[i];
      break;
    case 'failed':
      if (verdict.isForIndex && index !== sending.destination.index_name) {
        hold(progress, load, heldFor(index, { ...verdict, kind: 'index', isMissing: false }));
        break;
      }
      limits.failed(operations.length);
      if (verdict.isDropped) limits.dropped(bytesOf(operations));
      if (operations.length === 1) suspects.failedAlone(index, operations[0]!);
      progress.failed.push({ ...load, circuit: verdict.circuit, isSent: true });
      giveUpSoon(progress, verdict.circuit);
      break;
    case 'circuit':
      progress.circuit ??= verdict.circuit;
      break;
    case 'index':
      holdIndex(sending, progress, { load, fault: verdict });
      break;
    case 'split':
      split(sending, progress, { load, verdict });
      break;
    case 'aborted':
      break;
  }
}

/** An engine that has not answered twice is not kept waiting for with all the rest of the batch. */
function giveUpSoon(progress: Progress, circuit: Circuit): void {
  if (progress.failed.filter(({ isSent }) => isSent).length < UNANSWERED_PER_SEND) return;
  for (const load of progress.pending.splice(0)) progress.failed.push({ ...load, circuit, isSent: false });
}

/**
 * What becomes of operations without a clear answer. When the engine has answered for others, a document that failed
 * alone is tried again by itself and counted, and the rest comes back together, uncounted, in smaller requests; when it
 * has answered for nobody, it is the destination that fails.
 */
function judgeFailed({ suspects }: Sending, progress: Progress): void {
  const { failed } = progress;
  const guilty = failed.filter(
    ({ index, operations, isSent }) => isSent && operations.length === 1 && suspects.isGuilty(index, operations[0]!),
  );
  if (!progress.isAnswered && guilty.length < failed.length) {
    progress.circuit ??= failed[0]!.circuit;
    return;
  }
  for (const load of failed) {
    const { error, retryAfterMs = 0 } = load.circuit;
    if (guilty.includes(load)) settle(load.operations, { kind: 'retry', error, retryAfterMs });
    else {
      if (load.isSent && load.operations.length > 1) suspects.failedTogether(load.index, load.operations);
      const wait = { kind: 'wait', error, retryAfterMs: Math.max(FAILED_WAIT_MS, retryAfterMs) } as const;
      settle(load.operations, wait);
    }
  }
}

type Split = Extract<Verdict, { kind: 'split' }>;

/** Smaller requests, down to single documents: the one that is refused alone is at fault. */
function split(sending: Sending, progress: Progress, { load, verdict }: { load: Load; verdict: Split }): void {
  const { index, operations } = load;
  const { because, error } = verdict;
  const bytes = bytesOf(operations);
  if (because === 'too_large') sending.limits.tooLarge(bytes);
  if (operations.length === 1) {
    settle(operations, { kind: 'park', error });
  } else if (because === 'too_large') {
    const limit = sending.limits.ceiling.bytes;
    sending.log.info({ index, bytes, limit }, 'the search engine refused a request as too large: sending smaller ones');
    progress.pending.push(load);
  } else if (progress.searchesLeft <= 0) {
    settle(operations, { kind: 'wait', error, retryAfterMs: 0 });
  } else {
    progress.searchesLeft -= 2;
    const middle = operations.length >> 1;
    progress.pending.push({ index, operations: operations.slice(middle) });
    progress.pending.push({ index, operations: operations.slice(0, middle) });
  }
}

/** The static index at fault stops the sink; a routed one holds back its own messages. */
function holdIndex(sending: Sending, progress: Progress, { load, fault }: { load: Load; fault: IndexFault }): void {
  if (load.index === sending.destination.index_name) {
    progress.circuit ??= fault.circuit;
    return;
  }
  sending.routes.forget(load.index);
  hold(progress, load, heldFor(load.index, fault));
}

/** The index gets no request any more in this send. */
function hold(progress: Progress, { index, operations }: Load, held: Held): void {
  progress.held.set(index, held);
  settleHeld(operations, held);
}

/** Of an index that is gone there is nothing to delete: a row that leaves it, or is deleted, need not wait for it. */
function settleHeld(operations: readonly Operation[], { outcome, isMissing }: Held): void {
  for (const operation of operations) {
    operation.outcome = isMissing === true && operation.isDelete ? { kind: 'done' } : outcome;
  }
}

function settle(operations: readonly Operation[], outcome: Outcome): void {
  for (const operation of operations) operation.outcome = outcome;
}
