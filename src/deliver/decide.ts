/**
 * What becomes of each message of a batch: a pure function from outcomes to what settling writes. Retries back off by the
 * number of deliveries; beyond max_retry_count, or when the destination says never, a message is parked.
 */
import { outsideText } from '../model/outside-text.ts';
import type { AnswerFacts, Outcome } from '../model/sink.ts';
import { backoffMs, REDELIVER } from '../runtime/backoff.ts';
import type { LaneRow } from './row.ts';

/** Where a message met an error. `index`: it waits for the index that it was routed to. */
export type Stage = 'shape' | 'send' | 'settle' | 'index';

type Failure = Extract<Outcome, { error: string }>;

/** What happened to a message; an error names its stage, and how long that took. */
export type Verdict =
  | Exclude<Outcome, Failure>
  | (Failure & { stage: Stage; tookMs?: number | undefined })
  /** There was nothing to send: what the destination has of the row is as it was. */
  | { kind: 'done'; sent?: false }
  | { kind: 'as_it_was' };

/** A message that remains, and how. */
export interface Remaining {
  id: number;
  /** `as_it_was`: its delivery state is not touched, whatever it has become meanwhile. */
  state: 'retrying' | 'waiting' | 'held' | 'parked' | 'as_it_was';
  attempts: number;
  delay_ms: number;
  stage: Stage | null;
  error: string | null;
  /** It was tried and failed: an attempt to be written down. */
  failure?: { took_ms?: number } & AnswerFacts;
}

export interface Settlement {
  /** Done, with a delivery state that goes with them. */
  finished: number[];
  remaining: Remaining[];
  /** Done, and they make earlier failed ones of their row needless. */
  superseding: number[];
}

export interface DecideOptions {
  /** Deliveries after the first; null without end. */
  maxRetryCount: number | null;
  /** A later message of a row replaces an earlier one: each carries the whole document. */
  replaces: boolean;
  random: () => number;
}

const ERROR_CHARACTERS = 4_000;
const TYPE_CHARACTERS = 200;

export function decide(rows: readonly LaneRow[], verdicts: readonly Verdict[], options: DecideOptions): Settlement {
  const settlement: Settlement = { finished: [], remaining: [], superseding: [] };
  // One for the batch: what failed together comes back together.
  const random = options.random();
  /** Keys of what failed in this very batch: a later document of the row, that arrived, replaces it too. */
  const failed = new Set<string>();
  for (let place = 0; place < rows.length; place += 1) {
    const row = rows[place]!;
    const verdict = verdicts[place]!;
    if (verdict.kind === 'done') {
      if (row.state !== null) settlement.finished.push(row.id);
      const arrived = !('sent' in verdict);
      if (options.replaces && arrived && (row.behind || (failed.has(row.record_pks) && !row.partial)))
        settlement.superseding.push(row.id);
    } else {
      settlement.remaining.push(remainingOf(row, verdict, { ...options, random: () => random }));
      failed.add(row.record_pks);
    }
  }
  return settlement;
}

function remainingOf(row: LaneRow, verdict: Exclude<Verdict, { kind: 'done' }>, options: DecideOptions): Remaining {
  const attempts = row.attempts + 1;
  const base = {
    id: row.id,
    delay_ms: 0,
    stage: 'stage' in verdict ? verdict.stage : null,
    error: 'error' in verdict ? outsideText(verdict.error, { max: ERROR_CHARACTERS }) : null,
  };
  switch (verdict.kind) {
    case 'as_it_was':
      return { ...base, state: 'as_it_was', attempts: row.attempts };
    case 'untried':
      if (row.state !== null) return { ...base, state: 'as_it_was', attempts: row.attempts };
      return { ...base, state: 'waiting', attempts: row.attempts };
    case 'held':
      return { ...base, state: 'held', attempts: row.attempts };
    case 'wait':
      return { ...base, state: 'retrying', attempts: row.attempts, delay_ms: verdict.retryAfterMs };
    case 'park':
      return { ...base, state: 'parked', attempts, failure: failureOf(verdict) };
    case 'retry': {
      const failure = failureOf(verdict);
      if (options.maxRetryCount !== null && attempts > options.maxRetryCount)
        return { ...base, state: 'parked', attempts, failure };
      const wait = backoffMs(attempts, REDELIVER, options.random());
      return { ...base, state: 'retrying', attempts, delay_ms: Math.max(wait, verdict.retryAfterMs ?? 0), failure };
    }
    default:
      throw new Error(`no such outcome: ${JSON.stringify(verdict)}`);
  }
}

/** What a destination says of itself is no value that Postgres must take. */
function failureOf({
  tookMs,
  answer,
}: Extract<Verdict, { kind: 'park' | 'retry' }>): NonNullable<Remaining['failure']> {
  const { status, type } = answer ?? {};
  return {
    ...(tookMs === undefined ? {} : { took_ms: Math.max(0, Math.round(tookMs)) }),
    ...(status !== undefined && Number.isInteger(status) && status > 0 && status < 1_000 ? { status } : {}),
    ...(type === undefined ? {} : { type: outsideText(type, { max: TYPE_CHARACTERS }) }),
  };
}
