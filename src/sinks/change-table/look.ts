/** A change table as it is now, for a person who asks: catalogs of its database are read, and nothing is made or changed. */
import { changeTableFindings } from '../../checks/change-table-findings.ts';
import { checkCircuit } from '../../checks/circuit.ts';
import type { Answered, Finding } from '../../checks/finding.ts';
import { onDestination } from '../../db/deadline.ts';
import type { SinkEntry, SinkGiven } from '../contract.ts';
import type { ChangeTableDestination } from './section.ts';
import { verifyChangeTable } from './table.ts';
import { judge } from './verdict.ts';

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
      return changeTableFindings(table, await onDestination(db, deadline, (tx) => verifyChangeTable(tx, table)));
    } finally {
      await db.close();
    }
  } catch (error) {
    const verdict = judge(error);
    if (verdict?.kind === 'circuit') return [checkCircuit(verdict.circuit)];
    throw error;
  }
}
