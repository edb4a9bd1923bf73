/** What checks want to know of a source whose changes triggers note. */
import type { TriggeredTable, TriggerFacts } from '../../checks/triggers.ts';
import type { Database } from '../../db/pool.ts';
import { statement } from '../../db/statement.ts';
import { readTables } from '../tables.ts';
import type { Refusal } from './ensure.ts';
import { type NotedTable, readTriggers } from './facts.ts';
import { readNoting } from './noting.ts';
import { captureSchemaSql, handoverSql, refusedSql, tableTriggersSql } from './scripts.ts';
import { type Noting, VERSION } from './texts.ts';

const STANDING = statement('source/triggers/standing');
const OLDEST_UNREAD = statement('source/triggers/oldest-unread');

interface Asked {
  onError?: 'fail' | 'skip';
  /** All that it sees is read; absent: how old what is not read is cannot be said. */
  read?: string;
  /** Tables for which the server has just refused to make or to renew triggers. */
  refused?: ReadonlyMap<number, Refusal>;
}

/** Of the tables that the publication lists. */
export async function readTriggerFacts(
  source: Database,
  publication: string,
  asked: Asked = {},
): Promise<TriggerFacts> {
  const listed = (await readTables(source, publication)).filter(({ published }) => published);
  const { schema, tables } = await readTriggers(
    source,
    listed.map(({ oid }) => oid),
  );
  const noting = await readNoting(source, asked);
  const standing = await source.query<{ bytes: number; may_make: boolean; filtered: number[] }>(STANDING, [
    publication,
  ]);
  const { bytes, may_make: mayMake, filtered } = standing.rows[0]!;
  const canRead = schema?.version !== undefined;
  return {
    schemaVersion: schema ? (schema.version ?? 0) : null,
    wantedVersion: VERSION,
    mayMakeSchema: mayMake,
    foreign: schema?.foreign
      ? { owner: schema.foreign.owner, role: noting.role, sql: handoverSql(schema.foreign) }
      : null,
    schemaSql: captureSchemaSql(noting.role),
    tables: new Map(
      tables
        .filter((table) => table.listed)
        .map((table) => [
          table.oid,
          {
            ...{ schema: table.schema, name: table.name, hasTriggers: table.without.length === 0 },
            ...{ enabled: enabledOf(table), hasLists: filtered.includes(table.oid), mayMake: table.mine },
            ...repairOf(table, noting, asked.refused?.get(table.oid)),
          },
        ]),
    ),
    notedBytes: bytes,
    oldestUnreadSeconds: canRead && asked.read !== undefined ? await readOldest(source, asked.read) : null,
  };
}

function repairOf(
  table: NotedTable,
  noting: Noting & { role: string },
  refused: Refusal | undefined,
): Pick<TriggeredTable, 'sql' | 'refused'> {
  const isRenewal = refused !== undefined && table.without.length === 0;
  const sql = isRenewal ? refusedSql(refused.statements, noting.role) : tableTriggersSql(table, noting);
  return { sql, refused: refused?.said };
}

async function readOldest(source: Database, snapshot: string): Promise<number | null> {
  return (await source.query<{ seconds: number | null }>(OLDEST_UNREAD, [snapshot])).rows[0]?.seconds ?? null;
}

/** Of all its triggers the one that notes least. */
function enabledOf({ least }: NotedTable): TriggeredTable['enabled'] {
  if (least === 'D') return 'disabled';
  if (least === 'R') return 'replica';
  return least === 'O' ? 'origin' : 'always';
}
