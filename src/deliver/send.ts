/**
 * Sends prepared messages in order, in batches that the destination can take, and gathers what became of each. A circuit
 * ends it: what was not sent has no verdict, and stays as it was.
 */
import type { Circuit, Delivery, Outcome, SendResult } from '../model/sink.ts';
import type { Verdict } from './decide.ts';
import type { Prepared } from './prepare.ts';

export interface Sent {
  /** One per message, in order, up to the first that was not sent. */
  verdicts: Verdict[];
  circuit?: Circuit;
}

export interface SendLimits {
  batchSize: number;
  batchBytes: number;
}

/** The messages of each batch, as [from, to) places: never more than the limits, at least one message. */
export function batches(prepared: readonly Prepared[], limits: SendLimits): [number, number][] {
  const ranges: [number, number][] = [];
  let from = 0;
  let count = 0;
  let bytes = 0;
  for (let place = 0; place < prepared.length; place += 1) {
    const { deliveries } = prepared[place]!;
    let more = 0;
    for (const delivery of deliveries) more += delivery.body.length;
    if (place > from && (count + deliveries.length > limits.batchSize || bytes + more > limits.batchBytes)) {
      ranges.push([from, place]);
      from = place;
      count = 0;
      bytes = 0;
    }
    count += deliveries.length;
    bytes += more;
  }
  if (from < prepared.length) ranges.push([from, prepared.length]);
  return ranges;
}

/** What was not tried at the end of a batch stays as it was; in the middle it has to be told from what is done. */
export function upToLastTried(verdicts: readonly Verdict[]): readonly Verdict[] {
  return verdicts.slice(0, 1 + verdicts.findLastIndex(({ kind }) => kind !== 'untried'));
}

/** `now`: milliseconds. */
export async function send(
  deliver: (batch: readonly Delivery[]) => Promise<SendResult>,
  prepared: readonly Prepared[],
  { now, ...limits }: SendLimits & { now: () => number },
): Promise<Sent> {
  const verdicts: Verdict[] = [];
  for (const [from, to] of batches(prepared, limits)) {
    const part = prepared.slice(from, to);
    const deliveries = part.flatMap((message) => message.deliveries);
    const begun = now();
    const result = deliveries.length > 0 ? await deliver(deliveries) : { outcomes: [] };
    const tookMs = now() - begun;
    if (result.circuit && result.outcomes.length === 0) return { verdicts, circuit: result.circuit };
    let place = 0;
    for (const message of part) {
      const count = message.deliveries.length;
      const outcome = count === 1 ? result.outcomes[place]! : worst(result.outcomes.slice(place, place + count));
      place += count;
      verdicts.push(message.verdict ?? verdictOf(outcome, tookMs));
    }
    if (result.circuit) return { verdicts, circuit: result.circuit };
    if (verdicts.at(-1)?.kind === 'untried') break;
  }
  return { verdicts };
}

function verdictOf(outcome: Outcome, tookMs: number): Verdict {
  if (!('error' in outcome)) return outcome;
  return { ...outcome, tookMs, stage: outcome.kind === 'wait' && outcome.isForIndex ? 'index' : 'send' };
}

const RANK = { done: 0, untried: 1, held: 2, wait: 3, retry: 4, park: 5 };

/** A message is done when each of its deliveries is. Of none there is nothing to do. */
function worst(outcomes: readonly Outcome[]): Outcome {
  return outcomes.reduce((a, b) => (RANK[b.kind] > RANK[a.kind] ? b : a), { kind: 'done' });
}
