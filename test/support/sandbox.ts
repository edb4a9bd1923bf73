/** Functions, messages and a log for the tests of this room. */
import type { FunctionSettings, FunctionType } from '../../src/model/declared.ts';
import type { Action, FunctionInput } from '../../src/model/message.ts';
import type { SandboxLog } from '../../src/transform/sandbox.ts';

export function code(text: string, type: FunctionType = 'transform', sinkType: string | null = null): FunctionSettings {
  return { name: `my-${type}`, type, sink_type: sinkType, code: text, path: null };
}

export function pathFunction(path: string): FunctionSettings {
  return { name: 'my-path', type: 'path', sink_type: null, code: null, path };
}

export function message(
  record: string,
  rest: { action?: Action; changes?: string | null; metadata?: string } = {},
): FunctionInput {
  const metadata = '{"table_schema":"public","table_name":"products","commit_lsn":25000000000,"commit_idx":3}';
  return { action: 'insert', changes: null, metadata, ...rest, record };
}

export interface Noted {
  level: string;
  fields: object;
  text: string;
}

export function recordingLog(): SandboxLog & { notes: Noted[] } {
  const notes: Noted[] = [];
  const at = (level: string) => (fields: object, text: string) => {
    notes.push({ level, fields, text });
  };
  return { notes, info: at('info'), warn: at('warn'), error: at('error') };
}
