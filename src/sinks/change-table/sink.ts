/**
 * The change table as a sink. In the message database itself it writes within the settling transaction: row and message
 * change places in one commit. Anywhere else it writes in a transaction of its own that also moves `millrace_progress`.
 * Where the destination is, is asked of the servers and never guessed: until it is known nothing is written.
 *
 * A row that jsonb refuses is parked alone. Everything else that goes wrong is the destination's: the circuit opens,
 * with what Postgres said and what to do, and no message is touched.
 */
import { inSavepoint } from '../../db/savepoint.ts';
import type { Above, Circuit, Delivery, Outcome, SendResult, Sink, SinkTransaction } from '../../model/sink.ts';
import { faultsAsCircuit } from './as-circuit.ts';
import { writeElsewhere } from './other-database.ts';
import { isAtHome, look, prepareProgress, prepareTable } from './prepare.ts';
import { takeRows } from './take.ts';
import {
  type ChangeTableDeps,
  type ChangeTableOptions,
  type ChangeTableSettings,
  type Target,
  targetOf,
} from './target.ts';
import { cut, judge } from './verdict.ts';
import { writeRows } from './write.ts';

/** What was found out: is the destination the message database (undefined: not known), does the table fit? */
interface State {
  home: boolean | undefined;
  /** On performance's clock: until then the table is taken to be as it was found. */
  readyUntil: number;
}

const isReady = (state: State): boolean => performance.now() < state.readyUntil;

/** The settling transaction is not ours to interrupt. */
const NEVER = new AbortController().signal;

type Mutable<T> = { -readonly [Key in keyof T]: T[Key] };

/**
 * Opens the change table of one retention. A destination that is down or does not fit is no reason to throw: the sink
 * then answers with the circuit until it is fixed. `within` is there as soon as the destination is known to be the
 * message database, perhaps only after the first successful `test`: read it from the sink for each batch.
 */
export async function openChangeTable(
  deps: ChangeTableDeps,
  settings: ChangeTableSettings,
  options: ChangeTableOptions = {},
): Promise<Sink> {
  const sink = changeTable(targetOf(deps, settings, options), options);
  const circuit = await sink.test(NEVER);
  if (circuit !== undefined) deps.log.warn({ reason: circuit.reason, answer: circuit.error }, 'change table not ready');
  return sink;
}

function changeTable(target: Target, options: ChangeTableOptions): Sink {
  const state: State = { home: undefined, readyUntil: 0 };
  const within = (tx: SinkTransaction, batch: readonly Delivery[]) => writeWithin(target, state, { tx, batch });
  const take = async (tx: SinkTransaction, above: Above) =>
    isReady(state) ? await takeRows(tx, target, above) : undefined;

  async function prepared(signal: AbortSignal): Promise<Circuit | undefined> {
    const circuit = await prepare(target, state, { signal });
    if (state.home) Object.assign(sink, { within, take });
    return circuit;
  }

  async function guarded(
    { batch, signal }: { batch: readonly Delivery[]; signal: AbortSignal },
    work: () => Promise<SendResult>,
  ): Promise<SendResult> {
    try {
      return await work();
    } catch (error) {
      if (signal.aborted) return { outcomes: batch.map(() => STOPPED) };
      return { outcomes: [], circuit: await explain(target, state, { error, writer: undefined, signal }) };
    }
  }

  const sink: Mutable<Sink> = {
    batchSize: options.batchSize ?? 1_000,
    batchBytes: options.batchBytes ?? 4 * 1024 * 1024,
    send: (batch, signal) =>
      guarded({ batch, signal }, async () => {
        const known = state.home !== undefined;
        const circuit = isReady(state) ? undefined : await prepared(signal);
        if (circuit !== undefined) return { outcomes: [], circuit };
        // Found to be at home only now: the next batch goes through `within`, so that none goes both ways.
        if (state.home && !known) return { outcomes: [], circuit: FOUND };
        if (state.home) await prepareProgress(target, signal);
        return { outcomes: outcomesOf(batch, await writeElsewhere(target, batch, signal)) };
      }),
    async test(signal) {
      const result = await guarded({ batch: [], signal }, async () => {
        const circuit = await prepared(signal);
        return circuit === undefined ? { outcomes: [] } : { outcomes: [], circuit };
      });
      signal.throwIfAborted();
      return result.circuit;
    },
    // The pools are the caller's.
    async close() {},
  };
  return sink;
}

const FOUND: Circuit = { reason: 'unreachable', error: 'the destination answers only now', retryAfterMs: 0 };

/** A shutdown is not a failed attempt. Whether the batch was written shows when it comes again. */
const STOPPED: Outcome = { kind: 'untried' };

/** `tx`: the settling transaction, when there is one to look through. */
async function prepare(
  target: Target,
  state: State,
  on: { signal: AbortSignal; tx?: SinkTransaction },
): Promise<Circuit | undefined> {
  const { deps, timeoutMs } = target;
  const { signal } = on;
  state.readyUntil = 0;
  state.home ??= await isAtHome(deps, { signal, timeoutMs });
  const writer = on.tx ?? (state.home ? deps.messages : undefined);
  const circuit = await prepareTable(target, { writer, signal });
  if (circuit !== undefined) return circuit;
  if (!state.home) await prepareProgress(target, signal);
  state.readyUntil = performance.now() + target.recheckMs;
  return undefined;
}

/** A batch in the settling transaction, which stays usable whatever happens to the rows. */
async function writeWithin(
  target: Target,
  state: State,
  input: { tx: SinkTransaction; batch: readonly Delivery[] },
): Promise<SendResult> {
  const { tx, batch } = input;
  if (!isReady(state)) {
    const circuit = await prepare(target, state, { signal: NEVER, tx }).catch((error) =>
      explain(target, state, { error, writer: tx, signal: NEVER }),
    );
    if (circuit !== undefined) return { outcomes: [], circuit };
  }
  // Holds to the end of the settling transaction; settling sets its own.
  await tx.query(target.begin);
  try {
    const rows = batch.toSorted((a, b) => a.id - b.id);
    const refused = await inSavepoint(tx, () => writeRows(tx, rows, target.writing));
    return { outcomes: outcomesOf(batch, refused) };
  } catch (error) {
    // The connection is the message database's: when it is gone, nothing can be settled and nothing is explained.
    const verdict = judge(error);
    if (verdict?.kind === 'circuit' && verdict.circuit.reason === 'unreachable') throw error;
    return { outcomes: [], circuit: await explain(target, state, { error, writer: tx, signal: NEVER }) };
  }
}

/** The destination's fault as a circuit, with what a look at the table adds. Throws what is not its fault. */
async function explain(
  target: Target,
  state: State,
  input: { error: unknown; writer: SinkTransaction | undefined; signal: AbortSignal },
): Promise<Circuit> {
  const verdict = judge(input.error);
  if (verdict?.kind !== 'circuit') throw input.error;
  state.readyUntil = 0;
  if (!verdict.look) return verdict.circuit;
  const found = await look(target, input).catch(() => undefined);
  const seen = found && faultsAsCircuit(target.wanted.table, found);
  if (seen === undefined) return verdict.circuit;
  return { reason: seen.reason, error: cut(`${verdict.circuit.error}\n${seen.error}`) };
}

function outcomesOf(batch: readonly Delivery[], refused: ReadonlyMap<number, string>): Outcome[] {
  return batch.map(({ id }) => {
    const error = refused.get(id);
    return error === undefined ? { kind: 'done' } : { kind: 'park', error };
  });
}
