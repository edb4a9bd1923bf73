/**
 * The webhook sink: one batch of deliveries in, a request for each message (or for some together), one outcome each out.
 * Guarantees: of a group one request is under way, and none is sent after one that is to be retried; what the endpoint has
 * taken is done, whatever happens to the rest, and a stop waits a moment for requests under way, so that little is sent
 * twice. A message is blamed only when the endpoint takes others (evidence.ts), else it is a circuit.
 * Death anywhere repeats requests, under the same ids: the receiver sees them at least once.
 */
import type { Circuit, Delivery, Outcome, SendResult, Sink } from '../../model/sink.ts';
import { openWebhookClient, type WebhookClient, type WebhookClientSettings } from './client.ts';
import { decode, type Verdict } from './decode.ts';
import { bodyOf, cut, idOf, type Load } from './encode.ts';
import { type Evidence, openEvidence } from './evidence.ts';
import { inOrder } from './in-order.ts';

export interface WebhookSinkSettings extends WebhookClientSettings {
  /** Bodies are what a transform made. */
  transformed: boolean;
}

export interface WebhookSinkOptions {
  /** Milliseconds since 1970. */
  now?: () => number;
  /** Milliseconds after which a call begins no other request. */
  beginMs?: number;
  /** Milliseconds that requests under way have to end when the service stops. */
  graceMs?: number;
}

const MESSAGES = 1_000;
const BYTES = 16 * 1024 * 1024;
const BEGIN_MS = 1_000;
const GRACE_MS = 3_000;
const HOPELESS = 10;

/** Throws MillraceError `bad_destination` when address or secret cannot be used. Does not connect. */
export function openWebhookSink(settings: WebhookSinkSettings, options: WebhookSinkOptions = {}): Sink {
  const { now = Date.now, beginMs = BEGIN_MS, graceMs = GRACE_MS } = options;
  const client = openWebhookClient(settings, now);
  const evidence = openEvidence();
  return {
    batchSize: MESSAGES,
    batchBytes: BYTES,
    async send(batch, signal) {
      const patience = withGrace(signal, graceMs);
      const until = now() + beginMs;
      const isOver = (): boolean => signal.aborted || now() >= until;
      try {
        return await sendAll({ client, evidence, settings, isOver, signal: patience.signal }, batch);
      } finally {
        patience.clear();
      }
    },
    async test(signal) {
      const fault = await client.connect(signal);
      if (fault?.kind === 'aborted') throw signal.reason ?? new Error('the sink is closed');
      return fault && { reason: 'unreachable', error: fault.error };
    },
    close: () => client.close(),
  };
}

/** Ends `graceMs` after `parent`: what is under way may be through by then. */
function withGrace(parent: AbortSignal, graceMs: number): { signal: AbortSignal; clear(): void } {
  const controller = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const end = (): void => {
    timer = setTimeout(() => controller.abort(), graceMs);
  };
  if (parent.aborted) controller.abort();
  else parent.addEventListener('abort', end, { once: true });
  return {
    signal: controller.signal,
    clear() {
      clearTimeout(timer);
      parent.removeEventListener('abort', end);
    },
  };
}

interface Sending {
  client: WebhookClient;
  evidence: Evidence;
  settings: WebhookSinkSettings;
  /** Nothing more is begun. */
  isOver(): boolean;
  signal: AbortSignal;
}

/** A request that was not taken, and when that was known. */
interface Failure {
  load: Load;
  verdict: Extract<Verdict, { kind: 'retry' | 'refused' }>;
  tick: number;
}

/** What one call knows so far. */
interface Progress {
  outcomes: Map<Delivery, Outcome>;
  /** Of nobody is known yet who is at fault. */
  failures: Failure[];
  /** Among them is what is refused, and not with the endpoint. */
  suspects: Set<Delivery>;
  /** Groups of which nothing more is sent in this call, but suspects. */
  stopped: Set<number>;
  /** Groups of which no suspect is sent any more either. */
  stoppedAgain: Set<number>;
  /** Groups that wait for a message that is to be retried. */
  waiting: Set<number>;
  circuit: Circuit | undefined;
  /** Requests that failed since one was taken: beyond some there is no use in trying more at once. */
  failedInARow: number;
  /** Counts beginnings and ends, to tell what came after what. */
  tick: number;
}

async function sendAll(sending: Sending, batch: readonly Delivery[]): Promise<SendResult> {
  const { batch: together, batch_size: most, parallel } = sending.settings.destination;
  const batchSize = Math.min(most, sending.evidence.company());
  const progress: Progress = {
    outcomes: new Map(),
    failures: [],
    suspects: new Set(),
    stopped: new Set(),
    stoppedAgain: new Set(),
    waiting: new Set(),
    circuit: undefined,
    failedInARow: 0,
    tick: 0,
  };
  const works = cut(batch, { batch: together, batchSize }).map((load) => ({ work: load, groups: groupsOf(load) }));
  const mayBegin = (): boolean => !isEnding(sending, progress);
  await inOrder(works, { parallel, mayBegin }, (load) => deliver(sending, progress, load));
  blame(sending, progress);
  const outcomes = batch.map((delivery) => progress.outcomes.get(delivery) ?? leftOver(delivery, progress));
  return progress.circuit === undefined ? { outcomes } : { outcomes, circuit: progress.circuit };
}

