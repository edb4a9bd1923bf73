/** Jobs of a sink, or a database, that have failed. */
import { millrace, quoteLiteral } from '../model/quote.ts';
import { withoutTrailing } from '../model/trailing.ts';
import { wordsApart } from '../model/words-apart.ts';
import { type Answered, byCommand, byHand, inMessages, warning } from './finding.ts';

export interface OperationFacts {
  id: string;
  kind: string;
  table: string | null;
  reason: string | null;
  remedy: string | null;
}

/** One that runs and does not move. */
export interface StillFacts extends OperationFacts {
  /** Since it moved last. */
  still_seconds: number;
}

const STILL_SECONDS = 600;

/** A backfill and a replay ask no destination. */
const OF_SOURCES: ReadonlySet<string> = new Set(['backfill', 'replay']);

function toldApart({ kind, reason }: OperationFacts): { reason: string | null; answer: string | null } {
  if (reason === null || OF_SOURCES.has(kind)) return { reason, answer: null };
  const { said, words } = wordsApart(reason);
  return { reason: said, answer: words };
}

/** `running`: those that are under way. */
export const checkRunning = (running: readonly StillFacts[]): Answered[] =>
  running
    .filter(({ still_seconds }) => still_seconds > STILL_SECONDS)
    .map((facts) => {
      const { id, kind, table, remedy, still_seconds } = facts;
      const { reason, answer } = toldApart(facts);
      const minutes = Math.floor(still_seconds / 60);
      const summary = `a ${kind}${table === null ? '' : ` of ${table}`} has not moved for ${minutes} minutes${reason === null ? '' : `: ${reason}`}`;
      const repair = byCommand(
        ['operation', 'show', id],
        (command) => remedy ?? `See what it does: ${command}; cancel and begin it again if it stays so.`,
      );
      return { ...warning('stalled', summary, repair), item: id, answer };
    });

/** `failed`: those that nobody has begun again since. */
export const checkOperations = (failed: readonly OperationFacts[]): Answered[] =>
  failed.map((facts) => {
    const { id, kind, table, remedy } = facts;
    const { reason, answer } = toldApart(facts);
    const summary = `a ${kind}${table === null ? '' : ` of ${table}`} has failed: ${reason ?? 'see the log of capture and worker'}`;
    const again = `select millrace.resume_operation(${quoteLiteral(id)})`;
    // What was asked for may be what is wrong, and then only another one helps.
    const after = `then continue it: ${again}; or end it, and begin another: select millrace.cancel_operation(${quoteLiteral(id)})`;
    const repair = remedy === null ? inMessages(again) : byHand(`${withoutTrailing(remedy, '.')}; ${after}`);
    return {
      ...warning('failed', summary, { ...repair, command: millrace('operation', 'resume', id) }),
      item: id,
      answer,
    };
  });
