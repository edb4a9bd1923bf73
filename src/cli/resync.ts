/** `millrace resync`: what it takes, and what it answers. */
import type { Command } from 'commander';
import { runResync } from '../admin/resync.ts';
import { stopSignal } from '../runtime/stop-signal.ts';
import { INTERRUPTED, now, PLACE, question, sleep } from './commands.ts';
import { withMessages } from './connect.ts';
import { openScreen } from './screen.ts';
import { operatorSettings } from './settings.ts';
import { runVerify } from './verify.ts';

interface Options {
  yes?: true;
  force?: true;
  verify: boolean;
}

const SHOWN = 20;

export function addResyncCommand(program: Command): void {
  program
    .command('resync')
    .description(
      'repair a database that needs a resync: capture it again, send all rows, remove documents of deleted rows; exit code 0: done, 1: not, 130: interrupted',
    )
    .argument('<database>', 'its name in millrace.yaml')
    .option('--yes', 'do not ask')
    .option('--no-verify', 'do not compare the search indexes afterwards: documents of deleted rows stay')
    .option('--force', 'also when the database needs no resync')
    .action(async (database: string, options: Options) => {
      const settings = await operatorSettings(PLACE.home, PLACE.env);
      const { signal } = stopSignal(process);
      const terminals = { out: process.stdout, err: process.stderr };
      const verify = (sink: string): Promise<number> =>
        runVerify(settings, { sink, repair: true, show: SHOWN }, { terminals, signal });
      process.exitCode = await withMessages(PLACE, async (db) => {
        const screen = openScreen(process.stdout, now);
        const ask = process.stdin.isTTY ? question : undefined;
        const request = { database, yes: options.yes === true, force: options.force === true, verify: options.verify };
        const ended = await runResync({ db, screen, ask, verify, now, sleep }, request, signal);
        if (ended !== 'left') return ended === 'done' ? 0 : 1;
        screen.say(
          `It continues without this command. To watch it: bin/millrace resync ${database}; then compare each search index: bin/millrace verify INDEX --repair`,
        );
        return INTERRUPTED;
      });
    });
}
