/** What a person reads of a verification: counts, the first differences by id and field names, what was not compared. */
import type { Verified, VerifyProgress } from '../admin/verify.ts';
import { count } from '../model/quantity.ts';
import { progressText } from './screen.ts';

const some = (many: number, noun: string): string => `${count(many)} ${noun}${many === 1 ? '' : 's'}`;

/** Lines without colours; `show`: how many differences are listed. */
export function tellReport(verified: Verified, { show }: { show: number }): string {
  const { sink, tables, rows, listed, missing, extra, different, changing, drifts, notes, repaired } = verified;
  const looked = listed === null ? '' : `, ${some(listed, 'document')} looked through`;
  const lines = [`${sink}: ${some(rows, 'row')} of ${tables.join(', ')} compared${looked}`];
  if (repaired !== undefined) lines.push(`${some(repaired, 'document')} repaired`);
  lines.push(`missing ${count(missing)}, extra ${count(extra)}, different ${count(different)}`);
  if (changing > 0) lines.push(`${some(changing, 'row')} changed again and again, and could not be compared`);
  for (const drift of drifts.slice(0, show)) lines.push(`  ${tellDrift(drift)}`);
  if (drifts.length > show) lines.push(`  and ${count(drifts.length - show)} more (--show=${drifts.length} lists all)`);
  for (const note of notes) lines.push(`note: ${note}`);
  if (!verified.isDrifting) lines.push('no drift');
  else if (repaired === undefined) {
    lines.push(`drift: \`bin/millrace verify ${sink} --repair\` sends these rows again, and deletes what has no row`);
  } else lines.push('drift: what is left must be fixed by hand, see above and docs/verify.md');
  return `${lines.join('\n')}\n`;
}

function tellDrift({ kind, index, id, table, fields, reason }: Verified['drifts'][number]): string {
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
export function tellProgress({ phase, name, part, count: done }: VerifyProgress): string {
  const { what, unit } = WORDS[phase];
  const total = part ? Math.round(done / part) : undefined;
  return `${name === '' ? '' : `${name} `}${what}: ${progressText({ done, total, unit })}`;
}
