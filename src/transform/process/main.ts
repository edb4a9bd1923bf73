/**
 * The sandbox process, in which the user's code runs, each function in an isolate and thread of its own. Started with an
 * empty environment under Node's permission model: no files but its own sources, no processes, no workers; root becomes an
 * account of its own before anything of the user's is run. It keeps
 * nothing that must survive: the sandbox kills it whenever it is silent, and it ends itself when the sandbox is gone.
 */
import { createRequire } from 'node:module';
import { Socket } from 'node:net';
import type isolatedVm from 'isolated-vm';
import type { FunctionSettings } from '../../model/declared.ts';
import { type Answer, readAnswers } from '../protocol/answer.ts';
import { shapeError } from '../protocol/complaint.ts';
import { FrameReader, FrameWriter, KEPT_BYTES, PIPE } from '../protocol/frame.ts';
import { itemOf, piecesOf } from '../protocol/item.ts';
import { LIMITS } from '../protocol/limits.ts';
import type { FromProcess, ToProcess } from '../protocol/messages.ts';
import { FunctionRunner } from './function-runner.ts';
import { collectHere, GARBAGE_BYTES } from './garbage.ts';
import { leaveRoot } from './leave-root.ts';
import { stripTypes } from './strip.ts';
import { TRIAL, trialError } from './trial.ts';

/** By the path that we were told: looking its name up would go through links that we may not read. */
const ivm = createRequire(import.meta.url)(process.argv[2]!) as typeof isolatedVm;

/** Not `process.exit`, which waits for the isolates' threads. */
const die = () => process.kill(process.pid, 'SIGKILL');
process.on('disconnect', die);

const reader = new FrameReader();
const pipe = new Socket({
  fd: PIPE,
  onread: {
    // Always the same memory, and enough for all that the pipe holds.
    buffer: Buffer.allocUnsafeSlow(KEPT_BYTES),
    callback: (count, buffer) => {
      for (const { message, text } of reader.push(Buffer.from(buffer.buffer, buffer.byteOffset, count))) {
        take(message as ToProcess, text);
      }
      return true;
    },
  },
});
pipe.on('close', die);
const writer = new FrameWriter(pipe);
/** `text`: what goes beside it. */
const send = (message: FromProcess, text = '') => writer.write(message, [text]);

let limits = LIMITS;
let retire = false;
const functions = new Map<number, FunctionSettings>();
/** In the order of their last use. */
const runners = new Map<FunctionSettings, FunctionRunner>();

function runnerOf(fn: FunctionSettings): FunctionRunner {
  const known = runners.get(fn);
  runners.delete(fn);
  const runner = known ?? new FunctionRunner({ Isolate: ivm.Isolate, limits, strip, onCatastrophe: die }, fn);
  runners.set(fn, runner);
  for (const [oldest, idle] of runners) {
    if (runners.size <= limits.isolates) break;
    runners.delete(oldest);
    idle.close();
  }
  return runner;
}

function strip(code: string) {
  const stripped = stripTypes(code);
  if (!('code' in stripped) && stripped.broken) retire = true;
  return stripped;
}

function defined(key: number): FunctionSettings {
  const fn = functions.get(key);
  if (fn === undefined) throw new Error('a function was used before it was defined');
  return fn;
}

/** What was no garbage when it was last looked at. */
let usedBytes = 0;

function collectGarbage(): void {
  const { external } = process.memoryUsage();
  usedBytes = Math.min(usedBytes, external);
  if (external >= usedBytes + GARBAGE_BYTES) collectAll();
}

function collectAll(): void {
  collectHere();
  usedBytes = process.memoryUsage().external;
}

const tooLarge = () => process.memoryUsage.rss() > limits.processMb * 1_048_576;

/** Looks at the memory while there is work; the isolates have threads of their own, so this one is free to. */
const MEMORY_CHECK_MS = 25;
let atWork = 0;
let memoryCheck: NodeJS.Timeout | undefined;

async function work(task: () => Promise<void>): Promise<void> {
  atWork += 1;
  memoryCheck ??= setInterval(() => {
    // On a busy machine this comes late, and most of what there is may be garbage.
    if (tooLarge()) {
      collectAll();
      if (tooLarge()) die();
    }
    collectGarbage();
  }, MEMORY_CHECK_MS);
  await task();
  atWork -= 1;
  if (atWork > 0) return;
  clearInterval(memoryCheck);
  memoryCheck = undefined;
}

async function run(request: Extract<ToProcess, { kind: 'run' }>, text: string): Promise<void> {
  const { id, key, lengths, room } = request;
  const runner = runnerOf(defined(key));
  const { lines, full } = await runner.run({ text, lengths }, room, {
    alive: () => send({ kind: 'alive', id }),
    part: (first) => send({ kind: 'part', id }, first),
  });
  send({ kind: 'answers', id, full, reads: runner.inputs, retire }, lines);
  collectGarbage();
}

async function check(id: number, fn: FunctionSettings): Promise<void> {
  const runner = new FunctionRunner({ Isolate: ivm.Isolate, limits, strip, onCatastrophe: die }, fn);
  const complaint = await runner.compile();
  const error = complaint === undefined ? trialError(fn, await tried(runner)) : shapeError(complaint, fn.name);
  runner.close();
  send({ kind: 'checked', id, error, retire });
}

async function tried(runner: FunctionRunner): Promise<Answer> {
  const item = itemOf(TRIAL, { reads: 4, before: false });
  const none = () => undefined;
  const { pieces, lengths } = piecesOf([item]);
  const chunk = { text: pieces.join(''), lengths };
  const { lines } = await runner.run(chunk, Number.POSITIVE_INFINITY, { alive: none, part: none });
  return readAnswers([lines])![0]!;
}

function take(message: ToProcess, text: string): void {
  if (message.kind === 'limits') limits = message.limits;
  else if (message.kind === 'define') functions.set(message.key, message.fn);
  else if (message.kind === 'run') void work(() => run(message, text));
  else void work(() => check(message.id, defined(message.key)));
}

// Everything is loaded by now, and no code of a user's has run.
const account = Number(process.argv[3]);
send({ kind: 'ready', sameAccount: !(account > 0 && leaveRoot(account)) });
