/**
 * Removes a sink from the catalog, once somebody who knows what is thrown away has agreed. Its storage is freed by
 * `freeStorage`, now or at the next start.
 */
import { removeSink as removeFromCatalog } from '../catalog/apply/remove-sink.ts';
import type { Database } from '../db/pool.ts';
import { statement } from '../db/statement.ts';
import { kindOfType } from '../sinks/kinds.ts';
import { findSink, titleOf } from './find-sink.ts';

const MESSAGES = statement('admin/sink-messages');

/** What goes with the sink. */
export interface Losing {
  name: string;
  /** What it is: `a search index`. */
  title: string;
  /** Messages. */
  pending: number;
  parked: number;
}

export interface RemoveSinkDeps {
  db: Database;
  agree(losing: Losing): Promise<boolean>;
}

export interface SinkRemoval extends Losing {
  /** It wrote a table, which stays. */
  hasTable: boolean;
  /** The database that no sink reads from any more, so that its slot keeps WAL for nobody. */
  unread: string | null;
}

/** Undefined when nobody agreed, and nothing was removed. @throws MillraceError not_found, unavailable; what `agree` throws. */
export async function removeSink({ db, agree }: RemoveSinkDeps, name: string): Promise<SinkRemoval | undefined> {
  const sink = await findSink(db, name);
  const { rows } = await db.query<{ pending: number; parked: number }>(MESSAGES, [sink.name]);
  const losing = { name: sink.name, title: titleOf(sink), pending: 0, parked: 0, ...rows[0] };
  if (!(await agree(losing))) return undefined;
  const { is_last, database_name } = await removeFromCatalog(db, sink.name);
  const hasTable = kindOfType(sink.kind)?.writesInto !== undefined;
  return { ...losing, hasTable, unread: is_last ? database_name : null };
}
