/**
 * Triggers that note the changes of the tables of a list: made where they are missing, removed from tables that are not on it
 * any more. Each table by itself, in a short transaction, and none is waited for: somebody may be making an index of it for
 * an hour. A trigger that somebody has switched off stays so: he may have meant it, and the facts say so.
 */
import { repairText } from '../../checks/finding.ts';
import { checkForeign } from '../../checks/triggers.ts';
import { limitSql } from '../../db/deadline.ts';
import type { Database, Queryable } from '../../db/pool.ts';
import { statement } from '../../db/statement.ts';
import { MillraceError, messageOf } from '../../model/errors.ts';
import { quoteIdentifier, quoteTable, remarked } from '../../model/quote.ts';
import {
  isDeadlock,
  isLockTimeout,
  isNotPermitted,
  isOutdated,
  isServerError,
  isUnavailable,
  isUniqueViolation,
} from '../../model/sqlstate.ts';
import { type Foreign, type NotedTable, readTriggers, type TriggerFacts } from './facts.ts';
import { readNoting, type Wanted } from './noting.ts';
import { handoverSql, triggersSql } from './scripts.ts';
import { functionSql, rowTriggerSql, schemaSql, truncateTriggerSql, VERSION } from './texts.ts';

const SHAPES = statement('source/triggers/shapes');
const SINGLE_SHAPES = statement('source/triggers/single-shapes');

/** Milliseconds that a lock on a table is waited for: less than what makes an autovacuum give way. */
const LOCK_MS = 500;
/**
 * Two that make triggers would get in each other's way. Anybody who may connect could hold an advisory lock for good; this table is
 * ours. Before it is there, Postgres lets one make the schema.
 */
const ALONE = `do $$ begin
  if has_table_privilege(to_regclass('millrace_capture.about'), 'delete') then
    lock table millrace_capture.about in share row exclusive mode nowait;
  end if;
end $$`;

export interface Ensured {
  /** What is there now. */
  facts: TriggerFacts;
  /** Oids of the tables whose changes are noted since just now. */
  added: Set<number>;
  /** Tables that somebody has locked: they are tried again at the next check. */
  locked: NotedTable[];
  /** Tables for which the server refused that, as an event trigger of the user's does, by oid. */
  refused: ReadonlyMap<number, Refusal>;
}

export interface Refusal {
  /** What the server said. */
  said: string;
  /** What it refused. */
  statements: readonly string[];
}

/** @throws MillraceError bad_source, with the SQL to run, when our role may not make the schema, or the server refuses that. */
export async function ensureTriggers(source: Database, wanted: Wanted): Promise<Ensured> {
  const oids = wanted.tables.map(({ oid }) => oid);
  const noting = await readNoting(source, wanted);
  let facts = await readTriggers(source, oids);
  const { schema } = facts;
  if (schema?.foreign) throw notOurs(schema.foreign, noting.role);
  const version = schema?.version ?? 0;
  const isMade = version > VERSION || (version === VERSION && !schema?.isOutdated);
  if (!isMade) await makeSchema(source, wanted, facts);
  const ensured = { added: new Set<number>(), locked: [] as NotedTable[], refused: new Map<number, Refusal>() };
  let isChanged = !isMade;
  // What a newer release has made is left to it.
  const tables = version > VERSION ? [] : facts.tables;
  const shapes = await readNumbers(source, tables);
  for (const table of tables) {
    const statements = statementsFor(table, functionSql(table, noting, shapes.get(table.oid) ?? []));
    if (statements.length === 0) continue;
    const outcome = await alone(source, async (tx) => {
      for (const sql of statements) await tx.query(sql);
      return table.listed && table.without.length > 0 ? 'added' : 'done';
    });
    if (typeof outcome === 'object') ensured.refused.set(table.oid, { said: outcome.refused, statements });
    if (outcome === 'locked') ensured.locked.push(table);
    if (outcome === 'added') ensured.added.add(table.oid);
    isChanged ||= outcome === 'added' || outcome === 'done';
  }
  await dropFunctions(source, oids);
  await source.query(SINGLE_SHAPES);
  if (isChanged) facts = await readTriggers(source, oids);
  return { ...ensured, facts };
}

function notOurs(foreign: Foreign, role: string): MillraceError {
  const found = checkForeign({ owner: foreign.owner, role, sql: handoverSql(foreign) });
  return new MillraceError('bad_source', found.summary, { remedy: repairText(found) });
}

/** `gone`: the table is not what it was a moment ago, or somebody else is at it; it is looked at again at the next check. */
type Outcome = 'added' | 'done' | 'locked' | 'gone';

/**
 * No standby is waited for: whoever writes to the table would wait as long for its lock. What the server refuses is one table's: the
 * others are noted all the same.
 */
