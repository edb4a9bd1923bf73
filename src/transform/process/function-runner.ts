/**
 * One function of the user's in its own isolate: chunks in, one line for each message out, in order. Whatever the
 * code does, the answers of the other messages are right:
 * - a message is stopped after `messageMs`; the lines before it are kept, and it and the rest go on one by one in a fresh realm;
 * - when a call fails as a whole (memory, a realm that was tampered with, a promise chain without end, which runs after
 *   the last line) its messages are run again one by one, so that only the guilty one fails;
 * - what the isolate cannot survive (an abort, a hang that no timeout ends) is the sandbox's watchdog's to see.
 */
import type ivm from 'isolated-vm';
import type { FunctionSettings } from '../../model/declared.ts';
import { complaintLine } from '../protocol/answer.ts';
import type { Complaint } from '../protocol/complaint.ts';
import { type Chunk, cut } from '../protocol/item.ts';
import type { SandboxLimits } from '../protocol/limits.ts';
import { type CompileParts, compile, purposeOf } from './compile.ts';
import { collectorOf, GARBAGE_BYTES } from './garbage.ts';
import { openRealm, type Realm } from './realm.ts';

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
  collect(): Promise<unknown>;
  /** Characters that it was given since then. */
  given: number;
}

interface Call {
  /** Milliseconds that each of its messages had. */
  messageMs: number;
  /** Whole lines, each with its line break, and how many. */
  lines: string;
  done: number;
  ended: 'well' | 'timeout' | 'memory' | 'spoilt' | 'failed';
}

/** `full`: there was no room for the next one. */
export interface Lines {
  lines: string;
  full: boolean;
}

export interface Told {
  /** There was progress. */
  alive(): void;
  /** The first lines, when they are many megabytes. */
  part(lines: string): void;
}

export class FunctionRunner {
  readonly #parts: RunnerParts;
  readonly #fn: FunctionSettings;
  readonly #blame: Record<Exclude<Call['ended'], 'timeout'>, Complaint>;
  readonly #waiting = new Set<() => void>();
  #loaded: Loaded | undefined;
  #broken: Complaint | undefined;
  #tail: Promise<unknown> = Promise.resolve();

