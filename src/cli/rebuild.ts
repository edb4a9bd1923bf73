/** `millrace rebuild`: what it takes, and what it answers. */
import type { Command } from 'commander';
import { startRebuild } from '../admin/operation/start.ts';
import type { Operation } from '../admin/operations.ts';
import { checkRebuild } from '../admin/rebuild.ts';
import { count } from '../model/quantity.ts';
import { keyRing } from '../runtime/secret-key.ts';
import { stopSignal } from '../runtime/stop-signal.ts';
import { withMessages } from './connect.ts';
import { openScreen, type Screen } from './screen.ts';
import { operatorSettings } from './settings.ts';
import { INTERRUPTED, now, PLACE, sleep } from './terminal.ts';
import { goesOn, refusalOf, startOrFind, watchOperation } from './watch-operation.ts';

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
        const wanted = { sink, ...options };
        await checkRebuild({ db, messages: db, keys, privateAllowed }, wanted, signal);
        const { id, isNew } = await startOrFind(() => startRebuild(db, wanted));
        if (!isNew) screen.say(`A rebuild of ${sink} is under way: this is its progress.`);
        const operation = await watchOperation({ db, screen, sleep }, id, signal);
        if (operation === undefined) {
          screen.say(goesOn(id));
          return INTERRUPTED;
        }
        screen.end();
        if (operation.state !== 'done') throw refusalOf(operation);
        tellResult(screen, operation);
        return 0;
      });
    });
}

function tellResult(screen: Screen, { result }: Operation): void {
  const { sink, parked, text } = result as { sink: string; parked: number; text: string };
  screen.say(`caught up: what was captured before is in the index${parkedText(sink, parked)}`);
  screen.say(text);
}

const parkedText = (sink: string, parked: number): string =>
  parked === 0
    ? ''
    : `, but for ${count(parked)} parked messages: select * from millrace.parked_messages where sink_name = '${sink}'`;
