/**
 * A resync: the gap is accepted in one transaction with what is kept of it, so that another attempt accepts no second one; then
 * everything is watched, and each search index is verified and repaired by an operation of its own.
 */
import type { Queryable } from '../../db/pool.ts';
import { statement } from '../../db/statement.ts';
import { count } from '../../model/quantity.ts';
import { quoteLiteral } from '../../model/quote.ts';
import { isConflict } from '../../model/sqlstate.ts';
import { acceptAndSend, isUnderWay, type ResyncState, type ResyncStep, resync, type Undelivered } from '../resync.ts';
import type { Watched } from '../watched.ts';
import { endLines } from './backfill-lines.ts';
import type { Ended, Held } from './held.ts';
import { clock, type Journal, journalOf, shownLook } from './journal.ts';
import { notFilled } from './rebuild-job.ts';
import type { Work } from './runner.ts';

const CHILD = statement('admin/operation/child');
const BEGIN_CHILD = statement('admin/operation/begin-child');

const LOOK_MS = 500;

interface Job {
  held: Held;
  journal: Journal;
  /** Verifications, by sink. */
  verified: Record<string, string>;
  /** What was not done. */
  wrong: string[];
}

export const resyncWork: Work = async (held) => {
  const job: Job = { held, journal: journalOf(held), verified: {}, wrong: [] };
  let watched: Watched | undefined;
  const deps = {
    ...clock,
    db: held.db,
    begin: (state: ResyncState) => begin(job, state),
    verify: (sink: { no: number; name: string }) => verified(job, sink),
    onStep(step: ResyncStep) {
      if (step.step === 'filled') watched = step.watched;
      show(job, step);
    },
  };
  const { force, verify } = held.request;
  const request = { database: held.database_name, force: force === true, verify: verify !== false };
  const ended = await resync(deps, request, held.signal);
  await job.journal.written();
  held.signal.throwIfAborted();
  const result = { verified: job.verified };
  if (ended === 'done') return { state: 'done', result };
  if (watched?.ended === 'failed') return { ...notFilled(watched), result };
  return {
    state: 'failed',
    result,
    reason: job.wrong.join('; '),
    remedy: 'Fix that, then resume this operation.',
  } satisfies Ended;
};

async function begin({ held, journal }: Job, state: ResyncState): Promise<readonly string[]> {
  const kept = held.kept as { backfills: string[] } | null;
  if (kept !== null) return kept.backfills;
  if (isUnderWay(state)) {
    journal.say(`A resync of ${state.name} is under way.`);
    await held.keep({ backfills: state.open_ids });
    return state.open_ids;
  }
  return await held.within(async (tx) => {
    const backfills = await acceptAndSend(tx, state, held.request.force === true);
    await held.keepWith(tx, { backfills });
    return backfills;
  });
}

interface Child {
  id: string;
  state: string;
  reason: string | null;
  remedy: string | null;
  lines: string[];
  result: { drift: boolean; missing: number; extra: number; different: number; repaired: number | null } | null;
}

/** True: its index is what the tables are. */
async function verified(job: Job, sink: { no: number; name: string }): Promise<boolean> {
  const { held, journal } = job;
  let child = await childOf(held.db, held, sink.no);
  // One of an earlier attempt that found it good, or is under way, counts.
  const counts = child && (['waiting', 'running', 'paused'].includes(child.state) || child.result?.drift === false);
  let id = counts ? child!.id : undefined;
  while (!held.signal.aborted) {
    id ??= await beginChild(held, sink.no);
    child = id === undefined ? undefined : await childOf(held.db, held, sink.no);
    const isOver = child !== undefined && ['done', 'failed', 'cancelled'].includes(child.state);
    if (isOver && child) {
      job.verified[sink.name] = child.id;
      journal.say(`${sink.name}: ${outcomeOf(child)}`, child.id);
      const isGood = child.result?.drift === false;
      if (!isGood) job.wrong.push(`${sink.name}: ${outcomeOf(child)}`);
      return isGood;
    }
    const lines = child?.lines ?? ['waiting for another verification of it'];
    held.show({ phase: 'verifying', progress: null, lines: lines.map((line) => `${sink.name}  ${line}`) });
    await clock.sleep(LOOK_MS, held.signal);
  }
  return false;
}

async function childOf(db: Queryable, { id }: Held, sinkNo: number): Promise<Child | undefined> {
  return (await db.query<Child>(CHILD, [id, sinkNo])).rows[0];
}

/** Undefined: somebody else has one under way. */
async function beginChild(held: Held, sinkNo: number): Promise<string | undefined> {
  try {
    return await held.within(
      async (tx) => (await tx.query<{ id: string }>(BEGIN_CHILD, [held.id, sinkNo])).rows[0]?.id,
    );
  } catch (error) {
    if (!isConflict(error)) throw error;
    return undefined;
  }
}

function outcomeOf({ state, reason, result }: Child): string {
  if (result === null) return `the verification ${state === 'failed' ? `failed: ${reason}` : 'was cancelled'}`;
  const repaired = result.repaired === null ? '' : `, ${count(result.repaired)} repaired`;
  if (!result.drift) return `no drift${repaired}`;
  const { missing, extra, different } = result;
  return `drift: missing ${count(missing)}, extra ${count(extra)}, different ${count(different)}${repaired}`;
}

function show({ held, journal }: Job, step: ResyncStep): void {
  const now = (phase: string, lines: readonly string[]): void => held.show({ phase, progress: null, lines });
  if (step.step === 'waiting') now('waiting', [waitingText(step)]);
  else if (step.step === 'streaming') journal.say(`${step.database} is captured again.`);
  else if (step.step === 'filling') held.show(shownLook(step.look));
  else if (step.step === 'filled') for (const line of endLines(step.watched)) journal.say(line);
  else if (step.step === 'delivering') now('delivering', step.sinks.map(undeliveredText));
  else journal.say(`${step.sink}: ${ENDS[step.step](step.sink)}`);
}

function waitingText({ database, state, why }: { database: string; state: string | null; why: string }): string {
  return `waiting for capture of ${database}: ${state ?? 'not there'}${why === '' ? '' : `: ${why}`}`;
}

const ENDS = {
  changes_lost: () => 'the changes of the gap cannot be had.',
  left_to_clients: () => 'its rows are read as its clients take them (bin/millrace backfills list).',
  verifying: () => 'looked through for documents of rows that are gone',
  not_verified: (sink: string) => `documents of rows that are gone may be left: bin/millrace verify ${sink} --repair`,
};

/** What is left, and why it does not get less. */
export function undeliveredText({ sink, waiting, isMore, status, circuit, error }: Undelivered): string {
  const inactive = `; it is ${status}: select millrace.resume(${quoteLiteral(sink)})`;
  const why =
    status !== 'active' ? inactive : circuit === null ? '' : `: ${circuit}${error === null ? '' : `, ${error}`}`;
  return `${sink}: ${isMore ? 'more than ' : ''}${count(waiting)} messages to deliver${why}`;
}
