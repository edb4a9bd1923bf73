/** `millrace database`: what it takes, asks and answers. */
import type { Command } from 'commander';
import { type Dropping, type RemoveDatabaseDeps, removeDatabase } from '../admin/remove-database.ts';
import { loadCatalog } from '../catalog/store.ts';
import { keyRing } from '../runtime/secret-key.ts';
import { withMessages } from './connect.ts';
import { everywhere } from './everywhere.ts';
import { operatorSettings } from './settings.ts';
import { groupOf } from './table/command.ts';
import { DATABASES } from './table/databases.ts';
import { isAgreed, now, type Person, PLACE, person, sleep } from './terminal.ts';

export function addDatabaseCommands(program: Command): void {
  groupOf(program, DATABASES)
    .command('remove')
    .description('remove a database that no sink uses, with the slot and the publication that Millrace made in it')
    .argument('<name>', 'its name')
    .action(async (name: string, _options: object, command: Command) => {
      const { yes } = everywhere(command);
      const settings = await operatorSettings(PLACE.home, PLACE.env);
      const isGone = await withMessages(PLACE, async (db) => {
        const catalog = await loadCatalog(db, keyRing(settings), settings.privateAllowed);
        return await runRemoveDatabase({ db, catalog, now, sleep, ...person() }, name, { yes });
      });
      process.exitCode = isGone ? 0 : 1;
    });
}

/** Says what is dropped, and what is left to do. False when the answer was no. @throws MillraceError */
export async function runRemoveDatabase(
  { say, ask, ...deps }: Person & Omit<RemoveDatabaseDeps, 'agree' | 'onWait'>,
  name: string,
  options: { yes: boolean },
): Promise<boolean> {
  const agree = async (dropping: Dropping): Promise<boolean> => {
    if (options.yes) return true;
    const losing = losingText(dropping);
    return await isAgreed({ ask }, `Remove database ${name}? ${losing}. [y/N] `, {
      message: `nobody can be asked whether database ${name} may go`,
      remedy: `${losing}: bin/millrace database remove ${name} --yes`,
    });
  };
  const onWait = (): void => say('Capture still reads the slot: it lets it go within 30 s.');
  const removed = await removeDatabase({ ...deps, agree, onWait }, name);
  if (!removed) {
    say('Nothing was removed.');
    return false;
  }
  const { fault, left } = removed;
  if (fault) say(fault.remedy === undefined ? fault.message : `${fault.message}. ${fault.remedy}`);
  say(`Database ${name} is removed.`);
  say('Remove its entry from millrace.yaml too: the next start would declare it again.');
  if (left.length > 0) {
    say('Still in the source (a slot that nobody reads keeps WAL):');
    for (const sql of left) say(`  ${sql};`);
  }
  return true;
}

function losingText({ slot, publication }: Dropping): string {
  const ours = [
    ...(slot === null ? [] : [`replication slot ${slot}`]),
    ...(publication === null ? [] : [`publication ${publication}`]),
  ];
  return ours.length > 0 ? `Its ${ours.join(' and its ')} are dropped` : 'Nothing is dropped there';
}
