/** Jobs that an operator asked for, whoever does them: what there is, one of them, what it found, and pause, resume, cancel. */
import type { Queryable } from '../db/pool.ts';
import { statement } from '../db/statement.ts';
import { MillraceError } from '../model/errors.ts';
import type { Drift } from '../verify/drift.ts';
import type { WatchedBackfill } from './watched.ts';

const LIST = statement('admin/list-operations');
const FINDINGS = statement('admin/operation/findings');
/** What an operator does to one. */
export const OPERATION_VERBS = ['pause', 'resume', 'cancel'] as const;
export type OperationVerb = (typeof OPERATION_VERBS)[number];

const VERBS: Record<OperationVerb, ReturnType<typeof statement>> = {
  pause: statement('admin/operation/change-pause'),
  resume: statement('admin/operation/change-resume'),
  cancel: statement('admin/operation/change-cancel'),
};

export const OPERATION_KINDS = ['backfill', 'replay', 'verify', 'rebuild', 'resync', 'retry', 'discard'] as const;
export const OPERATION_STATES = ['waiting', 'running', 'paused', 'done', 'failed', 'cancelled'] as const;

export interface Operation {
  id: string;
  kind: (typeof OPERATION_KINDS)[number];
  /** Null: of all sinks of its database. */
  sink_name: string | null;
  database_name: string;
  /** Null: all tables of the sink, or that of a name that stands whole in `table_name`. */
  table_schema: string | null;
  table_name: string | null;
  state: WatchedBackfill['state'];
  reason: string | null;
  remedy: string | null;
  rows_done: number;
  rows_sent: number;
  rows_total: number | null;
  percent: number | null;
  rows_per_second: number | null;
  seconds_left: number | null;
  sort_column: string | null;
  start_position: string | null;
  created_at: Date;
  started_at: Date | null;
  updated_at: Date;
  ended_at: Date | null;
  /** What a worker does now; null for a backfill or a replay, as all that follows. */
  phase: string | null;
  result: Record<string, unknown> | null;
  attempt: number | null;
  requested_by: string | null;
  /** What is over. */
  steps: readonly OperationStep[] | null;
  /** What a person sees who watches. */
  lines: readonly string[] | null;
}

export interface OperationStep {
  at: string;
  text: string;
  /** The operation that it was: a verification. */
  operation?: string;
}

export interface OperationFilter {
  kind?: Operation['kind'] | undefined;
  state?: Operation['state'] | undefined;
  /** Names. */
  sink?: string | undefined;
  database?: string | undefined;
}

/** Where a page begins: behind the operation of this time and id. */
export interface OperationPlace {
  at: string;
  id: string;
}

export interface OperationPage {
  operations: Operation[];
  /** Null: there are no more. */
  next: OperationPlace | null;
}

/** Newest first. */
export async function listOperations(
  db: Queryable,
  { kind, state, sink, database }: OperationFilter,
  page: { limit: number; after?: OperationPlace | undefined },
): Promise<OperationPage> {
  const { limit, after } = page;
  const wanted = [kind, state, sink, database, after?.at, after?.id].map((value) => value ?? null);
  const { rows } = await db.query<Operation & { place: string }>(LIST, [null, ...wanted, limit + 1]);
  const operations = rows.slice(0, limit);
  const last = operations.at(-1);
  return { operations, next: rows.length > limit && last ? { at: last.place, id: last.id } : null };
}

/** `id`: a UUID, whole. @throws MillraceError not_found. */
export async function showOperation(db: Queryable, id: string): Promise<Operation> {
  const { rows } = await db.query<Operation>(LIST, [id, null, null, null, null, null, null, 1]);
  if (rows[0]) return rows[0];
  throw new MillraceError('not_found', `there is no operation ${id}`);
}

const WANTED: Record<OperationVerb, readonly Operation['state'][]> = {
  pause: ['paused'],
  resume: ['waiting', 'running'],
  cancel: ['cancelled'],
};

/** The operation as it is then; what it is already, it stays. @throws MillraceError not_found, wrong_state. */
export async function changeOperation(db: Queryable, verb: OperationVerb, id: string): Promise<Operation> {
  const { kind, state } = await showOperation(db, id);
  const { rows } = await db.query<{ changed: boolean }>(VERBS[verb], [id]);
  if (rows[0]!.changed || WANTED[verb].includes(state)) return await showOperation(db, id);
  throw new MillraceError('wrong_state', `a ${kind} that is ${state} takes no ${verb}`, { facts: { state } });
}

/** What a verification found, of the first thousand, behind `after`. */
export async function listFindings(
  db: Queryable,
  id: string,
  { limit, after }: { limit: number; after: number },
): Promise<{ no: number; finding: Finding }[]> {
  return (await db.query<{ no: number; finding: Finding }>(FINDINGS, [id, after, limit])).rows;
}

/** Names and keys of what differs, and no other value. */
export type Finding = Omit<Drift, 'hopeless'>;
