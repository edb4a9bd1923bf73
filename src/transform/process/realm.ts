/**
 * One context of an isolate with the built-ins frozen, the sandbox runtime in place and one script of the user's. Into it and
 * out of it go strings only; the references held here point inwards. A realm whose call was cut short, or that says it
 * is spoilt, is thrown away.
 */
import type ivm from 'isolated-vm';
import type { SandboxLimits } from '../protocol/limits.ts';
import { freezeRealm } from './freeze.ts';
import { type RuntimeLimits, runtimeText } from './runtime.ts';

/** Name of the user's text in stack traces. */
const USER_FILE = 'user-function';

/** Of a function that is not strict anybody whom it calls can ask for it, and so what it was called with: `arguments.callee.caller`. */
const STRICT = "'use strict'; ";

export interface Realm {
  /** Runs a chunk; rejects on timeout or when the isolate ran out of memory. */
  run(chunk: string, timeoutMs: number): Promise<string>;
  /** Lines of a run that was cut short. */
  leftover(): Promise<string>;
  release(): void;
}

/** Compiles the user's text; rejects with a SyntaxError whose message ends in `[file:line:column]`. */
export function compileScript(isolate: ivm.Isolate, text: string): Promise<ivm.Script> {
  return isolate.compileScript(text, { filename: USER_FILE, lineOffset: -1 });
}

export async function openRealm(
  { isolate, script }: { isolate: ivm.Isolate; script: ivm.Script },
  purpose: RuntimeLimits['purpose'],
  limits: SandboxLimits,
): Promise<Realm> {
  const context = await isolate.createContext();
  await context.eval(`${STRICT}(${freezeRealm})()`);
  const load: ivm.Reference = await context.eval(STRICT + runtimeText({ ...limits, purpose }), { reference: true });
  const wrap: ivm.Reference = await script.run(context, { reference: true, timeout: limits.messageMs });
  const call: ivm.Reference = await load.apply(undefined, [wrap.derefInto()], { result: { reference: true } });
  const answer = async (chunk: string | undefined, timeout: number) => {
    const lines: unknown = await call.apply(undefined, [chunk], { timeout });
    return typeof lines === 'string' ? lines : '';
  };
  return {
    run: answer,
    leftover: () => answer(undefined, limits.messageMs),
    release: () => context.release(),
  };
}
