/** Messages that a function is tried on: rows of a table, what a sink has, or what somebody wrote. Each part is text, with every digit. */
import { call } from '../../api/client.ts';
import { JsonText, parseKeeping } from '../../api/json-text.ts';

export type Action = 'insert' | 'update' | 'delete' | 'read';

export interface Sample {
  action: Action;
  record: string;
  changes: string | null;
  metadata: string;
}

/** Where samples come from. */
export type Source =
  | { from: 'rows'; database: string; table: string }
  | { from: 'messages'; sink: string; state?: 'parked'; id?: string };

const MOST = 10;

const textOf = (value: unknown): string => (value instanceof JsonText ? value.text : JSON.stringify(value ?? null));

/** @throws ApiError */
export async function readSamples(source: Source, signal?: AbortSignal): Promise<Sample[]> {
  if (source.from === 'rows') {
    const { database, table } = source;
    const { data } = await call('get', '/api/postgres_databases/{database}/tables/{table}/rows', {
      path: { database, table },
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

const PARTS: ReadonlySet<string> = new Set(['record', 'changes', 'metadata']);

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

/** A part that somebody wrote; undefined: it is no JSON. */
export function isJson(text: string): boolean {
  try {
    parseKeeping(text);
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
