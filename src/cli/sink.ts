/** `millrace sink`: what it takes, asks and answers. */
import type { Command } from 'commander';
import { removeSink } from '../admin/remove-sink.ts';
import { freeStorage } from '../catalog/apply/remove-sink.ts';
import type { Database } from '../db/pool.ts';
import { count } from '../model/quantity.ts';
import { withMessages } from './connect.ts';
import { everywhere } from './everywhere.ts';
import { groupOf } from './table/command.ts';
import { SINKS } from './table/sinks.ts';
import { isAgreed, type Person, PLACE, person } from './terminal.ts';

/** For transactions that are in the way of freeing its storage. */
const PATIENCE_MS = 10_000;

export function addSinkCommands(program: Command): void {
  groupOf(program, SINKS)
    .command('remove')
    .description('remove a sink with its messages; its entry in millrace.yaml is yours to remove')
    .argument('<name>', 'its name')
    .action(async (name: string, _options: object, command: Command) => {
      const { yes } = everywhere(command);
      const isGone = await withMessages(PLACE, (db) => runRemoveSink({ db, ...person() }, name, { yes }));
      process.exitCode = isGone ? 0 : 1;
    });
}

/** Says what is thrown away, and what is left to do. False when the answer was no. @throws MillraceError */
export async function runRemoveSink(
  { db, say, ask }: Person & { db: Database },
  name: string,
  options: { yes: boolean },
): Promise<boolean> {
  let losing = '';
  const removed = await removeSink(
    {
      db,
      async agree({ name: found, title, pending, parked }) {
        losing = `${count(pending)} pending and ${count(parked)} parked messages are thrown away`;
        if (options.yes) return true;
        return await isAgreed({ ask }, `Remove ${found}, ${title}? ${losing}. [y/N] `, {
          message: `nobody can be asked whether ${found} may go: ${losing}`,
          remedy: `bin/millrace sink remove ${found} --yes`,
        });
      },
    },
    name,
  );
  if (!removed) {
    say('Nothing was removed.');
    return false;
  }
  say(`${removed.name} is removed; ${losing}.`);
  if (removed.hasTable) say('Its change table stays as it is.');
  say('Remove its entry from millrace.yaml too: the next start would make it again.');
  if (removed.unread !== null) {
    say(`No sink reads from database ${removed.unread} any more, and its slot keeps WAL. Declare one, or:`);
    say(`  bin/millrace database remove ${removed.unread}`);
  }
  if (!(await freeStorage(db, PATIENCE_MS)))
    say('A long transaction still reads the message table: the next start frees the rest of its storage.');
  return true;
}
