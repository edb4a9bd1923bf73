/**
 * Places in the code where a test lets a process die or stall: just there, and not merely about then. Armed by the
 * environment when the process starts, as in
 *
 *   MILLRACE_FAILPOINTS="deliver/after-send=kill@3,receive/after-lease=pause:500,change-table/after-commit=stop"
 *
 * Without the variable `failpoint` is a function that does nothing, for the life of the process.
 */
import { MillraceError } from '../model/errors.ts';

/** Every place, in the order in which a change passes them. */
export const FAILPOINTS = [
  /** Messages are assembled, nothing is sent. */
  'capture/before-persist',
  /** All rows are sent; their end, and the commit, are not. */
  'capture/in-persist',
  /** A part of a transaction is persisted, the rest is not. */
  'capture/mid-transaction',
  /** A batch was refused, for the catalog has changed; the catalog is not loaded yet. */
  'capture/refused',
  /** It is loaded; what was refused is not tried again yet. */
  'capture/before-again',
  /** Persisted, and not confirmed to the source. */
  'capture/before-confirm',
  /** From triggers to replication: the last look is made; what it has found is not told. */
  'switch/last-look',
  /** From replication to triggers: it is known where the database goes over; that is not stored. */
  'switch/before-cut',
  /** It is stored; nothing has come by it. */
  'switch/after-cut',
  /** The way of before has told all that it has to; the position is still its own. */
  'switch/before-move',
  /** The position is the other way's, which has not begun. */
  'switch/after-move',
  /** A page of a backfill is read; its watermark is not written. */
  'backfill/before-watermark',
  /** A lane goes message by message, and has not begun with the next one. */
  'deliver/before-alone',
  /** A batch is read and shaped; nothing of it is sent. */
  'deliver/before-send',
  /** The destination has answered; nothing is settled. */
  'deliver/after-send',
  /** Written and settled in one transaction, which is still open. */
  'deliver/before-commit',
  /** Settled; what follows has not begun. */
  'deliver/after-settle',
  /** Messages of a pull consumer are shaped, and not stored. */
  'deliver/before-store',
  /** Written into a change table of another database, in a transaction that is still open. */
  'change-table/before-commit',
  /** Committed there, not settled here. */
  'change-table/after-commit',
  /** An operation is taken; nothing of it is done. */
  'operation/after-take',
  /** It is done; that is not written. */
  'operation/before-end',
  /** A table is compared, and not of those that were done before; that is not written. */
  'verify/after-table',
  /** The second sink is made, and its backfill is asked for; nothing is watched. */
  'rebuild/after-make',
  /** The gap is accepted, all rows are asked for; nothing is watched. */
  'resync/after-begin',
  /** A thousand messages are put back, or given up, and so it is written; the next ones are not. */
  'settle/after-thousand',
  /** Messages are leased; the answer is not written. */
  'receive/after-lease',
  /** An acknowledgement was read, and is not applied. */
  'receive/before-answer',
  /** Acknowledged; the answer is not written. */
  'receive/after-answer',
] as const;

export type Failpoint = (typeof FAILPOINTS)[number];

/**
 * `kill` and `stop`: SIGKILL and SIGSTOP to this process. `pause`: the whole process stalls for so many milliseconds.
 * With `after` the first passes go by, and the one of that number fails; a pass fails once.
 */
export interface Fault {
  what: 'kill' | 'stop' | 'pause';
  ms: number;
  after: number;
}

/** `name=kill`, `name=kill@3`, `name=stop`, `name=pause:500`, with a comma between them. @throws MillraceError bad_setting */
export function parseFailpoints(text: string): Map<Failpoint, Fault> {
  const faults = new Map<Failpoint, Fault>();
  for (const part of text.split(',').filter((piece) => piece.trim() !== '')) {
    const [, given, what, ms, after] = /^\s*([\w/-]+)=(kill|stop|pause:(\d+))(?:@([1-9]\d*))?\s*$/.exec(part) ?? [];
    const name = FAILPOINTS.find((one) => one === given);
    if (name === undefined || what === undefined) {
      throw new MillraceError('bad_setting', `MILLRACE_FAILPOINTS: ${part.trim()} is no failpoint`, {
        remedy: `Write name=kill, name=stop or name=pause:500, each with @3 for the third pass. Names: ${FAILPOINTS.join(', ')}.`,
      });
    }
    const kind = what === 'kill' || what === 'stop' ? what : 'pause';
    faults.set(name, { what: kind, ms: Number(ms ?? 0), after: Number(after ?? 1) });
  }
  return faults;
}

/** What a process does at a failpoint; a test hands in its own. */
export interface Consequences {
  signal(signal: 'SIGKILL' | 'SIGSTOP'): void;
  /** Blocks the thread. */
  stall(ms: number): void;
}

const REAL: Consequences = {
  signal: (signal) => void process.kill(process.pid, signal),
  stall: (ms) => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms),
};

/** The function to call at each place. Undefined or empty: one that does nothing. */
export function armFailpoints(text: string | undefined, consequences = REAL): (name: Failpoint) => void {
  if (text === undefined || text === '') return () => undefined;
  const faults = parseFailpoints(text);
  const passes = new Map<Failpoint, number>();
  return (name) => {
    const fault = faults.get(name);
    if (fault === undefined) return;
    const pass = (passes.get(name) ?? 0) + 1;
    passes.set(name, pass);
    if (pass !== fault.after) return;
    if (fault.what === 'pause') consequences.stall(fault.ms);
    else consequences.signal(fault.what === 'kill' ? 'SIGKILL' : 'SIGSTOP');
  };
}

export const failpoint = armFailpoints(process.env.MILLRACE_FAILPOINTS);
