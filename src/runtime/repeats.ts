/**
 * Holds a log short while something is wrong for long: a warning or an error that comes again and again is written once, and
 * once more with a count when it has stopped coming. The same is: the same sentence about the same thing, with the same error;
 * of a server that is away or full each way to say so is the same. A request's own fault (it has an id that somebody may ask
 * for) is always written. What was left out is there on level debug.
 */
import { MillraceError } from '../model/errors.ts';
import { isFull, isLoginRefused, isUnavailable } from '../model/sqlstate.ts';
import type { Log } from './log.ts';

export interface RepeatsDeps {
  now?: () => number;
  /** Calls `work` in so many milliseconds; returns how to call it off. */
  later?: (work: () => void, ms: number) => () => void;
}

/** Longer than what comes by itself waits before another try (30 s: destinations, checks of a source), and than that takes to fail. */
export const OVER_MS = 45_000;
/** What a line is about. */
const THINGS = ['service', 'database', 'sink', 'lane', 'table'];

interface Going {
  level: 'warn' | 'error';
  message: string;
  thing: Record<string, unknown>;
  firstAt: number;
  lastAt: number;
  times: number;
}

/** `log` without repetitions. `end` writes the counts that are still open; for the end of a process. */
export function withoutRepeats(log: Log, deps: RepeatsDeps = {}): Log & { end(): void } {
  const now = deps.now ?? (() => performance.now());
  const later = deps.later ?? inProcess;
  const going = new Map<string, Going>();
  let callOff: (() => void) | undefined;

  const close = (key: string, one: Going): void => {
    going.delete(key);
    if (one.times < 2) return;
    const seconds = Math.round((one.lastAt - one.firstAt) / 100) / 10;
    log.info({ ...one.thing, times: one.times, seconds }, `no more: ${one.message}`);
  };
  const look = (): void => {
    callOff = undefined;
    for (const [key, one] of going) if (now() - one.lastAt >= OVER_MS) close(key, one);
    plan();
  };
  const plan = (): void => {
    if (going.size > 0) callOff ??= later(look, OVER_MS / 4);
  };
  /** False: it was said already. */
  const isNew = (level: Going['level'], details: Record<string, unknown>, message: string): boolean => {
    const same = sameOf(details);
    if (same === undefined) return true;
    const thing = Object.fromEntries(THINGS.filter((name) => name in details).map((name) => [name, details[name]]));
    const key = JSON.stringify([level, message, same, thing]);
    const known = going.get(key);
    if (known === undefined) going.set(key, { level, message, thing, firstAt: now(), lastAt: now(), times: 1 });
    else {
      known.times += 1;
      known.lastAt = now();
    }
    plan();
    return known === undefined;
  };

  const wrap = (to: Log, fields: Record<string, unknown>): Log => {
    const line =
      (level: Going['level']) =>
      (...given: unknown[]): void => {
        const [details, message] = given;
        const all = typeof details === 'object' && details !== null ? { ...fields, ...details } : fields;
        const write = typeof message !== 'string' || isNew(level, all, message) ? to[level] : to.debug;
        Reflect.apply(write, to, [withoutStack(details), ...given.slice(1)]);
      };
    return {
      ...to,
      warn: line('warn'),
      error: line('error'),
      child: (more) => wrap(to.child(more), { ...fields, ...more }),
    };
  };
  return {
    ...wrap(log, {}),
    end() {
      callOff?.();
      for (const [key, one] of going) close(key, one);
    },
  };
}

const isAway = (error: unknown): boolean =>
  isUnavailable(error) || (error instanceof MillraceError && error.code === 'unavailable');

/** What makes two lines of one sentence the same; undefined for a line that is always written. */
function sameOf({ err, reason, request_id }: Record<string, unknown>): string | undefined {
  if (err instanceof Error && isAway(err)) return kindOf(err);
  if (request_id !== undefined) return undefined;
  if (err instanceof Error) return `${err.name}: ${err.message}`;
  return typeof reason === 'string' ? reason : undefined;
}

function kindOf(error: Error): 'full' | 'refused' | 'away' {
  if (isFull(error)) return 'full';
  return isLoginRefused(error) ? 'refused' : 'away';
}

/** Where our code noticed that a server is away says nothing. */
function withoutStack(details: unknown): unknown {
  if (typeof details !== 'object' || details === null || !('err' in details)) return details;
  const { err } = details;
  if (!(err instanceof Error) || !isAway(err)) return details;
  return { ...details, err: { message: err.message, ...('code' in err ? { code: err.code } : {}) } };
}

function inProcess(work: () => void, ms: number): () => void {
  const timer = setTimeout(work, ms);
  timer.unref();
  return () => clearTimeout(timer);
}
