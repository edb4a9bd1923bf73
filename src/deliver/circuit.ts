/**
 * The circuit of a sink: open when nothing can be delivered to it until somebody acts, or until it is over. While it is
 * open its messages wait, and one lane at a time asks the destination whether it is ready again. An answer to that alone
 * does not close it, for a destination may be reached and still take nothing: the lane's next messages do, or that there
 * are none.
 */
import { statement } from '../db/statement.ts';
import { outsideText } from '../model/outside-text.ts';
import type { Circuit } from '../model/sink.ts';
import { backoffMs, PASSING } from '../runtime/backoff.ts';
import type { LaneDeps, LaneRun } from './held-lane.ts';
import { LaneLost } from './settle.ts';

const OPEN_CIRCUIT = statement('deliver/open-circuit');
const PROBE_CIRCUIT = statement('deliver/probe-circuit');
const CLOSE_CIRCUIT = statement('deliver/close-circuit');

const PROBE_MS = 30_000;
const LONGEST_WAIT_MS = 3_600_000;
const ERROR_CHARACTERS = 4_000;

/**
 * Writes it down, for everybody to see. Returns when to come again. Only the lane's owner may: one that stalled and wakes up
 * meets its own cut connections, and not the destination's fault. @throws LaneLost
 */
export async function openCircuit(deps: LaneDeps, run: LaneRun, circuit: Circuit): Promise<Date> {
  const waitMs = waitOf(circuit, run, deps.random());
  const { lane, owner } = run.id;
  const error = outsideText(circuit.error, { max: ERROR_CHARACTERS });
  const values = [run.target.no, circuit.reason, error, waitMs, lane, owner];
  const opened = (await deps.db.query<{ probe_at: Date }>(OPEN_CIRCUIT, values)).rows[0];
  if (!opened) throw new LaneLost();
  deps.log.warn({ sink: run.target.name, reason: circuit.reason, wait_ms: waitMs }, 'sink cannot be delivered to');
  return opened.probe_at;
}

/** Milliseconds; a passing fault backs off by the number of times that it came since a batch went well here. */
function waitOf({ isPassing, retryAfterMs }: Circuit, { target }: LaneRun, random: number): number {
  if (!isPassing) return Math.max(1_000, Math.min(retryAfterMs ?? PROBE_MS, LONGEST_WAIT_MS));
  target.failures += 1;
  return Math.min(Math.max(backoffMs(target.failures, PASSING, random), retryAfterMs ?? 0), LONGEST_WAIT_MS);
}

/**
 * An open circuit: one probe when it is time, by one lane, and by one that has messages if any has. Returns when to come
 * again; undefined when the destination is ready, and this lane may try.
 */
export async function probe(
  deps: LaneDeps,
  run: LaneRun,
  at: { probeAt: Date; now: Date; signal: AbortSignal },
): Promise<Date | undefined> {
  if (at.probeAt > at.now) return at.probeAt;
  const { rowCount } = await deps.db.query(PROBE_CIRCUIT, [run.target.no, PROBE_MS, run.id.lane]);
  if (rowCount === 0) return new Date(at.now.getTime() + PROBE_MS);
  const circuit = await run.target.sink.test(at.signal);
  return circuit && (await openCircuit(deps, run, circuit));
}

/** What was tried after a probe went well, or there was nothing to try. */
export async function closeCircuit(deps: LaneDeps, run: LaneRun): Promise<void> {
  await deps.db.query(CLOSE_CIRCUIT, [run.target.no]);
  deps.log.info({ sink: run.target.name }, 'sink can be delivered to again');
  run.events.onRecovered(run.target.no);
}
