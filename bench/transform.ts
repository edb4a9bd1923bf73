/**
 * What the sandbox costs: microseconds a message, chunks of 100, rows of ten columns and about 500 bytes. Prints, asserts
 * nothing. Run: node bench/transform.ts [messages]
 */
import type { FunctionSettings, FunctionType } from '../src/model/declared.ts';
import type { FunctionInput } from '../src/model/message.ts';
import { openSandbox } from '../src/transform/sandbox.ts';
import { cpuOf } from './processes.ts';

const COUNT = Number(process.argv[2] ?? 50_000);
const BATCH = 1_000;

function fn(type: FunctionType, code: string): FunctionSettings {
  return { name: type, type, sink_type: null, code, path: null };
}

function row(id: number, price: string): string {
  const text = 'lorem ipsum dolor sit amet '.repeat(6);
  return (
    `{"id": ${id}, "product_name": "Product ${id}", "price": ${price}, "status": "open", "quantity": ${id % 50}, ` +
    `"description": "${text}", "tags": ["a", "b"], "active": true, "created_at": "2025-11-21T07:46:00.123456+00:00", ` +
    `"customer_id": "7f0c7cf0-6b7b-4b73-9a7e-0d53a0d0a${String(id % 1000).padStart(3, '0')}"}`
  );
}

function input(id: number, price: string): FunctionInput {
  const metadata =
    `{"table_schema":"public","table_name":"products","commit_timestamp":"2025-11-21T07:46:00.123456Z",` +
    `"commit_lsn":${25_000_000_000 + id},"commit_idx":${id % 100},"database_name":"shop",` +
    `"consumer":{"id":"11111111-1111-1111-1111-111111111111","name":"products-index","annotations":{}},` +
    `"database":{"id":"22222222-2222-2222-2222-222222222222","name":"shop","annotations":{},"database":"shop",` +
    `"hostname":"localhost"},"idempotency_key":"${id}","record_pks":["${id}"],"transaction_annotations":null}`;
  return { action: 'insert', record: row(id, price), changes: null, metadata };
}

const log = { info: () => undefined, warn: console.warn, error: console.error };
const sandbox = openSandbox({ log });
const rename = fn(
  'transform',
  '(action, record) => ({ name: record.product_name, price: record.price, id: record.id })',
);
const cases = {
  'transform, renames': { set: { transform: rename }, price: '12.34' },
  'transform, whole record': { set: { transform: fn('transform', '(action, record) => record') }, price: '12.34' },
  'transform, digits to keep': { set: { transform: rename }, price: '12.30' },
  'whole record, digits to keep': { set: { transform: fn('transform', '(action, record) => record') }, price: '12.30' },
  'filter, transform, routing': {
    set: {
      filter: fn('filter', '(action, record) => record.active'),
      transform: rename,
      routing: fn('routing', '(action, record, changes, metadata) => ({ index_name: metadata.table_name })'),
    },
    price: '12.34',
  },
  'path record.product_name': {
    set: { transform: { name: 'p', type: 'path' as const, sink_type: null, code: null, path: 'record.product_name' } },
    price: '12.34',
  },
};
for (const [name, { set, price }] of Object.entries(cases)) {
  const batch = Array.from({ length: BATCH }, (_item, id) => input(id, price));
  for (let warm = 0; warm < 5; warm += 1) await sandbox.shape(set, batch, { replaces: false });
  const cpu = process.cpuUsage();
  const allBefore = cpuOf([process.pid]);
  const start = performance.now();
  for (let done = 0; done < COUNT; done += BATCH) await sandbox.shape(set, batch, { replaces: false });
  const us = ((performance.now() - start) * 1_000) / COUNT;
  const { user, system } = process.cpuUsage(cpu);
  const all = cpuOf([process.pid]);
  const both = all === undefined || allBefore === undefined ? '-' : (((all - allBefore) * 1e6) / COUNT).toFixed(1);
  const own = ((user + system) / COUNT).toFixed(1);
  console.log(`${name.padEnd(30)} ${us.toFixed(1)} us a message (CPU ${both} us, ${own} of them the caller's)`);
}
await sandbox.close();
