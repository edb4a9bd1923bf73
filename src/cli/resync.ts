/** `millrace resync`: what it takes, and what it answers. */
import type { Command } from 'commander';
import { stopSignal } from '../runtime/stop-signal.ts';
import { withMessages } from './connect.ts';
import { everywhere } from './everywhere.ts';
import { openScreen } from './screen.ts';
import { operatorSettings } from './settings.ts';
import { INTERRUPTED, now, PLACE, person, sleep } from './terminal.ts';
import { runVerify } from './verify.ts';
import { showResync } from './watch-resync.ts';

interface Options {
  force?: boolean;
  verify: boolean;
}

/** Differences of each index. */
const SHOWN = 20;

export function addResyncCommand(program: Command): void {
  program
    .command('resync')
    .description(
      'repair a database that needs a resync: capture it again, send all rows, remove documents of deleted rows; exit code 0: done, 1: not, 130: interrupted',
    )
    .argument('<database>', 'its name in millrace.yaml')
    .option('--no-verify', 'do not compare the search indexes afterwards: documents of deleted rows stay')
    .option('--force', 'also when the database needs no resync')
    .action(async (database: string, { force = false, verify: isVerified }: Options, command: Command) => {
      const { yes } = everywhere(command);
      const settings = await operatorSettings(PLACE.home, PLACE.env);
      const { signal } = stopSignal(process);
      const terminals = { out: process.stdout, err: process.stderr };
      const verify = async (sink: string): Promise<boolean> =>
        (await runVerify(settings, { sink, repair: true, show: SHOWN }, { terminals, signal })) === 0;
      process.exitCode = await withMessages(PLACE, async (db) => {
        const screen = openScreen(process.stdout, now);
        const request = { database, yes, force, verify: isVerified };
        const ended = await showResync({ db, screen, ask: person().ask, verify, now, sleep }, request, signal);
        if (ended !== 'left') return ended === 'done' ? 0 : 1;
        screen.say(
          `It continues without this command. To watch it: bin/millrace resync ${database}; then compare each search index: bin/millrace verify INDEX --repair`,
        );
        return INTERRUPTED;
      });
    });
}
