/**
 * Reads rows of a table again by their key, as the table is now: found by its oid, whatever it is called, without the tables
 * that inherit from it. No answer about the table ends a stream: what is no longer as it was when the change was made (a
 * column, a type, the table itself) is as good as gone; a table that gives no answer is said, and so is a row that cannot be
 * read: its storage is damaged, our role lacks a right, or a policy would hide it.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { queryTexts } from '../../db/as-text.ts';
import { byHalves } from '../../db/halving.ts';
import type { Connection, Database } from '../../db/pool.ts';
import { inSnapshot } from '../../db/snapshot.ts';
import { quoteLiteral, quoteTable } from '../../model/quote.ts';
import {
  isCancelled,
  isDamaged,
  isLockTimeout,
  isNoInput,
  isNotPermitted,
  isOtherTable,
  isUnreadable,
  type ServerError,
} from '../../model/sqlstate.ts';
import type { Deferred } from '../../routing/pending.ts';
import type { LoadedRelation } from '../../routing/relation.ts';
import { rowsWith } from '../../source/given-keys.ts';
import { inTextForm, meant, type TextForm, type Texts } from '../../source/text-form.ts';

export interface AgainQuery {
  relation: LoadedRelation;
  /** What is asked of each row of `t`. */
  list(form: TextForm): string;
  /** Milliseconds that a lock on the table is waited for. */
  patienceMs: number;
  /** Rows that may be there cannot be read: why. */
  onUnreadable(why: string): void;
}

/** What was found, by entry; rows that are gone are not in it. */
export type Found = Map<Deferred, Texts>;

/** Milliseconds that one question waits for a lock. */
const LOCK_MS = 1_000;
const PAUSE_MS = 250;
/** Rows of a table that cannot be read, before it is taken for one that gives no answer: each costs questions. */
const MOST_UNREADABLE = 100;
/** Names that change while a question is asked. */
const TRIES = 5;

/** Undefined: the table gave no answer, for it is locked, takes too long to be searched, or can hardly be read. */
export async function lookUp(
  source: Database,
  query: AgainQuery,
  entries: readonly Deferred[],
): Promise<Found | undefined> {
  const found: Found = new Map();
  // Without its key no row can be found.
  if (query.relation.keyTypes.length === 0) return found;
  const until = performance.now() + query.patienceMs;
  let isSilent = false;
  let unreadable = 0;
  // One key may be no value of the column's new type, or one row damaged, and the others are not.
  await byHalves(entries, async (part) => {
    if (isSilent) return true;
    const answer = await ask(source, { ...query, until }, part);
    if (answer instanceof Unreadable) {
      unreadable += 1;
      if (part.length === 1) query.onUnreadable(answer.why);
      isSilent = unreadable >= MOST_UNREADABLE;
      return false;
    }
    isSilent = answer === 'silent';
    if (typeof answer === 'string') return answer !== 'refused';
    for (const [entry, texts] of answer) found.set(entry, texts);
    return true;
  });
  return isSilent ? undefined : found;
}

/** One of the rows cannot be read. */
class Unreadable {
  readonly why: string;
  /** Words that name no value; of other faults Postgres' may. */
  constructor(error: ServerError) {
    const { code, message } = error;
    this.why = isDamaged(error) ? message : code;
  }
}

/** `silent`: it gives no answer. `refused`: a key is no value of its column. */
async function ask(
  source: Database,
  query: AgainQuery & { until: number },
  entries: readonly Deferred[],
): Promise<Found | 'silent' | 'refused' | Unreadable> {
  for (;;) {
    try {
      return await source.session((client) =>
        inSnapshot(client, { lockMs: LOCK_MS }, () => find(client, query, entries)),
      );
    } catch (error) {
      if (isCancelled(error)) return 'silent';
      if (isLockTimeout(error)) {
        if (performance.now() > query.until) return 'silent';
        await sleep(PAUSE_MS);
      } else if (isNoInput(error)) return 'refused';
      else if (isUnreadable(error)) {
        // It may have been dropped while it was read.
        const isThere = await source.session(async (client) => await nameOf(client, query.relation.oid));
        return isThere ? new Unreadable(error) : new Map();
      } else if (isOtherTable(error)) {
        if (isNotPermitted(error)) query.onUnreadable(error.message);
        return new Map();
      } else throw error;
    }
  }
}

async function find(client: Connection, query: AgainQuery, entries: readonly Deferred[]): Promise<Found> {
  const { oid } = query.relation;
  for (let tries = 0; tries < TRIES; tries++) {
    const name = await nameOf(client, oid);
    if (name === undefined) break;
    const read = (form: TextForm): Promise<Found> => select(client, { ...query, name, form }, entries);
    const found = await inTextForm(client, read, (rows) => rows.values());
    if (found.size > 0 || (await nameOf(client, oid))?.sql === name.sql) return found;
  }
  return new Map();
}

interface TableName {
  sql: string;
  isPartitioned: boolean;
}

/** What the table is called now; undefined when there is none. Takes no lock. */
async function nameOf(client: Connection, oid: number): Promise<TableName | undefined> {
  const { rows } = await client.query<{ schema: string; name: string; kind: string }>(
    `select n.nspname as schema, c.relname as name, c.relkind as kind
       from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace
      where c.oid = $1::oid and c.relkind in ('r', 'p')`,
    [oid],
  );
  const row = rows[0];
  return row && { sql: quoteTable(row), isPartitioned: row.kind === 'p' };
}

async function select(
  client: Connection,
  { relation, name, form, list }: AgainQuery & { name: TableName; form: TextForm },
  entries: readonly Deferred[],
): Promise<Found> {
  const { from, values } = rowsWith(relation.keyTypes, {
    table: `${name.isPartitioned ? '' : 'only '}${name.sql}`,
    form,
    wanted: entries.map(({ key }) => key),
    others: 1,
  });
  // Who has the name when the table is opened: it may have been given to another one since it was looked up.
  const text = `select w.millrace_place, ${list(form)}
    ${from}
   where pg_catalog.to_regclass(${quoteLiteral(name.sql)})::oid = $1::oid`;
  const rows = await queryTexts(client, text, [relation.oid, ...values]);
  return new Map(rows.map(([place, ...texts]) => [entries[Number(place) - 1]!, meant(form, texts)]));
}
