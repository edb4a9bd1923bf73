/**
 * Functions tried on messages while somebody writes them: in a sandbox process of this process' own, with the limits of a
 * worker's and less memory. It starts with the first use and ends when nobody has used it for a while. Messages are texts here
 * and stay so.
 */
import type { FunctionSettings } from '../model/declared.ts';
import { MillraceError } from '../model/errors.ts';
import type { FunctionInput } from '../model/message.ts';
import type { SandboxLog } from '../transform/dispatch.ts';
import type { SandboxLimits } from '../transform/protocol/limits.ts';
import type { ShapeError } from '../transform/protocol/shape-error.ts';
import { openSandbox, type Sandbox } from '../transform/sandbox.ts';
import type { FunctionSet, Shaped } from '../transform/shape.ts';

/** What a function made of one message. */
export type Tried =
  /** JSON text; null: the function is not called for such a message. */
  { ok: true; result: string | null; tookMs: number } | { ok: false; error: ShapeError; tookMs: number };

export interface TryFunctions {
  /** Compiled, and tried on a made-up message: what is wrong with it on any row. */
  check(fn: FunctionSettings): Promise<ShapeError | undefined>;
  /** One answer for each message, in order. `replaces`: as for a search index. @throws MillraceError too_many_requests. */
  run(fn: FunctionSettings, inputs: readonly FunctionInput[], options: { replaces: boolean }): Promise<Tried[]>;
  /** What the functions of a sink make of a message. @throws MillraceError too_many_requests. */
  shape(set: FunctionSet, input: FunctionInput, options: { replaces: boolean }): Promise<Shaped>;
  /** What is under way fails. Safe to call twice. */
  close(): Promise<void>;
}

export interface TryOptions {
  /** Without use for so long the process is closed; 30,000. */
  idleMs?: number;
  limits?: Partial<SandboxLimits>;
}

const AT_ONCE = 2;
const IDLE_MS = 30_000;
/** Of resident memory. */
const LIMITS = { processMb: 128, isolates: AT_ONCE };

export function openTryFunctions(log: SandboxLog, { idleMs = IDLE_MS, limits }: TryOptions = {}): TryFunctions {
  let sandbox: Sandbox | undefined;
  let idle: NodeJS.Timeout | undefined;
  let users = 0;
  let running = 0;
  const closeSandbox = async (): Promise<void> => {
    const closing = sandbox;
    sandbox = undefined;
    await closing?.close();
  };
  const use = async <Result>(work: (on: Sandbox) => Promise<Result>): Promise<Result> => {
    clearTimeout(idle);
    users += 1;
    sandbox ??= openSandbox({ log, limits: { ...LIMITS, ...limits } });
    try {
      return await work(sandbox);
    } finally {
      users -= 1;
      if (users === 0) {
        clearTimeout(idle);
        idle = setTimeout(() => void closeSandbox(), idleMs).unref();
      }
    }
  };
  const inTurn = async <Result>(work: (on: Sandbox) => Promise<Result>): Promise<Result> => {
    if (running >= AT_ONCE)
      throw new MillraceError('too_many_requests', `${AT_ONCE} calls try functions already`, {
        remedy: 'Try again when they are done.',
      });
    running += 1;
    try {
      return await use(work);
    } finally {
      running -= 1;
    }
  };
  return {
    check: (fn) => use((on) => on.check(fn)),
    run: (fn, inputs, options) => inTurn((on) => runEach(on, { fn, inputs }, options)),
    async shape(set, input, options) {
      if (Object.keys(set).length === 0) return { kept: true };
      return await inTurn(async (on) => (await on.shape(set, [input], options))[0]!);
    },
    async close() {
      clearTimeout(idle);
      await closeSandbox();
    },
  };
}

/** Of no table: what is made of it is not looked at. */
const WARM: FunctionInput = { action: 'insert', record: '{"id":1}', changes: null, metadata: '{}' };

/** One by one, so that each has its own time. After one that brought the process down no other is tried: each costs seconds. */
async function runEach(
  sandbox: Sandbox,
  { fn, inputs }: { fn: FunctionSettings; inputs: readonly FunctionInput[] },
  options: { replaces: boolean },
): Promise<Tried[]> {
  const set: FunctionSet = { [fn.type === 'path' ? 'transform' : fn.type]: fn };
  const tried: Tried[] = [];
  let dead = false;
  // Starts the process and has the function compiled, so that no message's time has that in it.
  if (inputs.length > 0) {
    const fault = await sandbox.check(fn);
    dead = fault?.kind === 'killed';
    if (fault === undefined) await sandbox.shape(set, [WARM], options);
  }
  for (const input of inputs) {
    if (dead) {
      const message = 'Not tried: the function brought its process down before';
      tried.push({ ok: false, error: { kind: 'untried', message, function: fn.name }, tookMs: 0 });
      continue;
    }
    const begun = performance.now();
    const [shaped] = await sandbox.shape(set, [input], options);
    const tookMs = Math.round((performance.now() - begun) * 100) / 100;
    dead = shaped!.error?.kind === 'killed';
    tried.push(triedOf(fn, shaped!, tookMs));
  }
  return tried;
}

function triedOf({ type }: FunctionSettings, { error, kept, body, indexName }: Shaped, tookMs: number): Tried {
  if (error !== undefined) return { ok: false, error, tookMs };
  if (type === 'filter') return { ok: true, result: String(kept), tookMs };
  if (type === 'routing') return { ok: true, result: JSON.stringify({ index_name: indexName }), tookMs };
  return { ok: true, result: body ?? null, tookMs };
}
