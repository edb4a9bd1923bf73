/**
 * The child process in which the user's code runs, each function in an isolate and thread of its own. Started with an
 * empty environment under Node's permission model: no files but its own sources, no processes, no workers. It keeps
 * nothing that must survive: the sandbox kills it whenever it is silent, and it ends itself when the sandbox is gone.
 */
import { createRequire } from 'node:module';
import type isolatedVm from 'isolated-vm';
import type { FunctionSettings } from '../model/declared.ts';
import { shapeError } from './complaint.ts';
import { FunctionRunner } from './function-runner.ts';
import { itemOf } from './item.ts';
import { pathReads } from './path.ts';
import type { FromBox, SetKeys, ToBox } from './protocol.ts';
import { shapeChunk } from './shape.ts';
import { type FunctionSet, LIMITS } from './shaped.ts';
import { stripTypes } from './strip.ts';
import { TRIAL, trialError } from './trial.ts';

/** By the path that we were told: looking its name up would go through links that we may not read. */
const ivm = createRequire(import.meta.url)(process.argv[2]!) as typeof isolatedVm;

/** Not `process.exit`, which waits for the isolates' threads. */
const die = () => process.kill(process.pid, 'SIGKILL');
process.on('disconnect', die);

const send = (message: FromBox) => {
  process.send?.(message);
};

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

function setOf(keys: SetKeys): FunctionSet {
  const { filter, transform, routing } = keys;
  return {
    ...(filter !== undefined && { filter: defined(filter) }),
    ...(transform !== undefined && { transform: defined(transform) }),
    ...(routing !== undefined && { routing: defined(routing) }),
  };
}

/** Looks at the memory while there is work; the isolates have threads of their own, so this one is free to. */
const MEMORY_CHECK_MS = 25;
let atWork = 0;
let memoryCheck: NodeJS.Timeout | undefined;

async function work(task: () => Promise<void>): Promise<void> {
  atWork += 1;
  memoryCheck ??= setInterval(() => {
    if (process.memoryUsage.rss() > limits.boxMb * 1_048_576) die();
  }, MEMORY_CHECK_MS);
  await task();
  atWork -= 1;
  if (atWork > 0) return;
  clearInterval(memoryCheck);
  memoryCheck = undefined;
}

async function shape(request: Extract<ToBox, { kind: 'shape' }>): Promise<void> {
  const { id, inputs, searchSink } = request;
  const alive = () => send({ kind: 'alive', id });
  const set = setOf(request.set);
  const shaped = await shapeChunk(set, inputs, {
    searchSink,
    run: (fn, items) => {
      // Of a message that is alone because it may be the one that kills, the sandbox wants to know which function it was.
      if (inputs.length === 1) send({ kind: 'alive', id, function: fn.name });
      return runnerOf(fn).run(items, alive);
    },
  });
  send({ kind: 'shaped', id, shaped, reads: readsOf(set, searchSink), retire });
}

/** How many of action, record, changes, metadata a set of functions reads. Old rows need the changes. */
function readsOf({ filter, transform, routing }: FunctionSet, searchSink: boolean): number {
  const reads = [filter, transform, routing].map((fn) =>
    fn === undefined ? 0 : fn.type === 'path' ? pathReads(fn.path ?? '') : (runners.get(fn)?.inputs ?? 4),
  );
  return Math.max(searchSink && routing !== undefined ? 3 : 0, ...reads);
}

async function check(id: number, fn: FunctionSettings): Promise<void> {
  const runner = new FunctionRunner({ Isolate: ivm.Isolate, limits, strip, onCatastrophe: die }, fn);
  const complaint = await runner.compile();
  const [answer] =
    complaint === undefined
      ? await runner.run([itemOf(TRIAL, { exact: false, before: false })], () => undefined)
      : [{ complaint }];
  runner.close();
  const error = complaint === undefined ? trialError(fn, answer!) : shapeError(complaint, fn.name);
  send({ kind: 'checked', id, error, retire });
}

process.on('message', (message: ToBox) => {
  if (message.kind === 'limits') limits = message.limits;
  else if (message.kind === 'define') functions.set(message.key, message.fn);
  else if (message.kind === 'shape') void work(() => shape(message));
  else void work(() => check(message.id, defined(message.key)));
});
send({ kind: 'ready' });
