/** What a person reads of a verification: counts, the first differences by id and field names, what was not compared. */

import { type Drift, isDrifting, type Report } from '../verify/drift.ts';
import type { Progress } from '../verify/verify.ts';
import { progressText } from './screen.ts';

const number = (count: number): string => count.toLocaleString('en-GB');
const some = (count: number, noun: string): string => `${number(count)} ${noun}${count === 1 ? '' : 's'}`;

/** Lines without colours; `show`: how many differences are listed. */
export function tellReport(report: Report, { show, repaired }: { show: number; repaired?: number }): string {
  const { sink, tables, rows, listed, missing, extra, different, changing, drifts, notes } = report;
  const looked = listed === null ? '' : `, ${some(listed, 'document')} looked through`;
  const lines = [`${sink}: ${some(rows, 'row')} of ${tables.join(', ')} compared${looked}`];
  if (repaired !== undefined) lines.push(`${some(repaired, 'document')} repaired`);
  lines.push(`missing ${number(missing)}, extra ${number(extra)}, different ${number(different)}`);
  if (changing > 0) lines.push(`${some(changing, 'row')} changed again and again, and could not be compared`);
  for (const drift of drifts.slice(0, show)) lines.push(`  ${tellDrift(drift)}`);
  if (drifts.length > show)
    lines.push(`  and ${number(drifts.length - show)} more (--show=${drifts.length} lists all)`);
  for (const note of notes) lines.push(`note: ${note}`);
  if (!isDrifting(report)) lines.push('no drift');
  else if (repaired === undefined) {
    lines.push(`drift: \`bin/millrace verify ${sink} --repair\` sends these rows again, and deletes what has no row`);
  } else lines.push('drift: what is left must be fixed by hand, see above and docs/verify.md');
  return `${lines.join('\n')}\n`;
}

function tellDrift({ kind, index, id, table, fields, reason }: Drift): string {
  const about = [
    table === null ? 'no row' : table,
    ...(fields.length > 0 ? [`fields ${fields.join(', ')}`] : []),
    ...(reason === null ? [] : [reason.replaceAll(/\s+/g, ' ').slice(0, 300)]),
  ];
  return `${kind.padEnd(9)}  ${index}  _id ${JSON.stringify(id)}: ${about.join('; ')}`;
}

const WORDS = {
  rows: { what: 'compared', unit: 'rows' },
  index: { what: 'looked through', unit: 'documents' },
  recheck: { what: 'looking again', unit: 'documents' },
  repair: { what: 'sending again', unit: 'documents' },
} as const;

/** One line. */
export function tellProgress({ phase, name, part, count }: Progress): string {
  const { what, unit } = WORDS[phase];
  const total = part ? Math.round(count / part) : undefined;
  return `${name === '' ? '' : `${name} `}${what}: ${progressText({ done: count, total, unit })}`;
}