async function alone(
  source: Database,
  work: (tx: Queryable) => Promise<Outcome>,
): Promise<Outcome | { refused: string; cause: unknown }> {
  try {
    return await source.transaction(async (tx) => {
      await tx.query(`${limitSql({ lockMs: LOCK_MS })}; set local synchronous_commit = local`);
      await tx.query(ALONE);
      return await work(tx);
    });
  } catch (error) {
    if (isLockTimeout(error) || isDeadlock(error) || isUniqueViolation(error)) return 'locked';
    if (isOutdated(error) && !isNotPermitted(error)) return 'gone';
    if (isServerError(error) && !isUnavailable(error)) return { refused: messageOf(error), cause: error };
    throw error;
  }
}

async function makeSchema(source: Database, wanted: Wanted, { schema }: TriggerFacts): Promise<void> {
  const outcome = await alone(source, async (tx) => {
    if (!schema) await tx.query('create schema if not exists millrace_capture');
    await tx.query(schemaSql());
    return 'done';
  });
  if (outcome === 'done') return;
  if (typeof outcome === 'object') {
    const { refused, cause } = outcome;
    const sql = await triggersSql(source, wanted);
    const [what, remedy] = isNotPermitted(cause)
      ? ['our role may not make schema millrace_capture', sql]
      : ['schema millrace_capture could not be made', remarked(sql, 'where that is not refused')];
    throw new MillraceError('bad_source', `${what}: ${refused}`, { remedy, cause });
  }
  throw new MillraceError('bad_source', 'schema millrace_capture is being changed by somebody else', {
    remedy: 'Nothing: it is tried again soon.',
  });
}

/** Removes all of them, but for those of tables that are locked, or not our role's. @throws what the server refuses, once all were tried. */
export async function removeTriggers(source: Database): Promise<void> {
  const refused: unknown[] = [];
  for (const table of (await readTriggers(source, [])).tables.filter(({ mine }) => mine)) {
    const outcome = await alone(source, async (tx) => {
      for (const sql of strayDropsOf(table)) await tx.query(sql);
      return 'done';
    });
    if (typeof outcome === 'object') refused.push(outcome.cause);
  }
  refused.push(...(await dropFunctions(source, [])));
  if (refused.length > 0) throw refused[0];
}

/** Of what the tables of the list are like: committed, so that nobody writes them again. */
async function readNumbers(source: Queryable, tables: readonly NotedTable[]): Promise<Map<number, number[]>> {
  const pairs = tables.filter(({ listed }) => listed).flatMap(({ oid, stores }) => stores.map((store) => [oid, store]));
  if (pairs.length === 0) return new Map();
  const { rows } = await source.query<{ rel: number; numbers: number[] }>(SHAPES, [
    pairs.map(([rel]) => rel),
    pairs.map(([, leaf]) => leaf),
  ]);
  return new Map(rows.map(({ rel, numbers }) => [rel, numbers]));
}

/** What its function and triggers lack, and what is too many; of a table that is not of the list its triggers. */
function statementsFor(table: NotedTable, { sql, mark }: ReturnType<typeof functionSql>): string[] {
  const strays = strayDropsOf(table);
  if (!table.listed) return table.mine ? strays : [];
  const isMissing = table.without.length > 0;
  // Without a trigger nobody would call the function.
  if (isMissing && !table.mine) return [];
  // Strays go first: a dump that was restored has them under the names of those that are made.
  return [
    ...(table.mine ? strays : []),
    ...(mark === table.mark ? [] : [sql]),
    ...(isMissing ? rowTriggerSql(table) : []),
    ...(table.mine ? table.without_truncate.flatMap((store) => truncateTriggerSql(table, store)) : []),
  ];
}

const strayDropsOf = (table: NotedTable): string[] =>
  table.stray.map((name) => `drop trigger ${quoteIdentifier(name)} on ${quoteTable(table)}`);

/** Those that no trigger calls any more. Returns what the server said where it refused that. */
async function dropFunctions(source: Database, listed: readonly number[]): Promise<unknown[]> {
  const { rows } = await source.query<{ name: string }>(
    `select p.proname as name from pg_proc p join pg_namespace n on n.oid = p.pronamespace and n.nspname = 'millrace_capture'
      where p.proname like 'table\\_%' and p.proname::text not in (select 'table_' || oid from unnest($1::bigint[]) oid)
        and not exists (select from pg_trigger g where g.tgfoid = p.oid) and pg_has_role(current_user, p.proowner, 'usage')`,
    [listed],
  );
  const refused: unknown[] = [];
  for (const { name } of rows) {
    const outcome = await alone(source, async (tx) => {
      await tx.query(`drop function if exists millrace_capture.${quoteIdentifier(name)}() restrict`);
      return 'done';
    });
    if (typeof outcome === 'object') refused.push(outcome.cause);
  }
  return refused;
}
