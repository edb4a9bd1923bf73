/**
 * Every kind of end for the accounts of ledger.ts: the declaration, and what each end must hold when nothing is pending.
 */
import { expect } from 'chai';
import type { BulkServer } from '../engines/bulk-server.ts';
import { type ChangeRow, changeRows, foldChanges, tableRows } from '../fixtures/change-rows.ts';
import type { World } from '../processes/world.ts';
import type { Received } from '../pull/client.ts';
import type { Crowd, Sighting } from '../pull/crowd.ts';
import { entryOf, ledgerEntries, REGIONS } from './ledger.ts';

export const INDEXES = ['accounts', ...REGIONS.map((region) => `accounts-${region}`)];
export const PLACES = ['shop', 'home', 'archive'] as const;
export const VISIBILITY_MS = 3_000;

const SINKS = ['accounts-index', 'accounts-routed', 'accounts-pull', 'accounts-shaped'];
export const EVERY_SINK = [...SINKS, ...PLACES.map((place) => `accounts-in-${place}`)];
export const PUSHED = EVERY_SINK.filter((name) => !['accounts-pull', 'accounts-shaped'].includes(name));

export const accountsYaml = (endpoint: string): string => `
functions:
  - name: document
    type: transform
    code: "(action, record) => ({ key: record.id, cents: Math.round(record.balance * 100), at: record.version })"
  - name: by-region
    type: routing
    sink_type: elasticsearch
    code: "(action, record) => ({ index_name: 'accounts-' + record.region })"
  - name: not-west
    type: filter
    code: "(action, record) => record.region !== 'west'"
  - name: event
    type: transform
    code: |-
      export default (action, record, changes, metadata) =>
        ({ id: metadata.idempotency_key, action, record: { id: record.id, version: record.version }, changes })
sinks:
  - name: accounts-index
    database: shop
    source: { include_tables: [accounts] }
    destination: { type: elasticsearch, endpoint_url: "${endpoint}", index_name: accounts, auth_type: none }
  - name: accounts-routed
    database: shop
    source: { include_tables: [accounts] }
    transform: document
    routing: by-region
    destination: { type: elasticsearch, endpoint_url: "${endpoint}", index_name: accounts, auth_type: none }
  - name: accounts-pull
    database: shop
    source: { include_tables: [accounts] }
    destination: { type: pull, visibility_timeout_ms: ${VISIBILITY_MS} }
  - name: accounts-shaped
    database: shop
    source: { include_tables: [accounts] }
    filter: not-west
    transform: event
    destination: { type: pull, visibility_timeout_ms: ${VISIBILITY_MS} }
change_retentions:
${PLACES.map(
  (place) => `
  - name: accounts-in-${place}
    source_database: shop
    source_table_schema: public
    source_table_name: accounts
    destination_database: ${place}
    destination_table_schema: public
    destination_table_name: accounts_events
    create_if_not_exists: true`,
).join('')}
`;

const sighting = (id: number, change: Parameters<typeof entryOf>[0]): Sighting => ({
  id,
  keys: [change.record.id, ...(change.changes !== null && 'id' in change.changes ? [change.changes.id] : [])],
  entry: entryOf(change),
});

/** A message of accounts-pull. */
export const readPlain = ({ message }: Received): Sighting =>
  sighting(Number(message.metadata.idempotency_key), message);

/** A message of accounts-shaped. */
export function readShaped({ message }: Received): Sighting {
  const data = message.data as Parameters<typeof entryOf>[0] & { id: string };
  return sighting(Number(data.id), data);
}

/** The change table of each place: every change of the ledger once, in an order that makes the table. */
export async function expectChangeTables(world: World): Promise<ChangeRow[]> {
  const ledger = await ledgerEntries(world.shop);
  const accounts = await tableRows(world.shop, 'accounts');
  let found: ChangeRow[] = [];
  for (const place of PLACES) {
    found = await changeRows(
      { shop: world.shop, home: world.messages, archive: world.archive }[place],
      'accounts_events',
    );
    expectSame(found.map(entryOf), ledger, `changes in ${place}`);
    expect(new Set(found.map(({ seq }) => seq)).size, `seq in ${place}`).to.equal(found.length);
    expect(foldChanges(found), `fold in ${place}`).to.deep.equal(accounts);
  }
  return found;
}

/** The indexes: the rows, and what the transform makes of each in the index of its region. */
export async function expectIndexes(world: World, engine: BulkServer): Promise<void> {
  const rows = [...(await tableRows(world.shop, 'accounts'))];
  const whole = new Map(rows.map(([id, row]) => [`${id}`, row]));
  expect(engine.engine.documents('accounts')).to.deep.equal(whole);
  for (const region of REGIONS) {
    const here = rows.filter(([, row]) => row.region === region);
    const made = here.map(([id, row]): [string, object] => [
      `${id}`,
      { key: id, cents: Math.round(Number(row.balance) * 100), at: row.version },
    ]);
    expect(engine.engine.documents(`accounts-${region}`), region).to.deep.equal(new Map(made));
  }
  expect(engine.strays()).to.deep.equal([]);
}

/** A crowd saw every change, nothing else, in order and never after it was acknowledged. */
export function expectCrowd(crowd: Crowd, changes: readonly ChangeRow[], what: string): void {
  expect(crowd.faults, what).to.deep.equal([]);
  expectSame([...crowd.seen.values()], changes.map(entryOf), what);
}

/** The same entries, each as often; names the first that differ instead of printing thousands. */
export function expectSame(found: readonly string[], expected: readonly string[], what: string): void {
  const count = new Map<string, number>();
  for (const entry of expected) count.set(entry, (count.get(entry) ?? 0) - 1);
  for (const entry of found) count.set(entry, (count.get(entry) ?? 0) + 1);
  const wrong = [...count].filter(([, difference]) => difference !== 0);
  const shown = wrong.slice(0, 10).map(([entry, difference]) => `${entry}: ${difference > 0 ? '+' : ''}${difference}`);
  expect(shown, `${what}: ${found.length} of ${expected.length}, ${wrong.length} differ`).to.deep.equal([]);
}
