/**
 * What must hold before a row is written: where the destination is, and that the event table is there, fits and may be
 * written. Reads catalogs only, except for making what it was asked to make. Every fault is reported at once, each with
 * the statement that fixes it.
 */

import type { Comparison, TableWarning } from '../../checks/change-table.ts';
import { type Deadline, onDestination } from '../../db/deadline.ts';
import type { Queryable } from '../../db/pool.ts';
import { quoteTable } from '../../model/quote.ts';
import type { Circuit } from '../../model/sink.ts';
import { replaceSinkNotices } from '../../notices/replace.ts';
import { faultsAsCircuit } from './as-circuit.ts';
import { cronWarnings } from './policies/cron.ts';
import { createPartitioned, partmanWarnings } from './policies/partman.ts';
import { lockProgress, progressStatements } from './progress.ts';
import { isSameDatabase } from './same-database.ts';
import { createChangeTable, createProgressTable, verifyChangeTable } from './table.ts';
import type { ChangeTableDeps, Target } from './target.ts';

/** Is the destination the message database itself? Throws when it cannot be reached. */
export async function isAtHome(deps: ChangeTableDeps, deadline: Deadline): Promise<boolean> {
  return await onDestination(deps.destination, deadline, (tx) => isSameDatabase(deps.messages, tx));
}

/**
 * Creates the table when that is wanted and it is missing, then compares it as `writer` sees it: the connection that
 * will write; undefined for the destination's own. Returns why nothing can be written, if so. Throws what Postgres says when it cannot even be asked.
 */
export async function prepareTable(
  target: Target,
  on: { writer: Queryable | undefined; signal: AbortSignal },
): Promise<Circuit | undefined> {
  const { deps } = target;
  const { table, create } = target.wanted;
  let found = await look(target, on);
  if (create && found.faults.some((fault) => fault.kind === 'missing')) {
    const circuit = await makeTable(target, found, on.signal);
    if (circuit !== undefined) return circuit;
    deps.log.info({ table: quoteTable(table) }, 'change table created');
    found = await look(target, on);
  }
  if (found.faults.length === 0) found.warnings.push(...(await policyWarnings(target, on.signal)));
  for (const { message, remedy } of found.warnings) deps.log.warn({ table: quoteTable(table), remedy }, message);
  await note(target, found, on.writer ?? deps.messages);
  return faultsAsCircuit(table, found);
}

/** In the variant that its policy needs. */
async function makeTable(target: Target, found: Comparison, signal: AbortSignal): Promise<Circuit | undefined> {
  const { table, policy } = target.wanted;
  if (policy?.by === 'pg_partman' && found.faults.some(({ field }) => field !== 'table')) {
    return faultsAsCircuit(table, found);
  }
  if (policy?.by === 'pg_partman') return await createPartitioned(target, policy, signal);
  await onDestination(target.deps.destination, { signal, timeoutMs: target.timeoutMs }, (tx) =>
    createChangeTable(tx, table, { index: policy !== null }),
  );
  return undefined;
}

/** Of a policy that an extension carries out: sets it up when that is wanted and allowed, and says what is missing. */
async function policyWarnings(target: Target, signal: AbortSignal): Promise<TableWarning[]> {
  const { policy } = target.wanted;
  if (policy?.by === 'pg_cron') return await cronWarnings(target, policy, signal);
  if (policy?.by === 'pg_partman') return await partmanWarnings(target, policy, signal);
  return [];
}

/** Shows the warnings as notices of the sink, and takes away those that no longer hold. */
async function note(target: Target, { warnings }: Comparison, messages: Queryable): Promise<void> {
  const { table: place, retentionId: sinkId } = target.wanted;
  const table = `${place.schema}.${place.name}`;
  const found = warnings.map(({ code, message, remedy }) => ({ code, table, message, remedy }));
  // The message database's fault, if any, and not to be taken for the destination's.
  await replaceSinkNotices(messages, { by: 'changeTable', sinkId }, found).catch((err: unknown) =>
    target.deps.log.warn({ err }, 'notices not written'),
  );
}

/** The comparison as `writer` sees it, or as the destination's own connection does. */
export async function look(
  target: Target,
  on: { writer: Queryable | undefined; signal: AbortSignal },
): Promise<Comparison> {
  const { table, policy } = target.wanted;
  if (on.writer !== undefined) return await verifyChangeTable(on.writer, table, policy);
  const { timeoutMs, deps } = target;
  return await onDestination(deps.destination, { signal: on.signal, timeoutMs }, (tx) =>
    verifyChangeTable(tx, table, policy),
  );
}

/** Creates the progress table when it is missing, and takes its row once: what may not be done is known before a batch. */
export async function prepareProgress(target: Target, signal: AbortSignal): Promise<void> {
  const { table, retentionId } = target.wanted;
  await onDestination(target.deps.destination, { signal, timeoutMs: target.timeoutMs }, async (tx) => {
    await tx.query(target.begin);
    await createProgressTable(tx, table);
    await lockProgress(tx, retentionId, progressStatements(table));
  });
}