const isEnding = ({ isOver }: Sending, { circuit, failedInARow }: Progress): boolean =>
  circuit !== undefined || failedInARow >= HOPELESS || isOver();

const UNTRIED: Outcome = { kind: 'untried' };
const HELD: Outcome = { kind: 'held' };

/** In the order of the batch: what is behind one that is held is held too. */
function leftOver({ groups }: Delivery, { waiting }: Progress): Outcome {
  if (!groups.some((group) => waiting.has(group))) return UNTRIED;
  for (const group of groups) waiting.add(group);
  return HELD;
}

/** Each once. */
function groupsOf(load: Load): readonly number[] {
  const { groups } = load[0]!;
  if (load.length === 1 && groups.length < 2) return groups;
  return [...new Set(load.flatMap((delivery) => delivery.groups))];
}

/** Sends what of a load may still go; a batch in which something is refused for good by halves, one after the other. */
async function deliver(sending: Sending, progress: Progress, all: Load): Promise<void> {
  const load = all.filter((delivery) => maySend(delivery, sending, progress));
  if (load.length === 0) return;
  const { batch } = sending.settings.destination;
  const begun = ++progress.tick;
  const request = {
    id: idOf(load, { batch }),
    body: bodyOf(load, { batch, transformed: sending.settings.transformed }),
  };
  const verdict = judged(decode(await sending.client.send(request, sending.signal)), load, progress);
  progress.tick += 1;
  switch (verdict.kind) {
    case 'done':
      accepted(sending, progress);
      for (const delivery of load) progress.outcomes.set(delivery, verdict);
      await acquit(sending, progress, begun);
      break;
    case 'park':
      accepted(sending, progress);
      if (load.length === 1) progress.outcomes.set(load[0]!, verdict);
      else await deliverHalves(sending, progress, load);
      break;
    case 'retry':
    case 'refused':
      sending.evidence.failed(load);
      progress.failedInARow += 1;
      for (const delivery of load) stop(delivery, progress);
      progress.failures.push({ load, verdict, tick: progress.tick });
      break;
    case 'down':
      progress.circuit ??= verdict.circuit;
      break;
    case 'aborted':
      for (const delivery of load) stop(delivery, progress);
      break;
  }
}

function accepted({ evidence }: Sending, progress: Progress): void {
  evidence.accepted();
  progress.failedInARow = 0;
}

/** What is refused of a load that failed by itself is refused for good. */
function judged(verdict: Verdict, load: Load, { suspects }: Progress): Verdict {
  const isKnown = verdict.kind === 'refused' && load.every((delivery) => suspects.has(delivery));
  return isKnown ? refusedFor(verdict.circuit) : verdict;
}

/** What is not sent stops all of its groups: nothing of them may overtake it. */
function maySend(delivery: Delivery, sending: Sending, progress: Progress): boolean {
  const { suspects, stopped, stoppedAgain } = progress;
  const behind = suspects.has(delivery) ? stoppedAgain : stopped;
  const may = !isEnding(sending, progress) && !delivery.groups.some((group) => behind.has(group));
  if (!may) stop(delivery, progress);
  return may;
}

function stop(delivery: Delivery, { suspects, stopped, stoppedAgain }: Progress): void {
  for (const group of delivery.groups) {
    stopped.add(group);
    if (suspects.has(delivery)) stoppedAgain.add(group);
  }
}

async function deliverHalves(sending: Sending, progress: Progress, load: Load): Promise<void> {
  const middle = load.length >> 1;
  await deliver(sending, progress, load.slice(0, middle));
  await deliver(sending, progress, load.slice(middle));
}

/** A request that was begun at `begun` was taken: what failed before then failed by itself, and not with the endpoint. */
async function acquit(sending: Sending, progress: Progress, begun: number): Promise<void> {
  const known = progress.failures.filter(({ tick }) => tick < begun);
  progress.failures = progress.failures.filter((failure) => !known.includes(failure));
  for (const { load, verdict } of known) {
    if (verdict.kind === 'retry') retryLater(progress, load, verdict.circuit);
    else if (load.length === 1) progress.outcomes.set(load[0]!, refusedFor(verdict.circuit));
    else {
      // Its groups stay stopped: something of them may have been passed over since.
      for (const delivery of load) progress.suspects.add(delivery);
      await deliverHalves(sending, progress, load);
    }
  }
}

const refusedFor = ({ error, answer }: Circuit): Extract<Outcome, { kind: 'park' }> => ({
  ...{ kind: 'park', error },
  ...(answer ? { answer } : {}),
});

function retryLater({ outcomes, waiting }: Progress, load: Load, { error, retryAfterMs, answer }: Circuit): void {
  const later = retryAfterMs === undefined ? {} : { retryAfterMs };
  const outcome: Outcome = { kind: 'retry', error, ...later, ...(answer ? { answer } : {}) };
  for (const delivery of load) outcomes.set(delivery, outcome);
  for (const group of groupsOf(load)) waiting.add(group);
}

/** What of the failures is left: those of a message, or of the endpoint. */
function blame({ evidence }: Sending, progress: Progress): void {
  if (progress.circuit !== undefined) return;
  const refused = progress.failures.find(({ verdict }) => verdict.kind === 'refused');
  if (refused || evidence.isDown()) {
    progress.circuit = (refused ?? progress.failures[0])?.verdict.circuit;
    return;
  }
  for (const { load, verdict } of progress.failures) retryLater(progress, load, verdict.circuit);
}
