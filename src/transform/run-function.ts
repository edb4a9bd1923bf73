/**
 * One function of the user's in its own isolate: chunks in, one answer for each message out, in order. Whatever the
 * code does, the answers of the other messages are right:
 * - a message is stopped after `messageMs`; the lines before it are kept and the rest goes on in a fresh realm;
 * - when a call fails as a whole (memory, a realm that was tampered with, a promise chain without end, which runs after
 *   the last line) its messages are run again one by one, so that only the guilty one fails;
 * - what the isolate cannot survive (an abort, a hang that no timeout ends) is the sandbox's watchdog's to see.
 */
import type ivm from 'isolated-vm';
import type { FunctionSettings } from '../model/declared.ts';
import { type CompileParts, compile } from './compile.ts';
import { type Complaint, readComplaint } from './complaint.ts';
import { openRealm, type Realm } from './realm.ts';
import type { SandboxLimits } from './shaped.ts';

export type Answer = { text: string } | { unusable: string } | { complaint: Complaint };

export interface FunctionRunner {
  /** One answer for each item, in order; `alive` is called whenever there was progress. Never rejects. */
  run(items: readonly string[], alive: () => void): Promise<Answer[]>;
  /** How many of action, record, changes, metadata the function reads; all four until it is compiled. */
  readonly inputs: number;
  /** What keeps the code from being a function at all, if anything. */
  compile(): Promise<Complaint | undefined>;
  close(): void;
}

export interface RunnerParts {
  Isolate: typeof ivm.Isolate;
  limits: SandboxLimits;
  strip: CompileParts['strip'];
  /** The process is beyond repair. */
  onCatastrophe: () => void;
}

interface Loaded {
  isolate: ivm.Isolate;
  script: ivm.Script;
  inputs: number;
  realm: Realm | undefined;
}

interface Call {
  lines: string[];
  ended: 'well' | 'timeout' | 'memory' | 'spoilt' | 'failed';
}

export function runFunction(parts: RunnerParts, fn: FunctionSettings): FunctionRunner {
  const { limits } = parts;
  const waiting = new Set<() => void>();
  const tooMuchMemory: Complaint = { kind: 'threw', message: `The function used more than ${limits.isolateMb} MB` };
  const timedOut: Complaint = { kind: 'timeout', message: `The function took longer than ${limits.messageMs} ms` };
  const failed: Complaint = { kind: 'threw', message: 'The message could not be handed to the function' };
  const blame = { memory: tooMuchMemory, timeout: timedOut, failed, spoilt: failed, well: failed };
  let loaded: Loaded | undefined;
  let broken: Complaint | undefined;
  let tail: Promise<unknown> = Promise.resolve();

  const unload = () => {
    if (loaded !== undefined && !loaded.isolate.isDisposed) loaded.isolate.dispose();
    loaded = undefined;
  };

  const load = async (): Promise<Loaded | undefined> => {
    if (loaded !== undefined || broken !== undefined) return loaded;
    const isolate = new parts.Isolate({ memoryLimit: limits.isolateMb, onCatastrophicError: parts.onCatastrophe });
    try {
      const compiled = await compile({ isolate, limits, strip: parts.strip }, fn);
      if ('script' in compiled) loaded = { isolate, ...compiled, realm: undefined };
      else broken = compiled.complaint;
    } catch {
      broken = tooMuchMemory;
    }
    if (loaded === undefined && !isolate.isDisposed) isolate.dispose();
    return loaded;
  };

  const dropRealm = () => {
    if (loaded?.isolate.isDisposed) loaded = undefined;
    loaded?.realm?.release();
    if (loaded !== undefined) loaded.realm = undefined;
  };

  const leftover = async (): Promise<string[]> => {
    try {
      return ((await loaded?.realm?.leftover()) ?? '').split('\n').slice(0, -1);
    } catch {
      return [];
    }
  };

  const call = async (items: readonly string[]): Promise<Call> => {
    const { isolate, script } = loaded!;
    try {
      loaded!.realm ??= await openRealm(isolate, script, limits);
      const timeoutMs = limits.messageMs + (items.length > 1 ? limits.sliceMs : 0);
      const lines = (await loaded!.realm.run(`[${items.join(',')}]`, timeoutMs)).split('\n');
      lines.pop();
      if (lines.at(-1) !== '!') return { lines, ended: 'well' };
      lines.pop();
      return { lines, ended: 'spoilt' };
    } catch (error) {
      if (isolate.isDisposed) return { lines: [], ended: 'memory' };
      if (!(error instanceof Error) || !error.message.includes('timed out')) return { lines: [], ended: 'failed' };
      const lines = await leftover();
      return { lines, ended: isolate.isDisposed ? 'memory' : 'timeout' };
    }
  };

  const runAll = async (items: readonly string[]): Promise<Answer[]> => {
    const answers: Answer[] = [];
    let singlyUntil = 0;
    while (answers.length < items.length) {
      if ((await load()) === undefined) {
        const complaint = broken!;
        return items.map(() => ({ complaint }));
      }
      const from = answers.length;
      const slice = items.slice(from, from < singlyUntil ? from + 1 : items.length);
      const { lines, ended } = await call(slice);
      for (const alive of waiting) alive();
      if (ended !== 'well') dropRealm();
      const verdict = judge(ended, lines.length, slice.length);
      if (verdict.keep) for (const line of lines) answers.push(read(line));
      if (verdict.guilty) answers.push({ complaint: blame[ended] });
      if (verdict.again) singlyUntil = from + slice.length;
    }
    return answers.slice(0, items.length);
  };

  /** One thing at a time, in the order asked for. */
  const inTurn = <T>(work: () => Promise<T> | T): Promise<T> => {
    const turn = tail.then(work);
    tail = turn.catch(() => undefined);
    return turn;
  };

  return {
    get inputs() {
      return loaded?.inputs ?? 4;
    },
    run: async (items, alive) => {
      waiting.add(alive);
      try {
        return await inTurn(() => runAll(items));
      } finally {
        waiting.delete(alive);
      }
    },
    compile: () =>
      inTurn(async () => {
        await load();
        return broken;
      }),
    close: () => {
      void inTurn(unload);
    },
  };
}

/**
 * What to do with a call of `asked` messages that left `done` lines: keep the lines? blame the message after them? run
 * all of them again, one by one?
 */
export function judge(
  ended: Call['ended'],
  done: number,
  asked: number,
): { keep: boolean; guilty: boolean; again: boolean } {
  const single = asked === 1;
  if (ended === 'well' && done > 0) return { keep: true, guilty: false, again: false };
  // Each message was begun in the first `sliceMs`, so the one without a line had its full time.
  if (ended === 'timeout' && done < asked) return { keep: true, guilty: true, again: false };
  // A fresh realm: what one message spoilt, the next one does not see. Before it began, it was spoilt by another call.
  if (ended === 'spoilt' && single) return { keep: done > 0, guilty: false, again: false };
  return { keep: false, guilty: single, again: !single };
}

function read(line: string): Answer {
  if (line.startsWith('v')) return { text: line.slice(1) };
  return line.startsWith('e') ? { complaint: readComplaint(line) } : { unusable: line.slice(1) };
}
