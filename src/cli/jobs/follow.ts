/**
 * A job, watched: what is over stays on the screen, how far it is is drawn again. Watching changes nothing: whoever stops leaves
 * it running. With `--json` an object a line, each time it has moved.
 */
import { MillraceError } from '../../model/errors.ts';
import { type Progress, progressText } from '../../model/progress-text.ts';
import type { Screen } from '../screen.ts';
import { stopping } from '../stopping.ts';
import type { Running } from '../table/command.ts';
import { readJson } from '../table/json.ts';
import { at, textAt } from '../table/tell.ts';
import { now, sleep } from '../terminal.ts';
import { reportText } from './report.ts';

/** Over HTTP, and in this process. */
const LOOK_MS = { remote: 1_000, own: 500 };
/** A capture, or a worker, looks more often than that. */
const UNSEEN_MS = 10_000;
/** Differences that a verification within a job has found. */
const SHOWN = 20;

export interface Followed {
  operation: unknown;
  /** The exit code of whoever left; absent: it has ended. */
  left?: number;
}

/** Until it has ended, or whoever watches stops. @throws MillraceError */
export async function follow(running: Running, id: string, screen: Screen): Promise<Followed> {
  const { client, everywhere } = running;
  const { json, timeoutMs } = everywhere;
  const stop = stopping(timeoutMs);
  let told: number | undefined;
  let last = '';
  let since = now();
  for (;;) {
    const { text } = await client.ask({ route: 'GET /api/operations/:id', params: { id } });
    const operation = readJson(text);
    if (text !== last) {
      since = now();
      if (json) process.stdout.write(`${text}\n`);
    }
    last = text;
    if (told === undefined) screen.say(`${textAt(operation, 'kind')} ${id}`);
    told = json ? 0 : await saySteps(running, operation, { screen, told: told ?? 0 });
    const hasEnded = typeof at(operation, 'ended_at') === 'string';
    if (!hasEnded) screen.show(linesOf(operation, now() - since));
    if (hasEnded || stop.signal.aborted) {
      screen.end();
      if (hasEnded) return { operation };
      process.stderr.write(`It continues without this command. To watch it: bin/millrace operation watch ${id}\n`);
      return { operation, left: stop.exitCode() };
    }
    await sleep(client.isRemote ? LOOK_MS.remote : LOOK_MS.own, stop.signal);
  }
}

/** How many were said. */
async function saySteps(
  running: Running,
  operation: unknown,
  { screen, told }: { screen: Screen; told: number },
): Promise<number> {
  const steps = at(operation, 'steps');
  const all = Array.isArray(steps) ? steps : [];
  for (const step of all.slice(told)) screen.say(await stepText(running, step));
  return all.length;
}

/** Of a verification within the job its report. */
async function stepText({ client }: Running, step: unknown): Promise<string> {
  const id = textAt(step, 'operation');
  if (id === '') return textAt(step, 'text');
  const verification = readJson((await client.ask({ route: 'GET /api/operations/:id', params: { id } })).text);
  if (at(verification, 'state') !== 'done') return textAt(step, 'text');
  return (await reportText(client, verification, SHOWN)).trimEnd();
}

function linesOf(operation: unknown, stillMs: number): string[] {
  const [state, kind, reason, remedy] = ['state', 'kind', 'reason', 'remedy'].map((key) => textAt(operation, key));
  const lines = at(operation, 'lines');
  if (isOfRows(operation) && Array.isArray(lines) && lines.length > 0) return lines.map(String);
  if (state === 'paused') return [`the ${kind} is paused: bin/millrace operation resume ${textAt(operation, 'id')}`];
  if (reason !== '') return [`waiting: ${[reason, remedy].filter(Boolean).join('; ')}`];
  const hint = stillMs < UNSEEN_MS ? [] : ['nothing has moved: do capture and a worker run? bin/millrace doctor'];
  if (Array.isArray(lines) && lines.length > 0) return [...lines.map(String), ...hint];
  if (state === 'waiting') return ['waiting', ...hint];
  return [`${textAt(operation, 'progress.table')}  ${progressText(progressOf(operation))}`.trim(), ...hint];
}

/** Its lines say why it waits, and that nobody works on it. */
const isOfRows = (operation: unknown): boolean => ['backfill', 'replay'].includes(textAt(operation, 'kind'));

function progressOf(operation: unknown): Progress {
  const number = (key: string): number | null => {
    const value = at(operation, `progress.${key}`);
    return typeof value === 'number' ? value : null;
  };
  const [total, rate, left] = [number('total'), number('per_second'), number('seconds_left')];
  return { done: number('done') ?? 0, total, rate, left, unit: 'rows' };
}

/** The exit code of what has ended; what failed is thrown with its remedy. @throws MillraceError */
export async function follows(running: Running, id: string): Promise<number> {
  const screen = running.screen();
  const { operation, left } = await follow(running, id, screen);
  return left ?? ended(running, operation, screen);
}

/** Of backfills and replays, says what became of them. @throws MillraceError: it failed, or was cancelled. */
export function ended({ everywhere }: Running, operation: unknown, screen: Screen): number {
  const [state, kind, reason, remedy] = ['state', 'kind', 'reason', 'remedy'].map((key) => textAt(operation, key));
  const lines = at(operation, 'lines');
  const said = isOfRows(operation) && Array.isArray(lines) ? lines.map(String) : [];
  const wasNothing = at(operation, 'result.tables') === 0;
  if (state !== 'done' || wasNothing) {
    const message = state === 'cancelled' ? `the ${kind} was cancelled` : reason || `the ${kind} failed`;
    if (said.length > 0 && !everywhere.json) throw new MillraceError('wrong_state', said.join('\n'));
    throw new MillraceError('wrong_state', message, remedy ? { remedy } : {});
  }
  for (const line of said) screen.say(line);
  return at(operation, 'result.drift') === true ? 2 : 0;
}
