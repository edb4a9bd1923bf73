/**
 * What must hold after an outage, whatever was under way: indexes are what the test itself makes of the tables, every change
 * of the ledger came out once at each end, no row went back to an older version, nothing is parked.
 */
import { expect } from 'chai';
import type { Database } from '../../../src/db/pool.ts';
import type { BulkServer } from '../engines/bulk-server.ts';
import { changeRows, foldChanges, tableRows } from '../fixtures/change-rows.ts';
import { pullBySql, type Received } from '../pull/client.ts';
import { startCrowd } from '../pull/crowd.ts';
import { expectSame } from './accounts.ts';
import { entryOf, ledgerEntries, seeded } from './ledger.ts';

export interface OutageFacts {
  shop: Database;
  archive: Database;
  messages: Database;
  engine: BulkServer;
  seen: Record<'pulled' | 'replayed', Seen>;
}

export interface PulledChange {
  action: string;
  /** As the ledger writes it. */
  entry: string;
  /** Of the rows that it is about. */
  keys: number[];
  version: number;
}

/** What a consumer has received so far. */
export interface Seen {
  /** By message id. */
  readonly changes: ReadonlyMap<number, PulledChange>;
  readonly faults: readonly string[];
  stop(): Promise<void>;
}

/** Drains the consumer from now on. */
export function pulledBy(messages: Database, consumer: string, seed: number): Seen {
  const changes = new Map<number, PulledChange>();
  const read = ({ message }: Received) => {
    const { action, record, changes: before, metadata } = message;
    const id = Number(metadata.idempotency_key);
    const entry = entryOf(message);
    const keys = [record.id, ...(before !== null && 'id' in before ? [before.id] : [])].map(Number);
    changes.set(id, { action, entry, keys, version: Number(record.version) });
    return { id, keys, entry };
  };
  const crowd = startCrowd({ clients: [pullBySql(messages, consumer)], random: seeded(seed), read });
  crowd.finish();
  return { changes, faults: crowd.faults, stop: () => crowd.stop() };
}

/** `lost`: entries of the ledger that were written while nobody captured. `again`: entries that a replay sent to `replayed`. */
export async function expectFacts(
  facts: OutageFacts,
  { indexes = ['accounts'], lost = [], again = [] }: { indexes?: string[]; lost?: string[]; again?: string[] } = {},
): Promise<void> {
  const { shop, archive, messages, seen } = facts;
  const missing = new Set(lost);
  const ledger = (await ledgerEntries(shop)).filter((entry) => !missing.has(entry));
  await expectIndexes(facts, indexes);
  const history = await changeRows(archive, 'accounts_events');
  expectSame(history.map(entryOf), ledger, 'the change table');
  if (lost.length === 0) {
    // As text: a version is a number in both.
    expect(foldChanges(history)).to.deep.equal(await tableRows(shop, 'accounts'));
  }
  const changesOf = ({ changes }: Seen): string[] =>
    [...changes.values()].filter(({ action }) => action !== 'read').map(({ entry }) => entry);
  expectSame(changesOf(seen.pulled), ledger, 'pulled');
  expectSame(changesOf(seen.replayed), [...ledger, ...again], 'replayed');
  expect(seen.pulled.faults).to.deep.equal([]);
  expect(seen.replayed.faults).to.deep.equal([]);
  expect(goneBack(seen.pulled), 'rows that went back').to.deep.equal([]);
  const { rows } = await messages.query('select sink_name, action, error from millrace.parked_messages');
  expect(rows).to.deep.equal([]);
}

/** The indexes hold what the transform makes of the rows, and nothing else. */
export async function expectIndexes({ shop, engine }: OutageFacts, indexes: readonly string[]): Promise<void> {
  const rows = [...(await tableRows(shop, 'accounts'))];
  const wanted = new Map(
    rows.map(([id, row]): [string, string] => [
      `${id}`,
      JSON.stringify({ key: id, cents: Math.round(Number(row.balance) * 100), at: row.version }),
    ]),
  );
  for (const index of indexes) {
    const found = engine.engine.documents(index);
    const wrong = [...wanted].filter(([id, body]) => JSON.stringify(found.get(id)) !== body);
    const extra = [...found].filter(([id]) => !wanted.has(id));
    const shown = [
      ...wrong.slice(0, 5).map(([id, body]) => `${body}, found ${JSON.stringify(found.get(id))}`),
      ...extra.slice(0, 5).map(([id]) => `${id} has no row`),
    ];
    expect(shown, `${index}: ${wrong.length} wrong, ${extra.length} extra`).to.deep.equal([]);
  }
  expect(engine.strays()).to.deep.equal([]);
}

/** Older versions of a row that came after newer ones. Messages are told by their ids, in whose order rows come out. */
function goneBack({ changes }: Seen): string[] {
  const newest = new Map<number, PulledChange>();
  const found: string[] = [];
  for (const [, change] of [...changes].sort(([a], [b]) => a - b)) {
    for (const key of change.keys) {
      const before = newest.get(key);
      if (before && before.version > change.version) found.push(`${change.entry} after ${before.entry}`);
      else newest.set(key, change);
    }
  }
  return found.slice(0, 10);
}
