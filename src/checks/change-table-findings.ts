/** What a comparison of a change table says, as findings: every fault and warning with the statements that fix it. */
import { type QuotedTable, quoteTable } from '../model/quote.ts';
import type { Comparison, TableFault, TableWarning } from './change-table.ts';
import { byHand, type Finding, fault, passed, type Repair, warning } from './finding.ts';

const IDS: Record<TableFault['kind'], string> = { missing: 'change_table_missing', shape: 'columns', rights: 'rights' };

/** Warnings that every comparison looks for. */
export const COMPARED = [
  'serial_ends',
  'few_partitions',
  'partition_missing',
  'unlogged',
  'annotations_not_kept',
] as const satisfies readonly TableWarning['code'][];

export function changeTableFindings(table: QuotedTable, { faults, warnings }: Comparison): Finding[] {
  const found = [
    ...faults.map((one) => ({
      ...fault(IDS[one.kind], `${quoteTable(table)}: ${one.message}`, repairOf(one)),
      item: one.message,
    })),
    ...warnings.map((one) => warning(one.code, `${quoteTable(table)}: ${one.message}`, repairOf(one))),
  ];
  return found.length > 0 ? found : [passed('change_table_fits', `${quoteTable(table)} fits, and may be written`)];
}

function repairOf({ remedy, sql = remedy }: TableFault): Repair {
  if (sql === null) return byHand(remedy);
  const orElse = sql === remedy ? null : 'or set create_if_not_exists: true';
  return { remedy: orElse, sql: sql.trim().replace(/;$/, ''), runOn: 'destination' };
}
