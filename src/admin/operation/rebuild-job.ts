/**
 * A rebuild: the second sink is made in one transaction with the proof that the operation is still held, and with what is kept of
 * its backfill, so that whoever cancels finds it; then backfill and deliveries are watched. Another attempt finds the sink, and
 * goes on watching.
 */
import type { Transaction } from '../../db/pool.ts';
import { MillraceError } from '../../model/errors.ts';
import { count } from '../../model/quantity.ts';
import type { KeyRing } from '../../runtime/secret-key.ts';
import type { Settings } from '../../runtime/settings.ts';
import { type Pending, type RebuildStep, rebuild } from '../rebuild.ts';
import type { Watched } from '../watched.ts';
import { endLines } from './backfill-lines.ts';
import type { Ended, Held } from './held.ts';
import { clock, type Journal, journalOf, shownLook } from './journal.ts';
import type { Work } from './runner.ts';
import type { RebuildWanted } from './start.ts';

const STILL_MS = 15_000;

export const rebuildWork =
  ({ settings, keys }: { settings: Settings; keys: KeyRing }): Work =>
  async (held) => {
    const journal = journalOf(held);
    let watched: Watched | undefined;
    const deps = {
      ...clock,
      ...{ db: held.db, keys, privateAllowed: settings.privateAllowed, making: { transaction: held.within } },
      onStep(step: RebuildStep) {
        if (step.step === 'filled') watched = step.watched;
        show({ held, journal }, step);
      },
      async onBegun(backfill: string, tx?: Transaction) {
        const kept = { backfills: [backfill] };
        await (tx === undefined ? held.keep(kept) : held.keepWith(tx, kept));
      },
    };
    const request = { ...(held.request as Omit<RebuildWanted, 'sink'>), sink: held.sink_name! };
    const built = await rebuild(deps, request, held.signal);
    await journal.written();
    held.signal.throwIfAborted();
    if (built.ended !== 'done') return notFilled(watched);
    const { sink, index, before, parked, switchOver } = built;
    const { aliasCall, yaml, text } = switchOver!;
    return { state: 'done', result: { sink, index, before, parked, alias_call: aliasCall, yaml, text } };
  };

export function notFilled(watched: Watched | undefined): Ended {
  const row = watched?.rows.find(({ state }) => state === 'failed' || state === 'cancelled');
  if (row === undefined)
    throw new MillraceError('bad_source', 'no table was there to send rows of', { remedy: NO_TABLE });
  const what = row.kind === 'all' ? 'the backfill' : `the backfill of ${row.table_schema}.${row.table_name}`;
  const reason = `${what} ${row.state === 'failed' ? 'failed' : 'was cancelled'}${row.reason === null ? '' : `: ${row.reason}`}`;
  return {
    state: 'failed',
    result: null,
    reason,
    remedy: row.remedy ?? 'Resume this operation, or begin another one.',
  };
}

const NO_TABLE = 'The sink must take in a table that is in the publication and has a primary key.';

function show({ held, journal }: { held: Held; journal: Journal }, step: RebuildStep): void {
  const { sink } = step;
  // One that is resumed has said so.
  if (step.step === 'found' && held.kept === null) journal.say(`sink ${sink} is there already: watching it`);
  if (step.step === 'made') journal.say(`sink ${sink} is made: it fills ${step.index} beside ${step.beside}`);
  if (step.step === 'filling') held.show(shownLook(step.look));
  if (step.step === 'filled') for (const line of endLines(step.watched)) journal.say(line);
  if (step.step !== 'delivering') return;
  const { pending } = step;
  held.show({
    phase: 'delivering',
    progress: { table: null, done: 0, sent: 0, total: pending.isMore ? null : pending.left, percent: null },
    lines: [`${sink}  ${deliveryText(sink, pending)}`],
  });
}

/** What is left, and why it does not get less. */
export function deliveryText(sink: string, { status, left, isMore, reason, error, stillMs }: Pending): string {
  const many = `${count(left)}${isMore ? ' or more' : ''} messages pending`;
  if (status !== 'active') return `${many}; it is ${status}: select millrace.resume('${sink}')`;
  if (reason !== null) return `${many}; it waits, ${reason}: ${error ?? ''}`;
  return stillMs < STILL_MS ? many : `${many}; is \`bin/millrace start\` (or a worker process) running?`;
}
