/**
 * Runs a role until it is told to stop. Faults of the settings are printed together, by name, before anything starts. What
 * nobody caught is logged through the log, which holds back rows and secrets, and ends the process: its parent or platform
 * starts it anew.
 */
import { fileURLToPath } from 'node:url';
import { migrate, runRole } from './app.ts';
import { faultLine, MillraceError, messageOf } from './model/errors.ts';
import { printableOn } from './model/printable.ts';
import { isReadOnly } from './model/sqlstate.ts';
import { createLog } from './runtime/log.ts';
import { maskAddresses } from './runtime/redact.ts';
import { withoutRepeats } from './runtime/repeats.ts';
import type { Word } from './runtime/role-words.ts';
import { type Declared, readSettings, withDatabase } from './runtime/settings.ts';
import { stopSignal } from './runtime/stop-signal.ts';

/** A role gives its leases back and ends well before its parent, or its platform, loses patience. */
const ROLE_GRACE_MS = 7_500;
const ALL_GRACE_MS = 9_900;

const READ_ONLY = 'DATABASE_URL leads to a server that is read-only, as a standby is: name the primary.';

/** False when a process that it started has failed, and has said why. */
async function run(word: Word, declared: Declared): Promise<boolean> {
  const stop = stopSignal(process);
  stop.failsafe(word === 'all' ? ALL_GRACE_MS : ROLE_GRACE_MS);
  const log = withoutRepeats(createLog({ level: declared.logLevel, role: word }));
  const fatal = (error: unknown): void => {
    log.fatal({ err: error }, 'an error that nobody expected ends this process');
    process.exit(1);
  };
  process.on('uncaughtException', fatal);
  process.on('unhandledRejection', fatal);
  if (word === 'all') {
    // A role alone runs none of it.
    const { runAll } = await import('./roles/all.ts');
    return await runAll(
      declared,
      { log, signal: stop.signal },
      {
        entry: fileURLToPath(new URL('main.ts', import.meta.url)),
        home: '.millrace',
        env: process.env,
        print: (text) => process.stdout.write(text),
        terminal: process.stdout.isTTY,
      },
    );
  }
  if (word === 'migrate') await migrate(withDatabase(declared));
  else await runRole(word, withDatabase(declared), { signal: stop.signal });
  return true;
}

/** `PORT: must be ...` for each fault, with its remedy; none is said twice. */
export function describe(error: unknown): string {
  if (isReadOnly(error)) return `Millrace cannot start: ${messageOf(error)}\n  ${READ_ONLY}`;
  if (!(error instanceof MillraceError)) return messageOf(error);
  const faults = error.faults.map((fault) => `  ${faultLine(fault)}`);
  const head = faults.length > 0 ? ['Millrace cannot start:', ...faults] : [`Millrace cannot start: ${error.message}`];
  const isSaid = error.remedy === undefined || error.faults.some(({ remedy }) => remedy === error.remedy);
  return [...head, ...(isSaid ? [] : [`  ${error.remedy}`])].join('\n');
}

/** Ends the process: with 0 when it was told to stop, or had no more to do; with 1 after a failure. */
export async function start(word: Word): Promise<never> {
  try {
    process.exit((await run(word, readSettings(process.env))) ? 0 : 1);
  } catch (error) {
    process.stderr.write(`${printableOn(process.stderr, maskAddresses(describe(error)))}\n`);
    process.exit(1);
  }
}
