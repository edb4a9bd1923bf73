/** The commands that act on a running service: they reach it through its message database alone. */
import { createInterface } from 'node:readline/promises';
import { setTimeout as wait } from 'node:timers/promises';
import type { Command } from 'commander';
import { runRemoveDatabase } from '../admin/remove-database.ts';
import { runRemoveSink } from '../admin/remove-sink.ts';
import { startBackfill } from '../admin/start-backfill.ts';
import { readWatched, watchBackfills } from '../admin/watched.ts';
import { loadCatalog } from '../catalog/store.ts';
import type { Database } from '../db/pool.ts';
import { keyRing } from '../runtime/secret-key.ts';
import { stopSignal } from '../runtime/stop-signal.ts';
import { type Place, withMessages } from './connect.ts';
import { openScreen } from './screen.ts';
import { operatorSettings } from './settings.ts';
import { type BackfillVerb, changeBackfill, listBackfills, showBackfill } from './tell-backfills.ts';

export const PLACE: Place = { home: '.millrace', env: process.env };
/** As shells say of what Ctrl-C ended. */
export const INTERRUPTED = 130;

export function addBackfillCommands(program: Command): void {
  program
    .command('backfill')
    .description(
      'send the existing rows of its tables to a sink, alongside live changes; exit code 0: done, 1: failed or cancelled',
    )
    .argument('<sink>', 'a search index or a pull consumer')
    .argument(
      '[table]',
      'one table, as SQL writes it: orders, sales.orders, \'"My Schema"."T"\' (all tables of the sink)',
    )
    .option('--from <column=value>', 'only rows from this value of this column on: updated_at=2026-01-31')
    .option('--no-wait', 'start it, print its id, and return')
    .action(async (sink: string, table: string | undefined, options: { from?: string; wait: boolean }) => {
      process.exitCode = await withMessages(PLACE, async (db) => {
        const id = await startBackfill(db, { sink, table, from: options.from });
        if (options.wait) return await watch(db, id);
        process.stdout.write(`${id}\n`);
        return 0;
      });
    });

  const backfills = program.command('backfills').description('list and control backfills');
  backfills
    .command('list')
    .description('list those that are running or have failed')
    .option('--all', 'include those that have ended')
    .action(async (options: { all?: true }) => {
      await print((db) => listBackfills(db, options.all === true));
    });
  backfills
    .command('show')
    .description('show one of them')
    .argument('<id>', 'its id, or the beginning of it')
    .action(async (id: string) => {
      await print((db) => showBackfill(db, id));
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
        const { text, changed } = await withMessages(PLACE, (db) => changeBackfill(db, verb, id));
        process.stdout.write(text);
        process.exitCode = changed ? 0 : 1;
      });
  }
}

export function addSinkCommands(program: Command): void {
  program
    .command('sink')
    .description('manage sinks')
    .command('remove')
    .description('remove a sink with its messages; its entry in millrace.yaml is yours to remove')
    .argument('<name>', 'its name')
    .option('--yes', 'do not ask')
    .action(async (name: string, options: { yes?: true }) => {
      const say = (line: string): void => void process.stdout.write(`${line}\n`);
      const ask = process.stdin.isTTY ? question : undefined;
      const isGone = await withMessages(PLACE, (db) =>
        runRemoveSink({ db, ask, say }, name, { yes: options.yes === true }),
      );
      process.exitCode = isGone ? 0 : 1;
    });
}

export function addDatabaseCommands(program: Command): void {
  program
    .command('database')
    .description('manage databases')
    .command('remove')
    .description('remove a database that no sink uses, with the slot and the publication that Millrace made in it')
    .argument('<name>', 'its name')
    .option('--yes', 'do not ask')
    .action(async (name: string, options: { yes?: true }) => {
      const settings = await operatorSettings(PLACE.home, PLACE.env);
      const keys = keyRing(settings);
      const say = (line: string): void => void process.stdout.write(`${line}\n`);
      const ask = process.stdin.isTTY ? question : undefined;
      const isGone = await withMessages(PLACE, async (db) => {
        const catalog = await loadCatalog(db, keys, settings.privateAllowed);
        const deps = { db, catalog, ask, say, now, sleep: (ms: number) => wait(ms) };
        return await runRemoveDatabase(deps, name, { yes: options.yes === true });
      });
      process.exitCode = isGone ? 0 : 1;
    });
}

export async function question(text: string): Promise<string> {
  const lines = createInterface({ input: process.stdin, output: process.stdout });
  try {
    return await lines.question(text);
  } finally {
    lines.close();
  }
}

async function print(work: (db: Database) => Promise<string>): Promise<void> {
  process.stdout.write(await withMessages(PLACE, work));
}

/** Shows how far it is until it has ended; the exit code. */
export async function watch(db: Database, id: string): Promise<number> {
  const screen = openScreen(process.stdout, now);
  const { signal } = stopSignal(process);
  screen.say(`backfill ${id}`);
  const ended = await watchBackfills({ db, screen, now, sleep }, [id], signal);
  if (ended !== 'left') return ended === 'done' ? 0 : 1;
  const open = (await readWatched(db, [id])).filter((row) => !['done', 'cancelled', 'failed'].includes(row.state));
  screen.say('It continues without this command.');
  for (const row of open.slice(0, 5)) screen.say(`  bin/millrace backfills show ${row.id}`);
  screen.say('  bin/millrace backfills list   (pause ID, resume ID, cancel ID)');
  return INTERRUPTED;
}

export const now = (): number => performance.now();

/** Resolves early when the signal comes. */
export async function sleep(ms: number, signal: AbortSignal): Promise<void> {
  await wait(ms, undefined, { signal }).catch(() => undefined);
}
