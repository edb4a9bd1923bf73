/** Messages that a function is tried on: rows of a table, what a sink has, or what somebody wrote. Each part is text, with every digit. */
import { call } from '../../api/client.ts';
import { JsonText, parseKeeping } from '../../api/json-text.ts';
import { lookAtPreview } from '../../api/preview.ts';
import { tablePart } from '../../lib/sql.ts';

export type Action = 'insert' | 'update' | 'delete' | 'read';

export interface Sample {
  action: Action;
  record: string;
  changes: string | null;
  metadata: string;
  /** Of one that passed: where the next look begins. */
  passed?: number;
}

/** Where samples come from. */
export type Source =
  | { from: 'rows'; database: string; table: string }
  | { from: 'messages'; sink: string; state?: 'parked'; id?: string }
  /** What has just been on its way to it, and is from now on. */
  | { from: 'passing'; sink: string };

export const MOST = 10;

const textOf = (value: unknown): string => (value instanceof JsonText ? value.text : JSON.stringify(value ?? null));

/** @throws ApiError */
export async function readSamples(
  source: Exclude<Source, { from: 'passing' }>,
  signal?: AbortSignal,
): Promise<Sample[]> {
  if (source.from === 'rows') {
    const { database, table } = source;
    const { data } = await call('get', '/api/postgres_databases/{database}/tables/{table}/rows', {
      path: { database, table: tablePart(table) },
      query: { limit: MOST },
      ...(signal ? { signal } : {}),
    });
    return data.map(({ record, metadata }) => ({
      action: 'read',
      record: textOf(record),
      changes: null,
      metadata: textOf(metadata),
    }));
  }
  const { sink, state, id } = source;
  if (id !== undefined) {
    const one = await call('get', '/api/sinks/{sink}/messages/{id}', {
      path: { sink, id },
      query: { include: 'message' },
      ...(signal ? { signal } : {}),
    });
    return [sampleOf(one.message)];
  }
  const { data } = await call('get', '/api/sinks/{sink}/messages', {
    path: { sink },
    query: { limit: MOST, include: 'message', ...(state ? { state } : {}) },
    ...(signal ? { signal } : {}),
  });
  return data.map(({ message }) => sampleOf(message));
}

/** Behind `before`, which stay as they are: what has passed since, oldest first. @throws ApiError */
export async function readPassing(
  sink: string,
  before: readonly Sample[],
  signal: AbortSignal,
): Promise<readonly Sample[]> {
  const after = before.at(-1)?.passed ?? 0;
  const passed = (await lookAtPreview(sink, after, signal))
    .filter(({ steps }) => textOf(steps.captured.message) !== 'null')
    .sort((one, other) => one.id - other.id)
    .map(({ id, steps }) => ({ ...sampleOf(steps.captured.message), passed: id }));
  return [...before, ...passed].slice(0, MOST);
}

const PARTS: ReadonlySet<string> = new Set(['record', 'changes', 'metadata']);
const NOTHING: ReadonlySet<string> = new Set();

function sampleOf(message: unknown): Sample {
  const parts = parseKeeping(textOf(message), PARTS) as {
    action: Action;
    record: unknown;
    changes: unknown;
    metadata: unknown;
  };
  return {
    action: parts.action,
    record: textOf(parts.record),
    changes: parts.changes === null ? null : textOf(parts.changes),
    metadata: textOf(parts.metadata),
  };
}

/** As another action would bring the same row: an update of it, that changed nothing we know of. */
export const as = (sample: Sample, action: Action): Sample => ({
  ...sample,
  action,
  changes: action === 'update' ? (sample.changes ?? '{}') : null,
});

/** The fields of its record, each with its type. */
export function fieldsOf(sample: Sample | undefined): { name: string; type: string }[] {
  if (sample === undefined || !isJson(sample.record)) return [];
  const record = parseKeeping(sample.record, NOTHING);
  if (typeof record !== 'object' || record === null) return [];
  return Object.entries(record).map(([name, value]) => ({ name, type: typeOf(value) }));
}

function typeOf(value: unknown): string {
  if (value === null) return 'null';
  // Numbers with more digits than JavaScript has are text here.
  if (value instanceof JsonText && /^-?\d/.test(value.text)) return 'number';
  return Array.isArray(value) ? 'array' : typeof value;
}

/** A part that somebody wrote; undefined: it is no JSON. */
export function isJson(text: string): boolean {
  try {
    // Whole: what is kept as text is not looked at.
    parseKeeping(text, NOTHING);
    return true;
  } catch {
    return false;
  }
}

/** In the body of a request. */
export const messageOf = ({ action, record, changes, metadata }: Sample): object => ({
  action,
  record: new JsonText(record),
  changes: changes === null ? null : new JsonText(changes),
  metadata: new JsonText(metadata),
});
