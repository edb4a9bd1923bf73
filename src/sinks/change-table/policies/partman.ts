/**
 * A retention by pg_partman: makes the partitioned table and puts it into the extension's care, in one transaction, so
 * that there is never a table that no partition can take an entry of; for a table that is there, finds out whether the
 * extension keeps what was declared, and sets it when it may. Safe to do again.
 */

import type { TableWarning } from '../../../checks/change-table.ts';
import { onDestination } from '../../../db/deadline.ts';
import type { Queryable } from '../../../db/pool.ts';
import { statement } from '../../../db/statement.ts';
import { quoteIdentifier, quoteTable } from '../../../model/quote.ts';
import type { Circuit } from '../../../model/sink.ts';
import { queueCreators } from '../table.ts';
import { onTable } from '../table-name.ts';
import type { Target } from '../target.ts';
import { instructions, partmanCalls } from './instructions.ts';
import { intervalText } from './interval-text.ts';
import { complaintOf, policyNotice } from './notice.ts';
import { inspectPartman, type PartmanFound, type PartmanPolicy, partmanRequest } from './partman-request.ts';

const INDEX_SEQ = statement('sinks/change-table/index-seq');
const CREATE_PARTITIONED = statement('sinks/change-table/create-partitioned-table');
const FIND = statement('sinks/change-table/find-partman-config');

/** Creates the table in pg_partman's care. Returns why not, if so; then nothing was made. */
export async function createPartitioned(
  target: Target,
  policy: PartmanPolicy,
  signal: AbortSignal,
): Promise<Circuit | undefined> {
  const { table } = target.wanted;
  let found: PartmanFound | undefined;
  try {
    await onDestination(target.deps.destination, { signal, timeoutMs: target.timeoutMs }, async (tx) => {
      await queueCreators(tx);
      found = await inspectPartman(tx, target.wanted.table);
      if (found.kind !== null) return;
      if (found.schema === null) {
        await tx.query('create schema if not exists partman');
        await tx.query('create extension if not exists pg_partman schema partman');
        found = await inspectPartman(tx, target.wanted.table);
      }
      await tx.query(onTable(CREATE_PARTITIONED, table).text);
      await tx.query(onTable(INDEX_SEQ, table).text);
      const calls = partmanCalls(partmanRequest(target.wanted.table, policy, found));
      for (const call of [...calls.create, ...calls.keep]) await tx.query(call);
    });
    return undefined;
  } catch (error) {
    const why = complaintOf(error, signal);
    if (found === undefined) throw error;
    const message = `${quoteTable(table)} could not be made with pg_partman: ${why}`;
    return { reason: 'bad_destination', error: `${message}. Run, and it is made from here:\n${enabling(found)}` };
  }
}

export async function partmanWarnings(
  target: Target,
  policy: PartmanPolicy,
  signal: AbortSignal,
): Promise<TableWarning[]> {
  const deadline = { signal, timeoutMs: target.timeoutMs };
  const found = await onDestination(target.deps.destination, deadline, (tx) => inspectPartman(tx, target.wanted.table));
  const name = quoteTable(target.wanted.table);
  if (found.kind !== 'p') {
    const remedy = 'Name a new table, which is then made partitioned, or use `by: pg_cron` or `by: job`.';
    return [policyNotice(`${name} is not partitioned, so pg_partman drops nothing of it`, remedy)];
  }
  if (found.schema === null && !target.wanted.create) return [missing(target, policy, { found, why: 'not installed' })];
  try {
    return await onDestination(target.deps.destination, deadline, (tx) => ensureConfig(tx, target, { policy, found }));
  } catch (error) {
    return [missing(target, policy, { found, why: complaintOf(error, signal) })];
  }
}

/** Throws what Postgres says. */
async function ensureConfig(
  tx: Queryable,
  target: Target,
  { policy, found }: { policy: PartmanPolicy; found: PartmanFound },
): Promise<TableWarning[]> {
  const { table, create } = target.wanted;
  await tx.query(target.begin);
  let at = found;
  if (at.schema === null) {
    await tx.query('create schema if not exists partman');
    await tx.query('create extension if not exists pg_partman schema partman');
    at = await inspectPartman(tx, target.wanted.table);
  }
  const text = FIND.text.replace('<partman>', () => quoteIdentifier(at.schema ?? 'partman'));
  const values = [`${table.schema}.${table.name}`, policy.keep_seconds, policy.interval_seconds];
  const find = async () =>
    // Without a name: the schema in it is a database's own.
    (await tx.query<{ keeps: boolean; interval_fits: boolean }>(text, values)).rows[0];
  let config = await find();
  if (create && !config?.keeps) {
    const calls = partmanCalls(partmanRequest(target.wanted.table, policy, at));
    for (const call of [...(config === undefined ? calls.create : []), ...calls.keep]) await tx.query(call);
    config = await find();
  }
  if (config === undefined) return [missing(target, policy, { found: at, why: 'not in part_config' })];
  if (!config.keeps) return [missing(target, policy, { found: at, why: 'kept otherwise than declared here' })];
  if (config.interval_fits) return [];
  const message = `the partitions of ${quoteTable(table)} have another size than ${intervalText(policy.interval_seconds)}`;
  return [policyNotice(message, 'Declare the `interval` that they have: pg_partman does not change it afterwards.')];
}

function missing(
  target: Target,
  policy: PartmanPolicy,
  { found, why }: { found: PartmanFound; why: string },
): TableWarning {
  const message = `pg_partman does not look after ${quoteTable(target.wanted.table)}: ${why}`;
  if (target.wanted.create) return policyNotice(message, `Run, and it is set up from here:\n${enabling(found)}`);
  return policyNotice(message, `Run:\n${instructions(partmanRequest(target.wanted.table, policy, found))}`);
}

/** What a superuser runs, so that the role may do the rest itself. */
function enabling(found: PartmanFound): string {
  const schema = quoteIdentifier(found.schema ?? 'partman');
  const role = quoteIdentifier(found.role);
  return [
    `create schema if not exists ${schema};`,
    `create extension if not exists pg_partman schema ${schema};`,
    `grant all on schema ${schema} to ${role};`,
    `grant all on all tables in schema ${schema} to ${role};`,
    `grant execute on all functions in schema ${schema} to ${role};`,
    `grant execute on all procedures in schema ${schema} to ${role};`,
    '',
  ].join('\n');
}
