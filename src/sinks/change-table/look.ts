/** A change table as it is now, for a person who asks: catalogs of its database are read, and nothing is made or changed. */
import { changeTableFindings, cronElsewhere } from '../../checks/change-table-findings.ts';
import { checkCircuit } from '../../checks/circuit.ts';
import { type Answered, type Finding, fault, notice } from '../../checks/finding.ts';
import { onDestination } from '../../db/deadline.ts';
import type { Database } from '../../db/pool.ts';
import { statement } from '../../db/statement.ts';
import { type QuotedTable, quoteIdentifier, quoteTable } from '../../model/quote.ts';
import type { SinkEntry, SinkGiven } from '../contract.ts';
import { lookBeside } from './look-beside.ts';
import { cronWarnings } from './policies/cron.ts';
import type { ChangeTableDestination } from './section.ts';
import { verifyChangeTable } from './table.ts';
import { judge } from './verdict.ts';

const MAY_CREATE = statement('sinks/change-table/may-create');
const TIMEOUT_MS = 5_000;

/** @throws MillraceError for a pooler that shares sessions, and for a database that is not declared. */
export async function look(
  { id: retentionId, sourceId, settings: { destination } }: SinkEntry<ChangeTableDestination>,
  { openDatabase, messages }: SinkGiven,
  signal: AbortSignal,
): Promise<(Finding | Answered)[]> {
  const table = { schema: destination.table_schema, name: destination.table_name };
  const kept = { table, retentionId, sourceId };
  const { retention: policy } = destination;
  try {
    const { db, refuseSharedSessions } = await openDatabase({ name: destination.database, use: 'doctor' });
    try {
      await refuseSharedSessions();
      const deadline = { signal, timeoutMs: TIMEOUT_MS };
      const found = await onDestination(db, deadline, async (tx) => {
        const compared = await verifyChangeTable(tx, table, policy);
        if (compared.faults.length === 0)
          return wrongIn([...changeTableFindings(table, compared), ...(await lookBeside({ tx, messages }, kept))]);
        const isToBeMade = compared.faults.some(({ kind, field }) => kind === 'missing' && field === 'table');
        if (!destination.create_if_not_exists || !isToBeMade) return changeTableFindings(table, compared);
        const { rows } = await tx.query<{ role: string; may_create: boolean }>(MAY_CREATE, [table.schema]);
        return [toBeMade(table, rows[0]!)];
      });
      if (policy?.by !== 'pg_cron') return found;
      const beside = async (database: string): Promise<Database> =>
        (await openDatabase({ name: destination.database, use: 'doctor', database })).db;
      const target = { deps: { destination: db, beside }, wanted: { table, create: false }, timeoutMs: TIMEOUT_MS };
      return wrongIn([...found, ...cronElsewhere(table, await cronWarnings(target, policy, signal))]);
    } finally {
      await db.close();
    }
  } catch (error) {
    const verdict = judge(error);
    if (verdict?.kind === 'circuit') return [checkCircuit(verdict.circuit)];
    throw error;
  }
}

/** That the table fits need not be said beside what is wrong with what it has beside it. */
function wrongIn(found: Finding[]): Finding[] {
  const wrong = found.filter(({ status }) => status !== 'ok');
  return wrong.length > 0 ? wrong : found;
}

function toBeMade({ schema, name }: QuotedTable, facts: { role: string; may_create: boolean }): Finding {
  const full = quoteTable({ schema, name });
  if (facts.may_create)
    return notice('change_table_missing', `${full} is made by Millrace before it is written`, NOTHING);
  const sql = `grant usage, create on schema ${quoteIdentifier(schema)} to ${quoteIdentifier(facts.role)}`;
  const repair = { remedy: null, sql, runOn: 'destination' as const };
  return fault('rights', `${full} is to be made, and role ${facts.role} may not create tables in its schema`, repair);
}

const NOTHING = { remedy: null, sql: null, runOn: null };
