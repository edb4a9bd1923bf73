/** A change table in a database of its own or in the message database, its retention declared, and its messages. */
import { randomUUID } from 'node:crypto';
import { type Database, openPool } from '../../src/db/pool.ts';
import type { ChangeTableDestination } from '../../src/model/declared.ts';
import type { Delivery, Sink } from '../../src/model/sink.ts';
import { createLog } from '../../src/runtime/log.ts';
import { openChangeTable } from '../../src/sinks/change-table/sink.ts';
import type { ChangeTableOptions } from '../../src/sinks/change-table/target.ts';
import { type MessageDatabase, messageDatabase } from './message-database.ts';
import { AS_PLAIN, asPlainDestination } from './plain-role.ts';
import { sharedSource } from './postgres.ts';

export const SOURCE = '0a000000-0000-4000-8000-000000000001';
export const PLAIN: ChangeTableDestination = {
  type: 'change_table',
  database: 'shop',
  table_schema: 'public',
  table_name: 'orders_events',
  create_if_not_exists: true,
  retention: null,
};

export interface Bench {
  messages: MessageDatabase;
  /** As its superuser, where it is another database. */
  destination: Database;
  destinationUrl: string;
  retentionId: string;
  logged: Record<string, unknown>[];
  /** Opens the sink as a worker does; on another pool when there is one. */
  open(
    destination?: Partial<ChangeTableDestination>,
    options?: ChangeTableOptions & { pool?: Database; beside?: (database: string) => Promise<Database> },
  ): Promise<Sink>;
  /** Puts deliveries into the message table, as capture does. */
  keep(deliveries: readonly Delivery[]): Promise<void>;
  /** What settling does to messages that are done. */
  settle(ids: readonly number[]): Promise<void>;
  drop(): Promise<void>;
}

/** `same`: the destination is the message database; `url`: a database that the caller made, and drops. */
export async function changeTableBench(where: 'same' | 'other' | { url: string }): Promise<Bench> {
  const messages = await messageDatabase();
  const other = where === 'other' ? await (await sharedSource()).createDatabase() : undefined;
  const own = other && AS_PLAIN ? await asPlainDestination(other) : other?.url;
  const destinationUrl = typeof where === 'object' ? where.url : (own ?? messages.url);
  const destination = openPool({
    address: other?.url ?? destinationUrl,
    max: 4,
    applicationName: 'millrace test',
    path: 'role',
  });
  // As the service has it.
  const written = openPool({ address: destinationUrl, max: 4, applicationName: 'millrace test' });
  const { retentionId, sinkNo } = await declare(messages.db);
  const logged: Bench['logged'] = [];
  const log = createLog({ level: 'info', write: (line) => void logged.push(JSON.parse(line)) });
  return {
    messages,
    destination,
    destinationUrl,
    retentionId,
    logged,
    open: (settings = {}, options = {}) =>
      openChangeTable(
        {
          log,
          destination: options.pool ?? written,
          messages: messages.db,
          ...(options.beside ? { beside: options.beside } : {}),
        },
        { retentionId, sourceDatabaseId: SOURCE, destination: { ...PLAIN, ...settings } },
        options,
      ),
    async keep(deliveries) {
      for (const row of deliveries) {
        await messages.db.query(
          `insert into millrace_private.messages (sink_no, lane, id, source_table, action, record_pks, commit_lsn,
                                                  commit_idx, committed_at, record, changes, annotations)
           values ($1, 0, $2, 1, $3, $4, 1, 0, $5, $6, $7, $8)`,
          [
            sinkNo,
            row.id,
            row.action,
            JSON.stringify(row.recordPks),
            row.committedAt,
            row.record,
            row.changes,
            annotationsOf(row),
          ],
        );
      }
    },
    async settle(ids) {
      await messages.db.query('delete from millrace_private.messages where sink_no = $1 and id = any ($2)', [
        sinkNo,
        [...ids],
      ]);
    },
    async drop() {
      await destination.close();
      await written.close();
      await other?.drop();
      await messages.drop();
    },
  };
}

/** As the test wrote them into the metadata. */
const annotationsOf = ({ metadata }: Delivery): string | null =>
  /"transaction_annotations":(\{.*?\}|"[^"]*")/.exec(metadata)?.[1] ?? null;

/** `within`, in a transaction as delivery makes it, which commits. */
export async function writeWithin(bench: Bench, sink: Sink, batch: readonly Delivery[]) {
  return await bench.messages.db.transaction((tx) => sink.within!(tx, batch));
}

async function declare(db: Database): Promise<{ retentionId: string; sinkNo: number }> {
  const { rows } = await db.query<{ id: string; no: number }>(
    `with source as (
       insert into millrace_private.databases (name, settings, address, hostname, database_name)
       values ('shop', '{}', '', 'localhost', 'shop') returning id)
     insert into millrace_private.sinks (id, name, kind, database_id, status, settings, lanes)
     select $1, 'orders-history', 'change_table', s.id, 'active', '{"destination":{}}', 1 from source s
     returning id, no`,
    [randomUUID()],
  );
  const { id, no } = rows[0]!;
  await db.query('select millrace_private.add_sink_storage($1)', [no]);
  return { retentionId: id, sinkNo: no };
}
