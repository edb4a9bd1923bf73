/** Deliveries for the tests of sinks: every field filled in, the interesting ones named. */
import { joinedKey } from '../../src/model/joined-key.ts';
import type { Delivery } from '../../src/model/sink.ts';

/** `pk` is the whole key. The body defaults to a small document that carries the id. */
export function delivery(id: number, pk: string, options: Partial<Delivery> = {}): Delivery {
  const record = JSON.stringify({ id: pk, at: id });
  return {
    id,
    action: 'insert',
    recordPks: [pk],
    tableOid: 16_385,
    tableSchema: 'public',
    tableName: 'products',
    record,
    changes: null,
    metadata: '{"table_schema":"public","table_name":"products"}',
    committedAt: '2026-01-02T03:04:05.678901Z',
    body: record,
    indexName: undefined,
    groupKey: id % 97,
    attempts: 0,
    ...options,
  };
}

/** What an upserting destination holds after these deliveries: by key, the parsed body of the newest that is no delete. */
export function foldDeliveries(deliveries: readonly Delivery[]): Map<string, unknown> {
  const documents = new Map<string, unknown>();
  for (const { action, recordPks, body } of deliveries.toSorted((a, b) => a.id - b.id)) {
    const key = joinedKey(recordPks);
    if (action === 'delete') documents.delete(key);
    else documents.set(key, JSON.parse(body));
  }
  return documents;
}
