/** Why a command stops before it is done: Ctrl-C, SIGTERM, or `--timeout`. What it watched goes on. */
import { stopSignal } from '../runtime/stop-signal.ts';
import { INTERRUPTED } from './terminal.ts';

export interface Stopping {
  signal: AbortSignal;
  /** Of the process, when the signal has come. */
  exitCode(): number;
}

const TERMINATED = 143;

export function stopping(timeoutMs: number | undefined): Stopping {
  let isTerminated = false;
  let isLate = false;
  process.on('SIGTERM', () => {
    isTerminated = true;
  });
  const signals = [stopSignal(process).signal];
  if (timeoutMs !== undefined) {
    const late = AbortSignal.timeout(timeoutMs);
    late.addEventListener('abort', () => {
      isLate = true;
    });
    signals.push(late);
  }
  return {
    signal: AbortSignal.any(signals),
    exitCode: () => (isLate ? 1 : isTerminated ? TERMINATED : INTERRUPTED),
  };
}

/** For a question whose answer does not come; what has begun there goes on or is taken back there. */
export function giveUpAfter(ms: number | undefined): void {
  if (ms === undefined) return;
  const giveUp = (): void => {
    process.stderr.write(`There was no answer within ${ms / 1_000} s\n  Give it longer: --timeout\n`);
    process.exit(1);
  };
  setTimeout(giveUp, ms).unref();
}
