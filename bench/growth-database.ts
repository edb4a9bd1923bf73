/** The message database of the growth benchmark: three pull consumers of a source that is declared, and never captured. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { JsonBytes } from '../src/codec/json-bytes.ts';
import type { Database } from '../src/db/pool.ts';
import { append, type Writer } from '../src/messages/append.ts';
import { beginRows, endRows, putAddress, putChange } from '../src/messages/copy-rows.ts';

const MAIN = path.resolve(import.meta.dirname, '../src/main.ts');
const SINKS = ['busy', 'stopped', 'noisy'] as const;
export type SinkName = (typeof SINKS)[number];
export const HOT_ROWS = 50;

export interface Bench {
  db: Database;
  writer: Writer;
  sinks: Record<SinkName, number>;
  tableNo: number;
  nextId: number;
}

/** Which rows change: each once, 50 in turn, or always the same one. */
export type Groups = 'single' | 'hot' | 'one';

/** As capture appends them, in one transaction. */
export async function appendRows(bench: Bench, sink: SinkName, what: { rows: number; groups: Groups }): Promise<void> {
  const out = new JsonBytes(1024 * 1024);
  const first = bench.nextId;
  bench.nextId += what.rows;
  const commitLsn = BigInt(first);
  beginRows(out);
  for (let id = first; id < bench.nextId; id += 1) {
    const key = what.groups === 'single' ? id : what.groups === 'hot' ? id % HOT_ROWS : 0;
    putAddress(out, { sinkNo: bench.sinks[sink], lane: 0, id, groupKey: key, groupKey2: null });
    putChange(out, {
      sourceTable: bench.tableNo,
      action: 'update',
      recordPks: `["${key}"]`,
      commitLsn,
      commitIdx: id - first,
      committedAt: Date.now() * 1_000,
      record: `{"id":${key},"text":"${'x'.repeat(480)}"}`,
      changes: null,
      annotations: null,
      unchangedToast: null,
    });
  }
  endRows(out);
  await append(bench.db, bench.writer, {
    rows: out.bytes.subarray(0, out.length),
    parked: [],
    position: { commitLsn, commitIdx: what.rows, confirmedLsn: commitLsn, nextId: bench.nextId },
  });
}

export async function prepare(db: Database): Promise<Bench> {
  const { rows: tables } = await db.query<{ no: number; database_no: number; generation: number }>(`
    with position as (
      insert into millrace_private.positions (database_no) select d.no from millrace_private.databases d
          on conflict (database_no) do update set generation = positions.generation returning database_no, generation
    )
    insert into millrace_private.source_tables (database_no, oid, schema_name, table_name, metadata)
    select p.database_no, 16400, 'public', 'bench', '"table_schema":"public","table_name":"bench"' from position p
    returning no, database_no, (select p.generation from position p) as generation`);
  const { rows: sinks } = await db.query<{ no: number; name: SinkName }>('select no, name from millrace_private.sinks');
  const { rows: catalog } = await db.query<{ generation: number }>(
    'select generation from millrace_private.catalog_state',
  );
  const table = tables[0]!;
  return {
    db,
    writer: {
      databaseNo: table.database_no,
      generation: table.generation,
      catalogGeneration: catalog[0]!.generation,
    },
    sinks: Object.fromEntries(sinks.map(({ name, no }) => [name, no])) as Record<SinkName, number>,
    tableNo: table.no,
    nextId: 1_790_000_000_000_000,
  };
}

export async function migrate(url: string): Promise<void> {
  const sinks = SINKS.map((name) => `  - { name: ${name}, database: bench, destination: { type: pull } }`).join('\n');
  const yaml = `
databases:
  - { name: bench, url: ${JSON.stringify(url)}, ssl: false, slot: { name: bench }, publication: { name: bench } }
sinks:
${sinks}
`;
  const env = {
    ...process.env,
    DATABASE_URL: url,
    SECRET_KEY: 't5KzQw8RyB1nVh4Xc7LsJf0Gd3MpUa6E',
    CONFIG_FILE_YAML: Buffer.from(yaml).toString('base64'),
    LOG_LEVEL: process.env.LOG_LEVEL ?? 'warn',
  };
  const child = spawn(process.execPath, [MAIN, 'migrate'], { env, stdio: ['ignore', 'ignore', 'inherit'] });
  const [code] = (await once(child, 'exit')) as [number | null];
  if (code !== 0) throw new Error(`migrate ended with ${code}`);
}
