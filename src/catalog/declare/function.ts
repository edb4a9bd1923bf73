/**
 * `functions:` (and `transforms:`, their older form). Which code is JavaScript that runs is the sandbox's to say; what can be
 * said without running it is said here: the type, where the code comes from, its size, and that it is not Elixir.
 */
import { z } from 'zod';
import type { FunctionSettings, FunctionType } from '../../model/declared.ts';
import type { Finding, Path } from '../../model/finding.ts';
import { Name, Text } from '../../model/scalars.ts';
import { findingsOf, type Refusal, refusal, refuse, section } from '../../model/section.ts';
import { destinationKind } from './destination.ts';
import { isElixir } from './elixir.ts';
import { isObject } from './written.ts';

export interface FunctionDeclared {
  settings: FunctionSettings;
  /** Where the code is read from, when it is not in `settings` yet. */
  file: string | null;
  /** The key that holds the code, for faults in it. */
  codePath: string[];
}

/** Bytes of a function's code, at most. */
export const CODE_BYTES = 100 * 1024;

const TYPES = ['transform', 'routing', 'filter', 'path'] as const;

const FunctionName = Name.refine(
  (name) => name !== 'none',
  refusal('is a reserved word', 'Choose another name: `none` stands for no function.'),
);

/** `function` is that system's older word for a transform in code. */
const OLDER: Record<string, string> = { route: 'routing', function: 'transform' };
const FunctionKind = z.preprocess(
  (value) => (typeof value === 'string' && Object.hasOwn(OLDER, value) ? OLDER[value] : value),
  z.enum(TYPES),
);

const enrichment: Refusal = {
  message: 'Millrace has no enrichment functions',
  remedy: 'Read what a message lacks in your consumer, or write it into the row.',
};

const body = {
  type: z.unknown().optional(),
  sink_type: Text.nullable().optional(),
  code: Text.optional(),
  file: Text.optional(),
  path: Text.optional(),
};
const nested = section('functions[].transform', body).optional();

/** One entry of `functions:`, or of `transforms:`; older forms have all but the name under `transform` or `function`. */
export const DeclaredFunction = section(
  'functions[]',
  { name: FunctionName, description: z.string().nullable().optional(), ...body, transform: nested, function: nested },
  { sql: enrichment, enrichment },
).transform(({ name, description, ...input }, context): FunctionDeclared => {
  const within = input.transform === undefined ? 'function' : 'transform';
  const inner = input[within];
  if (inner !== undefined) {
    for (const key of ['type', 'sink_type', 'code', 'file', 'path', 'function'] as const) {
      if (key === within || input[key] === undefined) continue;
      refuse(context, [key], { message: `is given together with \`${within}\``, remedy: `Keep \`${within}\`.` });
    }
  }
  const at = inner === undefined ? [] : [within];
  const given = inner ?? input;
  const type = kindOf(given.type, context, [...at, 'type']);
  const sinkType = sinkTypeOf(given.sink_type ?? null, type, { context, at });
  return declared({ ...given, name, description: description ?? null, type, sinkType }, context, at);
});

/** All that is wrong with an entry: its form hides the rest until its keys are right, so that is looked for without them. */
export function functionFindings(entry: unknown, prefix: Path): Finding[] {
  const parsed = DeclaredFunction.safeParse(entry);
  if (parsed.success) return [];
  const found = findingsOf(parsed.error, entry, prefix);
  if (!isObject(entry)) return found;
  const keyOf = ({ path }: Finding): string => String(path[prefix.length]);
  const wrong = new Set(found.map(keyOf));
  const rest = Object.fromEntries(Object.entries(entry).filter(([key]) => !wrong.has(key)));
  const named = { ...rest, name: wrong.has('name') ? 'function' : rest.name };
  const again = DeclaredFunction.safeParse(named);
  if (again.success) return found;
  // One of the two says where the code is.
  if (wrong.has('file')) wrong.add('code');
  return [...found, ...findingsOf(again.error, named, prefix).filter((finding) => !wrong.has(keyOf(finding)))];
}

