/**
 * Takes the types out of TypeScript, leaving blanks so that every line and column stays. Runs in the sandbox process, not
 * in its parent: text that is nested deeply enough breaks Node's stripper for the rest of the process' life (`broken`), and a
 * process whose stripper is broken must be replaced.
 */
import { stripTypeScriptTypes } from 'node:module';

export type Stripped =
  | { code: string }
  | { message: string; line?: number; column?: number; syntax: boolean; broken: boolean };

export function stripTypes(code: string): Stripped {
  const first = attempt(code);
  if ('code' in first || first.broken || !first.syntax) return first;
  // `function (row: Row) {}` is an expression, but no program.
  const wrapped = attempt(`(\n${code}\n)`);
  return 'code' in wrapped ? { code: wrapped.code.slice(2, -2) } : first;
}

function attempt(code: string): Stripped {
  try {
    return { code: stripTypeScriptTypes(code, { mode: 'strip' }) };
  } catch (error) {
    const { code: reason, message, stack } = error as { code?: string; message: string; stack?: string };
    if (reason !== 'ERR_INVALID_TYPESCRIPT_SYNTAX' && reason !== 'ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX') {
      return { message: 'The code is nested too deeply to be read', syntax: true, broken: true };
    }
    // The stack begins with `:line`, the source's lines, and a line with a caret under the place.
    const line = /^:(\d+)$/m.exec(stack ?? '')?.[1];
    const caret = /^( *)\^/m.exec(stack ?? '')?.[1];
    return {
      message,
      ...(line !== undefined && { line: Number(line) }),
      ...(caret !== undefined && { column: caret.length + 1 }),
      syntax: reason === 'ERR_INVALID_TYPESCRIPT_SYNTAX',
      broken: false,
    };
  }
}
