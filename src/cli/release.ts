/** `millrace release` and `millrace adopt`: what they take and answer. */
import { Argument, type Command } from 'commander';
import { adopt, RELEASABLE, type Releasable, release } from '../admin/release.ts';
import { withMessages } from './connect.ts';
import { PLACE } from './terminal.ts';

export function addReleaseCommands(program: Command): void {
  const added = (name: string, description: string): Command =>
    program
      .command(name)
      .description(description)
      .addArgument(new Argument('<kind>', 'what it is').choices(RELEASABLE))
      .argument('<name>', 'its name');
  added('release', 'give what a file has made to the API: the file has no say in it any more').action(
    async (type: Releasable['type'], name: string) => {
      await withMessages(PLACE, (db) => release(db, { type, name }));
      process.stdout.write(`${name} is released: its entry in the file has no effect, and can be removed.\n`);
    },
  );
  added('adopt', 'give what was released back to the file').action(async (type: Releasable['type'], name: string) => {
    await withMessages(PLACE, (db) => adopt(db, { type, name }));
    process.stdout.write(`${name} is the file's again: its entry counts from the next apply on.\n`);
  });
}
