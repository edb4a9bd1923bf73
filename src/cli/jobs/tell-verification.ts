/** What a person reads of a verification: counts, the first differences by id and field names, what was not compared. */
import type { Finding } from '../../admin/operations.ts';
import type { Verified } from '../../admin/verify.ts';
import { count } from '../../model/quantity.ts';

/** Differences that are kept. */
export const KEPT = 1_000;

const some = (many: number, noun: string): string => `${count(many)} ${noun}${many === 1 ? '' : 's'}`;

export type ToldVerification = Pick<
  Verified,
  | 'sink'
  | 'tables'
  | 'rows'
  | 'listed'
  | 'missing'
  | 'extra'
  | 'different'
  | 'changing'
  | 'notes'
  | 'repaired'
  | 'isDrifting'
> & { drifts: readonly Finding[] };

/** Of one that is done. */
export function reportOf({ sink, result }: Reported, drifts: readonly Finding[]): ToldVerification {
  const { compared, documents, drift, repaired, ...counts } = result ?? NOTHING;
  return {
    ...counts,
    ...{
      sink: sink ?? '',
      rows: compared,
      listed: documents,
      isDrifting: drift,
      repaired: repaired ?? undefined,
      drifts,
    },
  };
}

/** As an operation has it. */
interface Reported {
  sink: string | null;
  result: KeptResult | null;
}

/** As it is kept. */
interface KeptResult extends Pick<Verified, 'missing' | 'extra' | 'different' | 'changing' | 'notes' | 'tables'> {
  compared: number;
  documents: number | null;
  drift: boolean;
  repaired: number | null;
}

const NOTHING: KeptResult = {
  ...{ compared: 0, documents: null, drift: false, repaired: null, notes: [], tables: [] },
  ...{ missing: 0, extra: 0, different: 0, changing: 0 },
};

/** Lines without colours; `show`: how many differences are listed. */
export function tellReport(verified: ToldVerification, { show }: { show: number }): string {
  const { sink, tables, rows, listed, missing, extra, different, changing, drifts, notes, repaired } = verified;
  const looked = listed === null ? '' : `, ${some(listed, 'document')} looked through`;
  const lines = [`${sink}: ${some(rows, 'row')} of ${tables.join(', ')} compared${looked}`];
  if (repaired !== undefined) lines.push(`${some(repaired, 'document')} repaired`);
  lines.push(`missing ${count(missing)}, extra ${count(extra)}, different ${count(different)}`);
  if (changing > 0) lines.push(`${some(changing, 'row')} changed again and again, and could not be compared`);
  for (const drift of drifts.slice(0, show)) lines.push(`  ${tellDrift(drift)}`);
  const all = missing + extra + different;
  const left = all - Math.min(show, drifts.length);
  if (left > 0)
    lines.push(`  and ${count(left)} more (--show=${Math.min(all, KEPT)} lists ${all > KEPT ? 'the first' : 'all'})`);
  for (const note of notes) lines.push(`note: ${note}`);
  if (!verified.isDrifting) lines.push('no drift');
  else if (repaired === undefined) {
    lines.push(`drift: \`bin/millrace verify ${sink} --repair\` sends these rows again, and deletes what has no row`);
  } else lines.push('drift: what is left must be fixed by hand, see above and docs/verify.md');
  return `${lines.join('\n')}\n`;
}

function tellDrift({ kind, index, id, table, fields, reason }: Finding): string {
  const about = [
    table === null ? 'no row' : table,
    ...(fields.length > 0 ? [`fields ${fields.join(', ')}`] : []),
    ...(reason === null ? [] : [reason.replaceAll(/\s+/g, ' ').slice(0, 300)]),
  ];
  return `${kind.padEnd(9)}  ${index}  _id ${JSON.stringify(id)}: ${about.join('; ')}`;
}
