/** A change table as it is now, for a person who asks: catalogs of its database are read, and nothing is made or changed. */
import { changeTableFindings } from '../../checks/change-table-findings.ts';
import { checkCircuit } from '../../checks/circuit.ts';
import { type Answered, type Finding, fault, notice } from '../../checks/finding.ts';
import { onDestination } from '../../db/deadline.ts';
import { statement } from '../../db/statement.ts';
import { type QuotedTable, quoteIdentifier, quoteTable } from '../../model/quote.ts';
import type { SinkEntry, SinkGiven } from '../contract.ts';
import type { ChangeTableDestination } from './section.ts';
import { verifyChangeTable } from './table.ts';
import { judge } from './verdict.ts';

const MAY_CREATE = statement('sinks/change-table/may-create');
const TIMEOUT_MS = 5_000;

/** @throws MillraceError for a pooler that shares sessions, and for a database that is not declared. */
export async function look(
  { settings: { destination } }: SinkEntry<ChangeTableDestination>,
  { openDatabase }: SinkGiven,
  signal: AbortSignal,
): Promise<(Finding | Answered)[]> {
  const table = { schema: destination.table_schema, name: destination.table_name };
  try {
    const { db, refuseSharedSessions } = await openDatabase({ name: destination.database, use: 'doctor' });
    try {
      await refuseSharedSessions();
      const deadline = { signal, timeoutMs: TIMEOUT_MS };
      return await onDestination(db, deadline, async (tx) => {
        const found = await verifyChangeTable(tx, table);
        const isToBeMade = found.faults.some(({ kind, field }) => kind === 'missing' && field === 'table');
        if (!destination.create_if_not_exists || !isToBeMade) return changeTableFindings(table, found);
        const { rows } = await tx.query<{ role: string; may_create: boolean }>(MAY_CREATE, [table.schema]);
        return [toBeMade(table, rows[0]!)];
      });
    } finally {
      await db.close();
    }
  } catch (error) {
    const verdict = judge(error);
    if (verdict?.kind === 'circuit') return [checkCircuit(verdict.circuit)];
    throw error;
  }
}

function toBeMade({ schema, name }: QuotedTable, facts: { role: string; may_create: boolean }): Finding {
  const full = quoteTable({ schema, name });
  if (facts.may_create)
    return notice('change_table_missing', `${full} is made by Millrace before it is written`, NOTHING);
  const sql = `grant create on schema ${quoteIdentifier(schema)} to ${quoteIdentifier(facts.role)}`;
  const repair = { remedy: null, sql, runOn: 'destination' as const };
  return fault('rights', `${full} is to be made, and role ${facts.role} may not create tables in its schema`, repair);
}

const NOTHING = { remedy: null, sql: null, runOn: null };
