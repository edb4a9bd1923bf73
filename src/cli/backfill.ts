/** `millrace backfill` and `millrace backfills`: what they take, and what they answer. */
import type { Command } from 'commander';
import { type BackfillVerb, changeBackfill, findBackfill, listBackfills } from '../admin/change-backfill.ts';
import { startBackfill } from '../admin/start-backfill.ts';
import { hasEnded, readWatched } from '../admin/watched.ts';
import type { Database } from '../db/pool.ts';
import { MillraceError } from '../model/errors.ts';
import { millrace } from '../model/quote.ts';
import { stopSignal } from '../runtime/stop-signal.ts';
import { withMessages } from './connect.ts';
import { openScreen } from './screen.ts';
import { backfillText, changedText, listText } from './tell-backfills.ts';
import { INTERRUPTED, now, PLACE, sleep } from './terminal.ts';
import { showBackfills } from './watch-backfills.ts';

export function addBackfillCommands(program: Command): void {
  program
    .command('backfill')
    .description(
      'send the existing rows of its tables to a sink, alongside live changes; exit code 0: done, 1: failed or cancelled',
    )
    .argument('<sink>', 'a sink that takes rows: any but a change retention')
    .argument(
      '[table]',
      'one table, as SQL writes it: orders, sales.orders, \'"My Schema"."T"\' (all tables of the sink)',
    )
    .option('--from <column=value>', 'only rows from this value of this column on: updated_at=2026-01-31')
    .option('--no-wait', 'start it, print its id, and return')
    .action(async (sink: string, table: string | undefined, options: { from?: string; wait: boolean }) => {
      process.exitCode = await withMessages(PLACE, async (db) => {
        const from = options.from === undefined ? undefined : parseFrom(options.from, { sink, table });
        const id = await startBackfill(db, { sink, table, from });
        if (options.wait) return await watch(db, id);
        process.stdout.write(`${id}\n`);
        return 0;
      });
    });
  addControls(program.command('backfills').description('list and control backfills'));
}

function addControls(backfills: Command): void {
  backfills
    .command('list')
    .description('list those that are running or have failed')
    .option('--all', 'include those that have ended')
    .action(async ({ all = false }: { all?: boolean }) => {
      await print(async (db) => listText(await listBackfills(db, all), all));
    });
  backfills
    .command('show')
    .description('show one of them')
    .argument('<id>', 'its id, or the beginning of it')
    .action(async (id: string) => {
      await print(async (db) => backfillText(await findBackfill(db, id)));
    });
  const verbs: [BackfillVerb, string][] = [
    ['pause', 'stop one after its current page'],
    ['resume', 'continue a paused or failed one where it stopped'],
    ['cancel', 'end one for good; what it sent stays sent'],
  ];
  for (const [verb, description] of verbs) {
    backfills
      .command(verb)
      .description(description)
      .argument('<id>', 'its id, or the beginning of it')
      .action(async (id: string) => {
        const change = await withMessages(PLACE, (db) => changeBackfill(db, verb, id));
        process.stdout.write(changedText(verb, change));
        process.exitCode = change.changed ? 0 : 1;
      });
  }
}

async function print(work: (db: Database) => Promise<string>): Promise<void> {
  process.stdout.write(await withMessages(PLACE, work));
}

/** `COLUMN=VALUE` of a table. @throws MillraceError bad_request. */
export function parseFrom(
  text: string,
  { sink, table }: { sink: string; table: string | undefined },
): { column: string; value: string } {
  const at = text.indexOf('=');
  if (at < 1 || at === text.length - 1) {
    throw new MillraceError('bad_request', '--from must be COLUMN=VALUE', {
      remedy: 'The rows from that value of that column on are sent: --from updated_at=2026-01-31',
    });
  }
  if (table === undefined) {
    throw new MillraceError('bad_request', '--from needs a table, whose column it names', {
      remedy: millrace('backfill', sink, 'public.orders', '--from', text),
    });
  }
  return { column: text.slice(0, at), value: text.slice(at + 1) };
}

/** Shows how far it is until it has ended; the exit code. */
export async function watch(db: Database, id: string): Promise<number> {
  const screen = openScreen(process.stdout, now);
  const { signal } = stopSignal(process);
  screen.say(`backfill ${id}`);
  const ended = await showBackfills({ db, screen, now, sleep }, [id], signal);
  if (ended !== 'left') return ended === 'done' ? 0 : 1;
  const open = (await readWatched(db, [id])).filter((row) => !hasEnded(row));
  screen.say('It continues without this command.');
  for (const row of open.slice(0, 5)) screen.say(`  bin/millrace backfills show ${row.id}`);
  screen.say('  bin/millrace backfills list   (pause ID, resume ID, cancel ID)');
  return INTERRUPTED;
}
