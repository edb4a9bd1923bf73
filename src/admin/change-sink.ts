/** What an operator does to a sink, whoever declared it: pause, resume, disable, probe it, and dismiss its notices. */
import type { Queryable, Transacting } from '../db/pool.ts';
import { statement } from '../db/statement.ts';
import { findSink, type SinkList } from './find-sink.ts';
import { type ListedSink, showSink } from './list-sinks.ts';

const VERBS = {
  pause: statement('admin/pause-sink'),
  resume: statement('admin/resume-sink'),
  disable: statement('admin/disable-sink'),
};
const PROBE = statement('admin/probe-sink');
const DISMISS = statement('admin/dismiss-notice');

export type SinkVerb = keyof typeof VERBS;

/** A sink of a list, by its name or id. */
export interface SinkRef {
  list: SinkList;
  ref: string;
}

export interface SinkChange extends SinkRef {
  verb: SinkVerb;
  /** For the audit log. */
  reason?: string | undefined;
}

/** The sink as it is then; what it is already, it stays. @throws MillraceError not_found. */
export async function changeSink(db: Transacting, { verb, list, ref, reason }: SinkChange): Promise<ListedSink> {
  const { id } = await findSink(db, ref, list);
  await changeStatus(db, verb, { id, reason });
  return await showSink(db, list, id);
}

/** By its id: it may be renamed meanwhile. */
export async function changeStatus(
  db: Queryable,
  verb: SinkVerb,
  { id, reason = null }: { id: string; reason?: string | null | undefined },
): Promise<void> {
  await db.query(VERBS[verb], [id, reason]);
}

/** False: nothing is known to be wrong with its destination. @throws MillraceError not_found; MR400: it is not active. */
export async function probeSink(db: Transacting, { list, ref }: SinkRef): Promise<boolean> {
  const { name } = await findSink(db, ref, list);
  return (await db.query<{ probed: boolean }>(PROBE, [name])).rows[0]!.probed;
}

/** False: there was none. @throws MillraceError not_found; MR400: it goes by itself. */
export async function dismissNotice(db: Transacting, { list, ref }: SinkRef, code: string): Promise<boolean> {
  const { name } = await findSink(db, ref, list);
  const { rows } = await db.query<{ dismissed: boolean }>(DISMISS, [name, code]);
  return rows[0]!.dismissed;
}