function kindOf(value: unknown, context: z.core.$RefinementCtx, path: string[]): FunctionType {
  if (value === 'enrichment') refuse(context, path, enrichment);
  else {
    const parsed = FunctionKind.safeParse(value);
    if (parsed.success) return parsed.data;
    const missing = value === undefined || value === null;
    const remedy = `Write one of: ${TYPES.join(', ')}.`;
    refuse(context, path, { message: missing ? 'is missing' : `must be one of ${TYPES.join(', ')}`, remedy });
  }
  return 'transform';
}

function sinkTypeOf(
  value: string | null,
  type: FunctionType,
  { context, at }: { context: z.core.$RefinementCtx; at: string[] },
): string | null {
  if (value === null) return null;
  if (type !== 'routing') {
    refuse(context, [...at, 'sink_type'], { message: 'is for routing functions only', remedy: 'Remove it.' });
    return null;
  }
  const kind = destinationKind(value);
  if ('names' in kind) return kind.names[0];
  refuse(context, [...at, 'sink_type'], kind);
  return null;
}

interface Source {
  name: string;
  description: string | null;
  type: FunctionType;
  sinkType: string | null;
  code?: string | undefined;
  file?: string | undefined;
  path?: string | undefined;
}

function declared(input: Source, context: z.core.$RefinementCtx, at: string[]): FunctionDeclared {
  const wanted = input.type === 'path' ? (['path'] as const) : (['code', 'file'] as const);
  const given = wanted.filter((key) => input[key] !== undefined);
  for (const key of ['code', 'file', 'path'] as const) {
    if (input[key] === undefined || wanted.some((name) => name === key)) continue;
    const remedy = input.type === 'path' ? 'Write `path: record.id`.' : 'Write `code:` or `file:`.';
    refuse(context, [...at, key], { message: `does not belong to a function of this type`, remedy });
  }
  if (given.length === 0) {
    const remedy = input.type === 'path' ? 'Add `path: record.id`.' : 'Add `code:`, or `file:` relative to this file.';
    refuse(context, [...at, wanted[0]], { message: 'is missing', remedy });
  }
  if (given.length > 1) {
    refuse(context, [...at, 'file'], { message: 'is given together with `code`', remedy: 'Keep one of them.' });
  }
  if (input.type === 'path' && input.path !== undefined) checkPath(input.path, context, [...at, 'path']);
  if (input.code !== undefined) {
    const fault = codeFault(input.code);
    if (fault !== undefined) refuse(context, [...at, 'code'], fault);
  }
  return {
    settings: {
      name: input.name,
      ...(input.description ? { description: input.description } : {}),
      type: input.type,
      sink_type: input.sinkType,
      code: input.type === 'path' ? null : (input.code ?? null),
      path: input.type === 'path' ? (input.path ?? null) : null,
    },
    file: input.file ?? null,
    codePath: [...at, input.file === undefined ? 'code' : 'file'],
  };
}

function checkPath(text: string, context: z.core.$RefinementCtx, at: string[]): void {
  if (/^(record|changes|action|metadata)(\.[^.\s][^.]*)*$/.test(text)) return;
  const message = 'must start with record, changes, action or metadata, with names joined by dots';
  refuse(context, at, { message, remedy: 'Write for example `record.id`.' });
}

/** What is wrong with a function's code as far as its text shows. */
export function codeFault(text: string): Refusal | undefined {
  if (text.trim() === '')
    return { message: 'holds no code', remedy: 'Write a function of (action, record, changes, metadata).' };
  if (Buffer.byteLength(text) > CODE_BYTES) {
    return { message: 'is longer than 100 KB', remedy: 'Shorten it; a function has no libraries.' };
  }
  if (isElixir(text)) {
    const remedy = 'Write it in JavaScript: (action, record, changes, metadata) => ({ ... }).';
    return { message: 'is Elixir code, which Millrace does not run', remedy };
  }
  return undefined;
}
