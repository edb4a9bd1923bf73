/**
 * A retention by pg_cron: finds the job that deletes old entries, and schedules it when it may. It lives in the database
 * that has the extension, which is often another one of the same server. Safe to do again and by several at once: a job
 * of the same name is replaced, never doubled.
 */

import type { TableWarning } from '../../../checks/change-table.ts';
import { limitSql, onDestination } from '../../../db/deadline.ts';
import type { Database, Queryable } from '../../../db/pool.ts';
import { statement } from '../../../db/statement.ts';
import { cronSchedule } from '../../../model/cron-schedule.ts';
import { messageOf } from '../../../model/errors.ts';
import { quoteIdentifier, quoteLiteral } from '../../../model/quote.ts';
import type { RetentionPolicy } from '../section.ts';
import type { ChangeTableDeps, Wanted } from '../target.ts';
import { type CronRequest, cronJob, instructions } from './instructions.ts';
import { intervalText } from './interval-text.ts';
import { complaintOf, policyNotice } from './notice.ts';

const INSPECT = statement('sinks/change-table/inspect-cron');
const FIND = statement('sinks/change-table/find-cron-job');
const ADD = statement('sinks/change-table/add-cron-job');
const ADD_ELSEWHERE = statement('sinks/change-table/add-cron-job-elsewhere');

interface Place {
  database: string;
  role: string;
  installed: boolean;
  cron_database: string | null;
}

interface Wish {
  request: CronRequest;
  /** The destination database, which the job is for. */
  database: string;
  role: string;
  create: boolean;
  /** That pg_cron belongs where it is looked for is no guess. */
  isKnown?: boolean;
}

/** What must be known of a change table to look after its job. */
export interface CronTarget {
  deps: Pick<ChangeTableDeps, 'destination' | 'beside'>;
  /** `create`: a job that is missing is scheduled; else it is looked for. */
  wanted: Pick<Wanted, 'table' | 'create'>;
  timeoutMs: number;
}

export async function cronWarnings(
  target: CronTarget,
  policy: Extract<RetentionPolicy, { by: 'job' | 'pg_cron' }>,
  signal: AbortSignal,
): Promise<TableWarning[]> {
  const { destination } = target.deps;
  const deadline = { signal, timeoutMs: target.timeoutMs };
  const place = await onDestination(destination, deadline, (tx) => placeOf(tx));
  const request: CronRequest = {
    table: target.wanted.table,
    variant: 'pg_cron',
    keep: intervalText(policy.keep_seconds),
    schedule: cronSchedule(policy.every_seconds) ?? '*/10 * * * *',
  };
  const wish: Wish = { request, database: place.database, role: place.role, create: target.wanted.create };
  // Only a superuser is told where it belongs; `postgres` is the default.
  const elsewhere = !place.installed && target.deps.beside ? (place.cron_database ?? 'postgres') : place.database;
  if (elsewhere !== place.database) {
    const beside = { ...request, elsewhere: { cronDatabase: elsewhere, database: place.database } };
    const isKnown = place.cron_database !== null;
    return await there(target, { ...wish, request: beside, isKnown }, signal);
  }
  try {
    return await onDestination(destination, deadline, async (tx) => {
      if (!place.installed && !wish.create) return [missing(wish)];
      if (!place.installed) await tx.query('create extension if not exists pg_cron');
      return await ensureJob(tx, wish);
    });
  } catch (error) {
    return [missing(wish, complaintOf(error, signal))];
  }
}

async function placeOf(tx: Queryable): Promise<Place> {
  return (await tx.query<Place>(INSPECT)).rows[0]!;
}

/** In another database of the server. What goes wrong on the way there is the policy's fault alone. */
async function there(target: CronTarget, wish: Wish, signal: AbortSignal): Promise<TableWarning[]> {
  let beside: Database | undefined;
  let known = wish;
  try {
    beside = await target.deps.beside!(wish.request.elsewhere!.cronDatabase);
    return await onDestination(beside, { signal, timeoutMs: target.timeoutMs }, async (tx) => {
      if (!(await placeOf(tx)).installed) return [missing(wish)];
      known = { ...wish, isKnown: true };
      return await ensureJob(tx, known);
    });
  } catch (error) {
    signal.throwIfAborted();
    return [missing(known, messageOf(error))];
  } finally {
    await beside?.close();
  }
}

/** Throws what Postgres says. */
async function ensureJob(tx: Queryable, wish: Wish): Promise<TableWarning[]> {
  const { name, schedule, command } = cronJob(wish.request);
  const find = async () => {
    const values = [name, schedule, command, wish.database];
    return (await tx.query<{ id: number; active: boolean; fits: boolean }>(FIND, values)).rows[0];
  };
  await tx.query(limitSql({ lockMs: 5_000 }));
  let job = await find();
  if (wish.create && !job?.fits) {
    if (wish.request.elsewhere) await tx.query(ADD_ELSEWHERE, [name, schedule, command, wish.database]);
    else await tx.query(ADD, [name, schedule, command]);
    job = await find();
  }
  if (job === undefined) return [missing(wish)];
  if (!job.fits) return [notice(wish, 'is not as declared here')];
  if (job.active) return [];
  const on = `select cron.alter_job(${job.id}, active := true);`;
  return [{ ...policyNotice(`${what(wish)} is switched off`, on), ...elsewhereOf(wish, on) }];
}

const what = ({ request }: Wish): string =>
  `the job of pg_cron ${JSON.stringify(cronJob(request).name)}, which deletes old entries,`;

function missing(wish: Wish, why?: string): TableWarning {
  return notice(wish, why === undefined ? 'is missing' : `could not be scheduled: ${why}`);
}

/** With the rights it is scheduled from here; whoever schedules it by hand must be the role that looks for it. */
function notice(wish: Wish, fault: string): TableWarning {
  const { request, role, create } = wish;
  const by = create ? '' : `, as role ${role}`;
  const sql = create ? enabling(wish) : instructions(request);
  return { ...policyNotice(`${what(wish)} ${fault}`, `Run${by}:\n${sql}`), ...elsewhereOf(wish, scheduling(wish)) };
}

/** What is run in the other database, where it is known to be the one. */
function elsewhereOf({ request, isKnown }: Wish, sql: string): Pick<TableWarning, 'elsewhere'> {
  return request.elsewhere && isKnown ? { elsewhere: { database: request.elsewhere.cronDatabase, sql } } : {};
}

/** The job as of our role, which alone sees it then, whoever runs this. */
function scheduling({ request, role, database }: Wish): string {
  const { name, schedule, command } = cronJob(request);
  const values = [name, schedule, command, database, role].map(quoteLiteral).join(', ');
  return [
    'create extension if not exists pg_cron',
    `grant usage on schema cron to ${quoteIdentifier(role)}`,
    `select cron.schedule_in_database(${values})`,
  ].join('; ');
}

function enabling({ request, database, role }: Wish): string {
  const name = quoteIdentifier(role);
  const there = request.elsewhere?.cronDatabase ?? database;
  return [
    `-- In database ${there.replaceAll(/[\r\n]+/g, ' ')}, as a superuser; the job is scheduled from here then.`,
    'create extension if not exists pg_cron;',
    `grant usage on schema cron to ${name};`,
    ...(request.elsewhere ? [`grant execute on all functions in schema cron to ${name};`] : []),
    '',
  ].join('\n');
}
