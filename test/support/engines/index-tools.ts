/** What tests do to an index of a real engine beside the sink: make it, read all of it, drop it. */
import { randomUUID } from 'node:crypto';

export interface EngineIndex {
  name: string;
  documents(): Promise<Map<string, unknown>>;
  drop(): Promise<void>;
}

export interface EngineAccess {
  url: string;
  /** Authorization header of somebody who may do anything. */
  authorization?: string;
}

export const MAPPINGS = { properties: { price: { type: 'integer' } } };

export function newIndexName(): string {
  return `products-${randomUUID()}`;
}

/** One shard, no replica; `price` is an integer, all else is guessed. */
export async function createIndex(access: EngineAccess, name: string): Promise<EngineIndex> {
  const settings = { number_of_shards: 1, number_of_replicas: 0, refresh_interval: '-1' };
  await ask(access, 'PUT', `/${name}`, { settings, mappings: MAPPINGS });
  return {
    name,
    documents: () => readDocuments(access, name),
    async drop() {
      await ask(access, 'DELETE', `/${name}`);
    },
  };
}

/** Throws unless the engine says 2xx. */
export async function ask(access: EngineAccess, method: string, path: string, body?: object): Promise<unknown> {
  const { authorization } = access;
  const answer = await fetch(`${access.url}${path}`, {
    method,
    headers: { 'content-type': 'application/json', ...(authorization === undefined ? {} : { authorization }) },
    body: body === undefined ? null : JSON.stringify(body),
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${method} ${path}: HTTP ${answer.status} ${text.slice(0, 500)}`);
  return JSON.parse(text);
}

/** Up to 10,000 documents, by `_id`. */
async function readDocuments(access: EngineAccess, name: string): Promise<Map<string, unknown>> {
  await ask(access, 'POST', `/${name}/_refresh`);
  const found = await ask(access, 'POST', `/${name}/_search`, { size: 10_000, query: { match_all: {} } });
  const { hits } = found as { hits: { hits: { _id: string; _source: unknown }[] } };
  return new Map(hits.hits.map(({ _id, _source }) => [_id, _source]));
}
