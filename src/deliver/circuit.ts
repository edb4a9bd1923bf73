/**
 * The circuit of a sink: open when nothing can be delivered to it until somebody acts. While it is open its messages wait,
 * and one lane at a time asks the destination whether it is ready again.
 */
import { statement } from '../db/statement.ts';
import type { Circuit } from '../model/sink.ts';
import type { LaneDeps, LaneRun } from './lane.ts';
import { LaneLost } from './settle.ts';

const OPEN_CIRCUIT = statement('deliver/open-circuit');
const PROBE_CIRCUIT = statement('deliver/probe-circuit');
const CLOSE_CIRCUIT = statement('deliver/close-circuit');

const PROBE_MS = 30_000;

/**
 * Writes it down, for everybody to see. Returns when to come again. Only the lane's owner may: one that stalled and wakes up
 * meets its own cut connections, and not the destination's fault. @throws LaneLost
 */
export async function openCircuit(deps: LaneDeps, run: LaneRun, circuit: Circuit): Promise<Date> {
  const waitMs = Math.max(1_000, Math.min(circuit.retryAfterMs ?? PROBE_MS, 600_000));
  const { lane, owner } = run.id;
  const values = [run.target.no, circuit.reason, circuit.error.slice(0, 4_000), waitMs, lane, owner];
  if ((await deps.db.query(OPEN_CIRCUIT, values)).rowCount === 0) throw new LaneLost();
  deps.log.warn({ sink: run.target.name, reason: circuit.reason, wait_ms: waitMs }, 'sink cannot be delivered to');
  return new Date(deps.now() + waitMs);
}

/** An open circuit: one probe when it is time, by one lane. Returns when to come again, undefined when it is closed. */
export async function probe(
  deps: LaneDeps,
  run: LaneRun,
  at: { probeAt: Date; signal: AbortSignal },
): Promise<Date | undefined> {
  if (at.probeAt.getTime() > deps.now()) return at.probeAt;
  const { rowCount } = await deps.db.query(PROBE_CIRCUIT, [run.target.no, PROBE_MS]);
  if (rowCount === 0) return new Date(deps.now() + PROBE_MS);
  const circuit = await run.target.sink.test(at.signal);
  if (circuit) return await openCircuit(deps, run, circuit);
  await deps.db.query(CLOSE_CIRCUIT, [run.target.no]);
  deps.log.info({ sink: run.target.name }, 'sink can be delivered to again');
  deps.onRecovered(run.target.no);
  return undefined;
}
