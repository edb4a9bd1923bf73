/** `millrace rebuild`: what it takes, and what it answers. */
import type { Command } from 'commander';
import { keyRing } from '../runtime/secret-key.ts';
import { stopSignal } from '../runtime/stop-signal.ts';
import { withMessages } from './connect.ts';
import { openScreen } from './screen.ts';
import { operatorSettings } from './settings.ts';
import { INTERRUPTED, now, PLACE, sleep } from './terminal.ts';
import { showRebuild } from './watch-rebuild.ts';

interface Options {
  index: string;
  transform?: string;
  name?: string;
  alias?: string;
}

export function addRebuildCommand(program: Command): void {
  program
    .command('rebuild')
    .description(
      'fill a second index beside the one of a sink, for a changed mapping or transform, and say how to switch over',
    )
    .argument('<sink>', 'a search index')
    .requiredOption('--index <name>', 'the new index; it must exist, with its mapping')
    .option('--transform <function>', 'another transform, or none (as before)')
    .option('--name <sink>', 'name of the new sink (SINK-INDEX)')
    .option('--alias <alias>', 'under which readers know the index, for the call that switches over')
    .action(async (sink: string, options: Options) => {
      const settings = await operatorSettings(PLACE.home, PLACE.env);
      const { privateAllowed } = settings;
      const keys = keyRing(settings);
      process.exitCode = await withMessages(PLACE, async (db) => {
        const screen = openScreen(process.stdout, now);
        const { signal } = stopSignal(process);
        const ended = await showRebuild({ db, screen, now, sleep, keys, privateAllowed }, { sink, ...options }, signal);
        if (ended !== 'left') return ended === 'done' ? 0 : 1;
        screen.say('It continues without this command; run the same command again to watch it.');
        return INTERRUPTED;
      });
    });
}
