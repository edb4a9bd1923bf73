/** `millrace resync`: what it takes, and what it answers. */
import type { Command } from 'commander';
import { startResync } from '../admin/operation/start.ts';
import { showOperation } from '../admin/operations.ts';
import { isUnderWay, refuseNeedless, resyncState, takersOf } from '../admin/resync.ts';
import type { Queryable } from '../db/pool.ts';
import { stopSignal } from '../runtime/stop-signal.ts';
import { withMessages } from './connect.ts';
import { everywhere } from './everywhere.ts';
import { openScreen, type Screen } from './screen.ts';
import { INTERRUPTED, isAgreed, now, type Person, PLACE, person, sleep } from './terminal.ts';
import { readReport } from './verify.ts';
import { goesOn, startOrFind, type WatchOperationDeps, watchOperation } from './watch-operation.ts';

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
    .action(async (database: string, { force = false, verify }: Options, command: Command) => {
      const { yes } = everywhere(command);
      const { signal } = stopSignal(process);
      process.exitCode = await withMessages(PLACE, async (db) => {
        const screen = openScreen(process.stdout, now);
        const deps = { db, screen, ask: person().ask, sleep };
        const ended = await runResync(deps, { database, yes, force, verify }, signal);
        if (ended === 'left') return INTERRUPTED;
        return ended === 'done' ? 0 : 1;
      });
    });
}

export interface ResyncCommand {
  database: string;
  yes: boolean;
  force: boolean;
  verify: boolean;
}

type ResyncDeps = Pick<WatchOperationDeps, 'sleep'> & { db: Queryable; screen: Screen } & Pick<Person, 'ask'>;

/** `refused`: the answer was no, and nothing was done. @throws MillraceError not_found, wrong_state. */
export async function runResync(
  { ask, ...deps }: ResyncDeps,
  { yes, ...wanted }: ResyncCommand,
  signal: AbortSignal,
): Promise<'done' | 'failed' | 'left' | 'refused'> {
  const { db, screen } = deps;
  if (!(await mayBegin({ db, screen, ask }, { ...wanted, yes }))) {
    screen.say('Nothing was done.');
    return 'refused';
  }
  const { id } = await startOrFind(() => startResync(db, wanted));
  const tellStep = async ({ text, operation }: { text: string; operation?: string }): Promise<string> => {
    const verification = operation === undefined ? undefined : await showOperation(db, operation);
    return verification?.state === 'done' ? (await readReport(db, verification, SHOWN)).trimEnd() : text;
  };
  const operation = await watchOperation({ ...deps, tellStep }, id, signal);
  if (operation === undefined) {
    screen.say(goesOn(id));
    return 'left';
  }
  screen.end();
  if (operation.state === 'done') return 'done';
  screen.say([operation.reason ?? `the resync was ${operation.state}`, operation.remedy ?? ''].join('. ').trim());
  return 'failed';
}

/** One that is under way is watched without a question. */
async function mayBegin(
  { db, screen, ask }: Omit<ResyncDeps, 'sleep'>,
  { database, yes, force }: ResyncCommand,
): Promise<boolean> {
  const state = await resyncState(db, database);
  refuseNeedless(state, { force });
  if (state.is_asked || isUnderWay(state)) return true;
  if (state.reason !== null) screen.say(`${state.name}: ${state.reason}`);
  const rowsTo = takersOf(state);
  const sent = rowsTo.length === 0 ? '' : `, and all rows are sent to: ${rowsTo.join(', ')}`;
  screen.say(`Capture starts again from now on${sent}.`);
  if (yes) return true;
  return await isAgreed({ ask }, 'Begin? [y/N] ', {
    message: `nobody can be asked whether ${state.name} may be sent again`,
    remedy: `bin/millrace resync ${state.name} --yes`,
  });
}
