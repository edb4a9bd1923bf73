/** `millrace verify`: what it takes, and what it answers. Exit code 0: no drift; 2: drift; 130: interrupted. */
import type { Command } from 'commander';
import { startVerify } from '../admin/operation/start.ts';
import { listFindings, type Operation } from '../admin/operations.ts';
import type { Queryable } from '../db/pool.ts';
import { MillraceError } from '../model/errors.ts';
import { stopSignal } from '../runtime/stop-signal.ts';
import { withMessages } from './connect.ts';
import { openScreen, type Terminal } from './screen.ts';
import { KEPT, reportOf, tellReport } from './tell-verification.ts';
import { INTERRUPTED, now, PLACE, sleep } from './terminal.ts';
import { goesOn, refusalOf, startOrFind, watchOperation } from './watch-operation.ts';

const wholeNumber = (option: string, most: number) => (text: string) => {
  const value = /^\d{1,9}$/.test(text) ? Number(text) : undefined;
  if (value !== undefined && value <= most) return value;
  throw new MillraceError('bad_request', `${option} must be a whole number from 0 to ${most}`);
};

export function addVerifyCommand(program: Command): void {
  program
    .command('verify')
    .description('compare a search index with its tables; exit code 0: no drift, 1: error, 2: drift')
    .argument('<sink>', 'name of the search index in millrace.yaml')
    .option('--repair', 'send again what differs, in order with live changes, and delete what has no row')
    .option('--show <number>', `how many differences are listed, of the first ${KEPT}`, wholeNumber('--show', KEPT), 20)
    .option(
      '--refresh <ms>',
      'after so long a search finds what was written (more than the refresh_interval of the index)',
      wholeNumber('--refresh', 600_000),
    )
    .action(async (sink: string, options: { repair?: boolean; show: number; refresh?: number }) => {
      const { repair = false, show, refresh: refreshMs } = options;
      const terminals = { out: process.stdout, err: process.stderr };
      const { signal } = stopSignal(process);
      process.exitCode = await withMessages(PLACE, (db) =>
        runVerify({ db, terminals }, { sink, repair, show, refreshMs }, signal),
      );
    });
}

interface VerifyDeps {
  db: Queryable;
  /** The report goes out, progress is told beside it. */
  terminals: { out: Terminal; err: Terminal };
}

interface ShownVerification {
  sink: string;
  repair: boolean;
  /** Differences to list. */
  show: number;
  refreshMs: number | undefined;
}

/** The exit code. @throws MillraceError with the remedy when the sink cannot be verified. */
async function runVerify(
  { db, terminals }: VerifyDeps,
  { show, ...wanted }: ShownVerification,
  signal: AbortSignal,
): Promise<number> {
  const screen = openScreen(terminals.err, now);
  const { id, isNew } = await startOrFind(() => startVerify(db, wanted));
  if (!isNew) screen.say(`A verification of ${wanted.sink} is under way: this is its progress and its result.`);
  const operation = await watchOperation({ db, screen, sleep }, id, signal);
  if (operation === undefined) {
    screen.say(goesOn(id));
    return INTERRUPTED;
  }
  screen.show([]);
  if (operation.state !== 'done') throw refusalOf(operation);
  terminals.out.write(await readReport(db, operation, show));
  return operation.result?.drift === true ? 2 : 0;
}

/** Of a verification that is done. */
export async function readReport(db: Queryable, operation: Operation, show: number): Promise<string> {
  const found = await listFindings(db, operation.id, { limit: show, after: 0 });
  return tellReport(
    reportOf(
      operation,
      found.map(({ finding }) => finding),
    ),
    { show },
  );
}
