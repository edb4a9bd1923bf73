/** `millrace replay`: what it takes, and what it answers. */
import type { Command } from 'commander';
import { previewReplay, type ReplayOptions, type ReplayPreview, startReplay } from '../admin/replay.ts';
import { count } from '../model/quantity.ts';
import { keyRing } from '../runtime/secret-key.ts';
import { stopSignal } from '../runtime/stop-signal.ts';
import { watch } from './backfill.ts';
import { withMessages } from './connect.ts';
import { operatorSettings } from './settings.ts';
import { PLACE } from './terminal.ts';

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
    .argument('<sink>', 'a sink that takes rows: any but a change retention')
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
          const { signal } = stopSignal(process);
          const preview = await previewReplay({ db, keys, privateAllowed }, request, signal);
          process.stdout.write(previewText(preview, request));
          return 0;
        }
        const id = await startReplay(db, request);
        if (wait) return await watch(db, id);
        process.stdout.write(`${id}\n`);
        return 0;
      });
    });
}

function previewText(preview: ReplayPreview, { retention, sink }: ReplayOptions): string {
  const byAction = { insert: preview.inserts, update: preview.updates, delete: preview.deletes };
  const takes = (action: keyof typeof byAction): boolean => preview.actions.includes(action);
  const actions = ['insert', 'update', 'delete'] as const;
  const entries = actions.filter(takes).reduce((sum, action) => sum + byAction[action], 0);
  const what = `${count(entries)} ${entries === 1 ? 'entry' : 'entries'} of ${retention} would be sent to ${sink}`;
  if (preview.entries === 0) return `${what}\n`;
  const lines = [
    ...actions.map((action) => [
      action,
      takes(action) ? count(byAction[action]) : `0, the sink does not take ${count(byAction[action])}`,
    ]),
    ['first', `seq ${preview.first_seq}, committed ${preview.first_at}`],
    ['last', `seq ${preview.last_seq}, committed ${preview.last_at}`],
    ...(preview.isFiltered ? [['note', 'the filters of the sink may leave some out']] : []),
  ];
  return `${what}\n${lines.map(([name, value]) => `  ${name!.padEnd(8)}${value}\n`).join('')}`;
}
