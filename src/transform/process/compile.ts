/**
 * Turns the user's text into a script that yields a function, or says where and why it cannot. Tried as JavaScript
 * first and as TypeScript only when that does not parse, since some JavaScript means something else in TypeScript.
 */
import type ivm from 'isolated-vm';
import type { FunctionSettings } from '../../model/declared.ts';
import { messageOf } from '../../model/errors.ts';
import { type Complaint, readComplaint, sentence } from '../protocol/complaint.ts';
import type { SandboxLimits } from '../protocol/limits.ts';
import { CODE_BYTES } from '../protocol/limits.ts';
import { forms } from './forms.ts';
import { compileScript, openRealm } from './realm.ts';
import type { RuntimeLimits } from './runtime.ts';
import type { Stripped } from './strip.ts';

export interface CompileParts {
  isolate: ivm.Isolate;
  limits: SandboxLimits;
  strip: (code: string) => Stripped;
}

/** `inputs`: how many of action, record, changes, metadata the function reads. */
export type Compiled = { script: ivm.Script; inputs: number } | { complaint: Complaint };

const NOT_A_FUNCTION =
  'The code must be one function: an expression such as (action, record, changes, metadata) => record, ' +
  'a function declaration named after its type, or export default';

/** Rejects only when the isolate itself fails (it ran out of memory). */
export async function compile(parts: CompileParts, fn: FunctionSettings): Promise<Compiled> {
  const code = fn.code ?? '';
  if (Buffer.byteLength(code) > CODE_BYTES) {
    return { complaint: { kind: 'threw', message: `The code is longer than ${CODE_BYTES} bytes` } };
  }
  const plain = await tryForms(parts, fn, code);
  if (!('complaint' in plain) || !plain.isSyntax) return plain;
  const stripped = parts.strip(code);
  if (!('code' in stripped)) {
    // Both parsers stopped at the same line: the code is JavaScript, and V8's sentence is the better one.
    if (stripped.line === plain.complaint.line || stripped.broken) return plain;
    const { line, column } = stripped;
    const message = sentence(`SyntaxError: ${stripped.message}`);
    return {
      complaint: {
        kind: 'threw',
        message,
        ...(line !== undefined && { line }),
        ...(column !== undefined && { column }),
      },
    };
  }
  return stripped.code === code ? plain : tryForms(parts, fn, stripped.code);
}

type Tried = { script: ivm.Script; inputs: number } | { complaint: Complaint; isSyntax: boolean };

async function tryForms(parts: CompileParts, fn: FunctionSettings, code: string): Promise<Tried> {
  let failure: Tried = { complaint: { kind: 'threw', message: NOT_A_FUNCTION }, isSyntax: false };
  let parsed = false;
  for (const text of forms(code, fn.type)) {
    let script: ivm.Script;
    try {
      script = await compileScript(parts.isolate, text);
    } catch (error) {
      if (parts.isolate.isDisposed) throw error;
      if (!parsed) failure = { complaint: await syntaxComplaint(parts, code, error), isSyntax: true };
      continue;
    }
    parsed = true;
    const found = await evaluate(parts, script, purposeOf(fn));
    if (typeof found === 'number') return { script, inputs: found };
    failure = { complaint: found, isSyntax: false };
  }
  return failure;
}

/** A path never gets here. */
export const purposeOf = ({ type }: FunctionSettings): RuntimeLimits['purpose'] =>
  type === 'path' ? 'transform' : type;

/** Evaluates the text once, without calling the function: how many inputs does it read, or what is wrong? */
async function evaluate(
  parts: CompileParts,
  script: ivm.Script,
  purpose: RuntimeLimits['purpose'],
): Promise<Complaint | number> {
  const realm = await openRealm({ isolate: parts.isolate, script }, purpose, parts.limits);
  let line: string;
  try {
    line = await realm.run('', parts.limits.messageMs);
  } catch (error) {
    if (parts.isolate.isDisposed) throw error;
    return { kind: 'timeout', message: `The code took longer than ${parts.limits.messageMs} ms to load` };
  } finally {
    if (!parts.isolate.isDisposed) realm.release();
  }
  if (line.startsWith('v')) return Number(line.slice(1));
  return line.startsWith('e') ? readComplaint(line.slice(1)) : { kind: 'threw', message: NOT_A_FUNCTION };
}

/** The error as the user's own text has it: as a module it is parsed without the wrapping of any form. */
async function syntaxComplaint(parts: CompileParts, code: string, error: unknown): Promise<Complaint> {
  let cause = error;
  try {
    await parts.isolate.compileModule(code, { filename: 'module' });
  } catch (own) {
    cause = own;
  }
  const text = messageOf(cause);
  const place = /^(.*?)(?: \[[\w-]+:(\d+):(\d+)\])?$/s.exec(text);
  return {
    kind: 'threw',
    message: sentence(`SyntaxError: ${place?.[1] ?? text}`),
    ...(place?.[2] !== undefined && { line: Number(place[2]), column: Number(place[3]) }),
  };
}
