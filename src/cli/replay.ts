/** `millrace replay`: what it takes, and what it answers. */
import type { Command } from 'commander';
import { previewReplay, type ReplayOptions, startReplay } from '../admin/replay.ts';
import { keyRing } from '../runtime/secret-key.ts';
import { stopSignal } from '../runtime/stop-signal.ts';
import { PLACE, watch } from './commands.ts';
import { withMessages } from './connect.ts';
import { operatorSettings } from './settings.ts';

interface Options extends Pick<ReplayOptions, 'since' | 'until' | 'fromSeq' | 'toSeq'> {
  key?: string[];
  dryRun?: true;
  wait: boolean;
}

export function addReplayCommand(program: Command): void {
  program
    .command('replay')
    .description('send entries of a change table to a sink again; exit code 0: done, 1: failed or cancelled')
    .argument('<retention>', 'the change retention whose change table it is')
    .argument('<sink>', 'a search index or a pull consumer')
    .option('--since <time>', 'only what was committed from this time on')
    .option('--until <time>', 'only what was committed before this time')
    .option('--from-seq <number>', 'only entries from this seq on')
    .option('--to-seq <number>', 'only entries up to this seq')
    .option('--key <pk...>', 'only of the rows with these primary keys, as record_pk has them')
    .option('--dry-run', 'count what would be sent, and send nothing')
    .option('--no-wait', 'start it, print its id, and return')
    .action(async (retention: string, sink: string, { key, dryRun, wait, ...range }: Options) => {
      const request: ReplayOptions = { ...range, retention, sink, keys: key };
      process.exitCode = await withMessages(PLACE, async (db) => {
        if (dryRun) {
          const settings = await operatorSettings(PLACE.home, PLACE.env);
          const { privateAllowed } = settings;
          const keys = keyRing(settings);
          process.stdout.write(await previewReplay({ db, keys, privateAllowed }, request, stopSignal(process).signal));
          return 0;
        }
        const id = await startReplay(db, request);
        if (wait) return await watch(db, id);
        process.stdout.write(`${id}\n`);
        return 0;
      });
    });
}
