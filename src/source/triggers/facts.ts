/** How a source notes the changes of its tables by triggers: what is there, and what is not as we made it. */
import type { Database, Queryable } from '../../db/pool.ts';
import { statement } from '../../db/statement.ts';

const ABOUT = statement('source/triggers/about');
const FACTS = statement('source/triggers/facts');

/** A table of the list, or one that has a trigger of ours and is not on it. Names in the lists are as SQL writes them. */
export interface NotedTable {
  oid: number;
  schema: string;
  name: string;
  /** It is of the list. */
  listed: boolean;
  /** Our role owns it, so we may make its triggers. */
  mine: boolean;
  /** Of the table itself, as pg_trigger.tgenabled has it: `A` always, as we make it; null: it has none. */
  row_trigger: 'A' | 'O' | 'R' | 'D' | null;
  /** The table and its partitions whose changes of rows are not noted, for want of a trigger. */
  without: readonly string[];
  /** Those whose trigger is off, or not on for replicated changes too. */
  not_always: readonly string[];
  /** The same of the trigger for TRUNCATE. */
  without_truncate: readonly string[];
  truncate_not_always: readonly string[];
  /** Of all its triggers the setting that notes least: D, R, O or A; null: it has none. */
  least: 'A' | 'O' | 'R' | 'D' | null;
  /** Oids of the tables that hold its rows: itself, or its partitions. */
  stores: readonly number[];
  /** Triggers of ours on it that are not of the list any more. */
  stray: readonly string[];
  /** What the function of its triggers was made of; null: it has none. */
  mark: string | null;
}

/** What of the schema our role has no rights on. */
export interface Foreign {
  owner: string;
  /** Statements that give it to our role, for a superuser. */
  handover: readonly string[];
}

interface About {
  foreign_owner: string | null;
  handover: string[];
  made: boolean;
  outdated: boolean;
}

export interface TriggerFacts {
  /** Schema millrace_capture; undefined: there is none. */
  schema:
    | {
        version: number | undefined;
        id: string | undefined;
        foreign: Foreign | undefined;
        /** A release of before made it, and something in it must be made anew, which that release can do with too. */
        isOutdated: boolean;
      }
    | undefined;
  tables: NotedTable[];
}

/** Reads catalogs, and the row that says which version is there. `tables`: oids of the list. */
export async function readTriggers(source: Database, tables: readonly number[]): Promise<TriggerFacts> {
  const { rows } = await source.query<NotedTable>(FACTS, [tables]);
  return { schema: await readSchema(source), tables: rows };
}

async function readSchema(source: Queryable): Promise<TriggerFacts['schema']> {
  const [schema] = (await source.query<About>(ABOUT)).rows;
  if (!schema) return undefined;
  const { foreign_owner: owner, handover, made, outdated: isOutdated } = schema;
  const foreign = owner === null ? undefined : { owner, handover };
  if (!made || foreign) return { foreign, version: undefined, id: undefined, isOutdated };
  const { rows } = await source.query<{ version: number; id: string }>(
    'select version, id::text as id from millrace_capture.about',
  );
  return { foreign, version: rows[0]?.version, id: rows[0]?.id, isOutdated };
}
