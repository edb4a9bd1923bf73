/** `millrace verify`: what it takes, and what it answers. Exit code 0: no drift; 2: drift; 130: interrupted. */
import type { Command } from 'commander';
import { type VerifyRequest, verify } from '../admin/verify.ts';
import { MillraceError } from '../model/errors.ts';
import type { Settings } from '../runtime/settings.ts';
import { stopSignal } from '../runtime/stop-signal.ts';
import { openScreen, type Terminal } from './screen.ts';
import { operatorSettings } from './settings.ts';
import { tellProgress, tellReport } from './tell-verification.ts';
import { INTERRUPTED, now, PLACE } from './terminal.ts';

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
    .option('--show <number>', 'how many differences are listed', wholeNumber('--show', 100_000), 20)
    .option(
      '--refresh <ms>',
      'after so long a search finds what was written (more than the refresh_interval of the index)',
      wholeNumber('--refresh', 600_000),
    )
    .action(async (sink: string, options: { repair?: boolean; show: number; refresh?: number }) => {
      const { repair = false, show, refresh } = options;
      const timing = refresh === undefined ? {} : { options: { refreshMs: refresh } };
      process.exitCode = await runVerify(
        await operatorSettings(PLACE.home, PLACE.env),
        { sink, repair, show, ...timing },
        { terminals: { out: process.stdout, err: process.stderr }, signal: stopSignal(process).signal },
      );
    });
}

export interface ShownVerification extends VerifyRequest {
  /** Differences to list. */
  show: number;
}

export interface VerifyTerminals {
  /** The report. */
  out: Terminal;
  /** Progress. */
  err: Terminal;
}

/** The exit code. @throws MillraceError with the remedy when the sink cannot be verified. */
export async function runVerify(
  settings: Settings,
  { show, ...request }: ShownVerification,
  { terminals, signal }: { terminals: VerifyTerminals; signal: AbortSignal },
): Promise<number> {
  const screen = openScreen(terminals.err, now);
  try {
    const onProgress = (progress: Parameters<typeof tellProgress>[0]): void => screen.show([tellProgress(progress)]);
    const verified = await verify(settings, request, { onProgress, signal });
    screen.show([]);
    terminals.out.write(tellReport(verified, { show }));
    return verified.isDrifting ? 2 : 0;
  } catch (error) {
    if (signal.aborted) return INTERRUPTED;
    throw error;
  } finally {
    screen.end();
  }
}
