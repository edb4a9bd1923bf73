/** `millrace sink remove NAME`: says what is thrown away, asks, removes, and says what is left to do. */
import { freeStorage, removeSink } from '../catalog/apply/remove-sink.ts';
import { count } from '../cli/screen.ts';
import type { Database } from '../db/pool.ts';
import { statement } from '../db/statement.ts';
import { MillraceError } from '../model/errors.ts';
import { findSink, KIND_NAMES } from './find-sink.ts';

const MESSAGES = statement('admin/sink-messages');
/** For transactions that are in the way of freeing its storage. */
const PATIENCE_MS = 10_000;

export interface RemoveDeps {
  db: Database;
  /** Answers the question; undefined where nobody can be asked. */
  ask: ((question: string) => Promise<string>) | undefined;
  say(line: string): void;
}

/** False when the answer was no. @throws MillraceError not_found; bad_request where nobody can be asked. */
export async function runRemoveSink(deps: RemoveDeps, name: string, options: { yes: boolean }): Promise<boolean> {
  const { db, ask, say } = deps;
  const sink = await findSink(db, name);
  const { rows } = await db.query<{ pending: number; parked: number }>(MESSAGES, [sink.name]);
  const { pending, parked } = rows[0] ?? { pending: 0, parked: 0 };
  const losing = `${count(pending)} pending and ${count(parked)} parked messages are thrown away`;
  if (!options.yes) {
    if (!ask) {
      throw new MillraceError('bad_request', `nobody can be asked whether ${sink.name} may go: ${losing}`, {
        remedy: `bin/millrace sink remove ${sink.name} --yes`,
      });
    }
    const answer = await ask(`Remove ${sink.name}, ${KIND_NAMES[sink.kind]}? ${losing}. [y/N] `);
    if (!/^y(es)?$/i.test(answer.trim())) {
      say('Nothing was removed.');
      return false;
    }
  }
  const removed = await removeSink(db, sink.name);
  say(`${sink.name} is removed; ${losing}.`);
  if (removed.kind === 'change_table') say('Its change table stays as it is.');
  say('Remove its entry from millrace.yaml too: the next start would make it again.');
  if (removed.is_last) {
    say(`No sink reads from database ${removed.database_name} any more, and its slot keeps WAL. Declare one, or:`);
    say(`  bin/millrace database remove ${removed.database_name}`);
  }
  if (!(await freeStorage(db, PATIENCE_MS)))
    say('A long transaction still reads the message table: the next start frees the rest of its storage.');
  return true;
}
