/** A change table that does not fit, as what delivery shows: a circuit that names every fault. */
import type { Comparison } from '../../checks/change-table.ts';
import { type QuotedTable, quoteTable } from '../../model/quote.ts';
import type { Circuit } from '../../model/sink.ts';
import { circuitText } from './verdict.ts';

/** Undefined when there is no fault. */
export function faultsAsCircuit(table: QuotedTable, { faults }: Pick<Comparison, 'faults'>): Circuit | undefined {
  if (faults.length === 0) return undefined;
  const parts = faults.map(({ message, remedy, kind, sql }) => ({
    message: `${quoteTable(table)}: ${message}`,
    remedy: kind === 'missing' || sql === null ? remedy : `Run: ${remedy}`,
  }));
  const reason = faults.every((fault) => fault.kind === 'rights') ? 'auth_failed' : 'bad_destination';
  return { reason, error: circuitText(parts) };
}