  constructor(parts: RunnerParts, fn: FunctionSettings) {
    this.#parts = parts;
    this.#fn = fn;
    const { isolateMb } = parts.limits;
    const failed: Complaint = { kind: 'threw', message: 'The message could not be handed to the function' };
    this.#blame = {
      memory: { kind: 'threw', message: `The function used more than ${isolateMb} MB` },
      failed,
      spoilt: failed,
      well: failed,
    };
  }

  /** How many of action, record, changes, metadata the function reads; all four until it is compiled. */
  get inputs(): number {
    return this.#loaded?.inputs ?? 4;
  }

  /** A line for each item, in order, as long as there is room for them. Never rejects. */
  async run(chunk: Chunk, room: number, told: Told): Promise<Lines> {
    this.#waiting.add(told.alive);
    try {
      return await this.#inTurn(() => this.#runAll(chunk, room, told.part));
    } finally {
      this.#waiting.delete(told.alive);
    }
  }

  /** What keeps the code from being a function at all, if anything. */
  compile(): Promise<Complaint | undefined> {
    return this.#inTurn(async () => {
      await this.#load();
      return this.#broken;
    });
  }

  close(): void {
    void this.#inTurn(() => {
      if (this.#loaded !== undefined && !this.#loaded.isolate.isDisposed) this.#loaded.isolate.dispose();
      this.#loaded = undefined;
    });
  }

  /** One thing at a time, in the order asked for. */
  #inTurn<T>(work: () => Promise<T> | T): Promise<T> {
    const turn = this.#tail.then(work);
    this.#tail = turn.catch(() => undefined);
    return turn;
  }

  async #load(): Promise<Loaded | undefined> {
    if (this.#loaded !== undefined || this.#broken !== undefined) return this.#loaded;
    const { Isolate, limits, strip, onCatastrophe } = this.#parts;
    const isolate = new Isolate({ memoryLimit: limits.isolateMb, onCatastrophicError: onCatastrophe });
    try {
      const collect = collectorOf(isolate);
      const compiled = await compile({ isolate, limits, strip }, this.#fn);
      if ('script' in compiled) this.#loaded = { isolate, ...compiled, realm: undefined, collect, given: 0 };
      else this.#broken = compiled.complaint;
    } catch {
      this.#broken = this.#blame.memory;
    }
    if (this.#loaded === undefined && !isolate.isDisposed) isolate.dispose();
    return this.#loaded;
  }

  async #runAll(chunk: Chunk, room: number, send: (lines: string) => void): Promise<Lines> {
    const { limits } = this.#parts;
    const asked = chunk.lengths.length;
    let answers = '';
    let answered = 0;
    let left = room;
    let singlyUntil = 0;
    while (answered < asked) {
      const loaded = await this.#load();
      if (loaded === undefined) {
        return { lines: answers + complaintLine(this.#broken!).repeat(asked - answered), full: false };
      }
      const from = answered;
      const part = cut(chunk, from, from < singlyUntil ? from + 1 : asked);
      const { lines, done, ended, messageMs } = await this.#call(loaded, part);
      for (const alive of this.#waiting) alive();
      if (ended !== 'well') this.#dropRealm(loaded);
      const verdict = judge(ended, done, part.lengths.length);
      if (verdict.keep) {
        const fitting = lines.length <= left ? { lines, done } : whole(lines, left);
        answers += fitting.lines;
        answered += fitting.done;
        left -= fitting.lines.length;
        if (fitting.done < done) return { lines: answers, full: true };
      }
      if (verdict.guilty) {
        answers += complaintLine(ended === 'timeout' ? tookTooLong(messageMs) : this.#blame[ended]);
        answered += 1;
      }
      if (verdict.again) singlyUntil = asked;
      if (answers.length > limits.linesLength) {
        send(answers);
        answers = '';
      }
    }
    return { lines: answers, full: false };
  }

  async #call(loaded: Loaded, { text, lengths }: Chunk): Promise<Call> {
    const { limits } = this.#parts;
    const { isolate } = loaded;
    const messageMs = timeFor(text.length, limits);
    const left = (ended: Call['ended'], lines: string): Call => ({ messageMs, ...whole(lines), ended });
    try {
      loaded.realm ??= await openRealm(loaded, purposeOf(this.#fn), limits);
      const timeoutMs = messageMs + (lengths.length > 1 ? limits.sliceMs : 0);
      const lines = await loaded.realm.run(text, timeoutMs);
      await collectGarbage(loaded, text.length);
      return lines.endsWith(SPOILT) ? left('spoilt', lines.slice(0, -SPOILT.length)) : left('well', lines);
    } catch (error) {
      if (isolate.isDisposed) return left('memory', '');
      if (!(error instanceof Error) || !error.message.includes('timed out')) return left('failed', '');
      const leftover = await loaded.realm?.leftover().catch(() => '');
      return left(isolate.isDisposed ? 'memory' : 'timeout', leftover ?? '');
    }
  }

  #dropRealm(loaded: Loaded): void {
    if (loaded.isolate.isDisposed) this.#loaded = undefined;
    else loaded.realm?.release();
    loaded.realm = undefined;
  }
}

async function collectGarbage(loaded: Loaded, given: number): Promise<void> {
  loaded.given += given;
  if (loaded.given < GARBAGE_BYTES) return;
  loaded.given = 0;
  await loaded.collect();
}

const MS_PER_MB = 100;

/**
 * Reading a message is part of its time, and one of many megabytes takes long before any code of the user's runs: beyond
 * the first it has more, but never so much that the process would seem silent.
 */
export function timeFor(characters: number, limits: Pick<SandboxLimits, 'messageMs' | 'silenceMs'>): number {
  const more = Math.max(0, characters / 1_048_576 - 1) * MS_PER_MB;
  return Math.max(limits.messageMs, Math.min(Math.round(limits.messageMs + more), 0.75 * limits.silenceMs));
}

const tookTooLong = (ms: number): Complaint => ({ kind: 'timeout', message: `The function took longer than ${ms} ms` });

/** The sandbox runtime's last line when the realm cannot be used any longer. */
const SPOILT = '!\n';

/** Whole lines only, at most so many characters of them, and how many they are. */
function whole(text: string, room = Number.POSITIVE_INFINITY): { lines: string; done: number } {
  let done = 0;
  let end = 0;
  for (let at = text.indexOf('\n'); at >= 0 && at < room; at = text.indexOf('\n', end)) {
    done += 1;
    end = at + 1;
  }
  return { lines: text.slice(0, end), done };
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
  // Each message was begun in the first `sliceMs`, so the one without a line had its full time; but the garbage of those
  // before it may have been collected in it.
  if (ended === 'timeout' && done < asked) return { keep: true, guilty: single, again: !single };
  // A fresh realm: what one message spoilt, the next one does not see. Before it began, it was spoilt by another call.
  if (ended === 'spoilt' && single) return { keep: done > 0, guilty: false, again: false };
  return { keep: false, guilty: single, again: !single };
}
