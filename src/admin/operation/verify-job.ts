/**
 * A verification, in a process of its own: it remembers every document, and that memory is not the lanes'. The process ends
 * with its channel. When it dies, the next attempt goes on behind the tables that were done.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { MillraceError } from '../../model/errors.ts';
import type { Settings } from '../../runtime/settings.ts';
import type { Kept } from '../../verify/progress.ts';
import type { Finding } from '../operations.ts';
import type { Verified, VerifyProgress, VerifyRequest } from '../verify.ts';
import type { Ended, Held, Shown } from './held.ts';
import { TryAgain, type Work } from './runner.ts';
import { tellProgress } from './verify-lines.ts';

/** What the process is told, once. */
export interface VerifyOrder {
  settings: Settings;
  request: VerifyRequest;
  kept: Kept | undefined;
}

/** What it says. */
export type VerifyWord =
  | { say: 'progress'; progress: VerifyProgress }
  | { say: 'kept'; kept: Kept }
  /** Its drifts are the first thousand. */
  | { say: 'done'; verified: Verified }
  | { say: 'failed'; message: string; remedy: string | undefined; again: boolean };

const ENTRY = fileURLToPath(new URL('verify-process.ts', import.meta.url));
/** Differences that are kept. */
export const FINDINGS = 1_000;
const GRACE_MS = 3_000;

export const verifyWork =
  (settings: Settings): Work =>
  async (held) => {
    const { repair, refresh_ms: refreshMs } = held.request;
    const options = typeof refreshMs === 'number' ? { options: { refreshMs } } : {};
    const request = { sink: held.sink_name!, repair: repair === true, ...options };
    const verified = await inProcess(held, { settings, request, kept: (held.kept ?? undefined) as Kept | undefined });
    return endOf(verified);
  };

export function endOf(verified: Verified): Ended {
  const { rows, listed, missing, extra, different, changing, repaired, notes, tables, drifts } = verified;
  return {
    state: 'done',
    result: {
      ...{ drift: verified.isDrifting, compared: rows, documents: listed, missing, extra, different, changing },
      ...{ repaired: repaired ?? null, notes, tables },
    },
    findings: drifts.slice(0, FINDINGS).map(findingOf),
  };
}

const findingOf = ({ kind, index, id, table, key, fields, reason }: Verified['drifts'][number]): Finding => ({
  ...{ kind, index, id, table, key, fields, reason },
});

async function inProcess(held: Held, order: VerifyOrder): Promise<Verified> {
  held.signal.throwIfAborted();
  const child = fork(ENTRY, [], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  const stop = (): void => endChild(child);
  held.signal.addEventListener('abort', stop, { once: true });
  try {
    return await heard(child, held, order);
  } finally {
    held.signal.removeEventListener('abort', stop);
    endChild(child);
  }
}

function heard(child: ChildProcess, held: Held, order: VerifyOrder): Promise<Verified> {
  const { promise, resolve, reject } = Promise.withResolvers<Verified>();
  const rate = rateOf(() => performance.now());
  let keeping: Promise<unknown> = Promise.resolve();
  child.on('message', (word: VerifyWord) => {
    if (word.say === 'progress') held.show(shownOf(word.progress, rate(word.progress)));
    // One that is lost is told by its signal, and what is kept only saves time.
    else if (word.say === 'kept') keeping = keeping.then(() => held.keep(word.kept)).catch(() => undefined);
    else if (word.say === 'done') void keeping.then(() => resolve(word.verified));
    else if (word.again) reject(new TryAgain(word.message, word.remedy));
    else reject(new MillraceError('internal', word.message, word.remedy === undefined ? {} : { remedy: word.remedy }));
  });
  child.once('error', (error) => reject(new TryAgain(`the process that compares could not be used: ${error.message}`)));
  child.once(
    'exit',
    (code, signal) =>
      void keeping.then(() => reject(new TryAgain(`the process that compares ended (${signal ?? `code ${code}`})`))),
  );
  child.send(
    order,
    (error) => error && reject(new TryAgain(`the process that compares could not be told: ${error.message}`)),
  );
  return promise;
}

function endChild(child: ChildProcess): void {
  if (child.connected) child.disconnect();
  if (child.exitCode !== null || child.signalCode !== null) return;
  const timer = setTimeout(() => child.kill('SIGKILL'), GRACE_MS);
  child.once('exit', () => clearTimeout(timer));
}

const PHASES: Record<VerifyProgress['phase'], string> = {
  rows: 'comparing',
  index: 'looking_through',
  recheck: 'looking_again',
  repair: 'repairing',
};

export function shownOf(progress: VerifyProgress, perSecond: number | null): Shown {
  const { phase, name, part, count } = progress;
  const total = part ? Math.round(count / part) : null;
  return {
    phase: PHASES[phase],
    progress: {
      ...{ table: name === '' ? null : name, done: count, sent: 0, total },
      percent: part === undefined ? null : Math.min(99, Math.floor(part * 100)),
      per_second: perSecond,
      seconds_left: total === null || perSecond === null ? null : Math.round((total - count) / perSecond),
    },
    lines: [tellProgress(progress)],
  };
}

/** A second, since this phase of this table began; null: not known yet. */
function rateOf(now: () => number): (progress: VerifyProgress) => number | null {
  let of = '';
  let begun = 0;
  let from = 0;
  return ({ phase, name, count }) => {
    if (of !== `${phase} ${name}` || count < from) {
      of = `${phase} ${name}`;
      begun = now();
      from = count;
    }
    const seconds = (now() - begun) / 1_000;
    return seconds < 1 || count === from ? null : Math.round(((count - from) / seconds) * 10) / 10;
  };
}
