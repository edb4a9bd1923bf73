/**
 * A job of the service, watched over HTTP: what is over stays on the screen, how far it is is drawn again. Watching changes
 * nothing: whoever stops leaves it running. With `--json` an object a line, each time it has moved.
 */
import { MillraceError } from '../../model/errors.ts';
import { type Progress, progressText } from '../../model/progress-text.ts';
import { openScreen, type Screen } from '../screen.ts';
import { stopping } from '../stopping.ts';
import type { Running } from '../table/command.ts';
import { readJson } from '../table/json.ts';
import { at, textAt } from '../table/tell.ts';
import { now, sleep } from '../terminal.ts';

const LOOK_MS = 1_000;
/** A capture, or a worker, looks more often than that. */
const UNSEEN_MS = 10_000;

export interface Followed {
  operation: unknown;
  /** Absent: it has ended. */
  left?: number;
}

type Watching = Pick<Running, 'client' | 'everywhere'>;

/** Until it has ended, or whoever watches stops. @throws MillraceError */
export async function follow({ client, everywhere }: Watching, id: string): Promise<Followed> {
  const { json, quiet, timeoutMs } = everywhere;
  const screen = json || quiet ? undefined : openScreen(process.stdout, now);
  const stop = stopping(timeoutMs);
  let told = 0;
  let last = '';
  let since = now();
  screen?.say(`operation ${id}`);
  for (;;) {
    const { text } = await client.ask({ route: 'GET /api/operations/:id', params: { id } });
    const operation = readJson(text);
    if (text !== last) {
      since = now();
      if (json) process.stdout.write(`${text}\n`);
    }
    last = text;
    told += saySteps(screen, operation, told);
    const hasEnded = typeof at(operation, 'ended_at') === 'string';
    if (!hasEnded) screen?.show(linesOf(operation, now() - since));
    if (hasEnded || stop.signal.aborted) {
      screen?.end();
      if (hasEnded) return { operation };
      process.stderr.write(`It continues without this command. To watch it: bin/millrace operation watch ${id}\n`);
      return { operation, left: stop.exitCode() };
    }
    await sleep(LOOK_MS, stop.signal);
  }
}

function saySteps(screen: Screen | undefined, operation: unknown, told: number): number {
  const steps = at(operation, 'steps');
  const fresh = Array.isArray(steps) ? steps.slice(told) : [];
  for (const step of fresh) screen?.say(textAt(step, 'text'));
  return fresh.length;
}

function linesOf(operation: unknown, stillMs: number): string[] {
  const [state, kind, reason, remedy] = ['state', 'kind', 'reason', 'remedy'].map((key) => textAt(operation, key));
  const lines = at(operation, 'lines');
  if (state === 'paused') return [`the ${kind} is paused: bin/millrace operation resume ${textAt(operation, 'id')}`];
  if (reason !== '') return [`waiting: ${[reason, remedy].filter(Boolean).join('; ')}`];
  const hint = stillMs < UNSEEN_MS ? [] : ['nothing has moved: do capture and a worker run? bin/millrace doctor'];
  if (Array.isArray(lines) && lines.length > 0) return [...lines.map(String), ...hint];
  if (state === 'waiting') return ['waiting', ...hint];
  return [`${textAt(operation, 'progress.table')}  ${progressText(progressOf(operation))}`.trim(), ...hint];
}

function progressOf(operation: unknown): Progress {
  const number = (key: string): number | null => {
    const value = at(operation, `progress.${key}`);
    return typeof value === 'number' ? value : null;
  };
  const [total, rate, left] = [number('total'), number('per_second'), number('seconds_left')];
  return { done: number('done') ?? 0, total, rate, left, unit: 'rows' };
}

/** The exit code of what has ended; what failed is thrown with its remedy. */
export async function follows(running: Watching, id: string): Promise<number> {
  const { operation, left } = await follow(running, id);
  return left ?? ended(running, operation);
}

/** @throws MillraceError: it failed, or was cancelled. */
export function ended({ everywhere }: Watching, operation: unknown): number {
  const [state, kind, reason, remedy] = ['state', 'kind', 'reason', 'remedy'].map((key) => textAt(operation, key));
  if (state !== 'done') {
    const message = state === 'cancelled' ? `the ${kind} was cancelled` : reason || `the ${kind} failed`;
    throw new MillraceError('wrong_state', message, remedy ? { remedy } : {});
  }
  const [done, sent] = [at(operation, 'progress.done'), at(operation, 'progress.sent')];
  const counted = kind === 'backfill' || kind === 'replay' ? `: ${done} rows read, ${sent} sent` : '';
  if (!everywhere.json && !everywhere.quiet) process.stdout.write(`done${counted}\n`);
  return at(operation, 'result.drift') === true ? 2 : 0;
}
