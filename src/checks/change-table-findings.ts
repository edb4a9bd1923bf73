/** What a comparison of a change table says, as findings: every fault and warning with the statements that fix it. */
import { type QuotedTable, quoteTable } from '../model/quote.ts';
import type { Comparison, TableWarning } from './change-table.ts';
import type { TableFault } from './change-table-columns.ts';
import { byHand, type Finding, fault, passed, type Repair, warning } from './finding.ts';

const IDS: Record<TableFault['kind'], string> = { missing: 'change_table_missing', shape: 'columns', rights: 'rights' };

/** Warnings that every comparison looks for. */
const COMPARED = [
  'serial_ends',
  'few_partitions',
  'partition_missing',
  'unlogged',
  'annotations_not_kept',
] as const satisfies readonly TableWarning['code'][];

/** Codes of notices of which a look has said anew what is so, if anything. */
export const saidAnew = (found: readonly Pick<Finding, 'id'>[]): string[] => [
  ...COMPARED,
  ...(found.some(({ id }) => id === 'cron_elsewhere') ? ['policy_missing'] : []),
];

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

/** pg_cron is in another database of the server, and no job is there that deletes the table's old entries. */
export function cronElsewhere(table: QuotedTable, warnings: readonly TableWarning[]): Finding[] {
  return warnings.flatMap(({ message, elsewhere }) => {
    if (!elsewhere) return [];
    const { database, sql } = elsewhere;
    const summary = `${quoteTable(table)}: pg_cron is in database ${database}, and there ${message}`;
    const repair = { remedy: 'as a superuser of that server', sql: sql.replace(/;$/, ''), runOn: { beside: database } };
    return [warning('cron_elsewhere', summary, repair)];
  });
}

function repairOf({ remedy, sql = remedy }: TableFault): Repair {
  if (sql === null) return byHand(remedy);
  const orElse = sql === remedy ? null : 'or set create_if_not_exists: true';
  return { remedy: orElse, sql: sql.trim().replace(/;$/, ''), runOn: 'destination' };
}
