/** What a person reads of a verification: counts, the first differences by id and field names, what was not compared. */
import { type Drift, isDrifting, type Report } from './drift.ts';
import type { Progress } from './verify.ts';

const number = (count: number): string => count.toLocaleString('en-GB');
const some = (count: number, noun: string): string => `${number(count)} ${noun}${count === 1 ? '' : 's'}`;

/** Lines without colours; `show`: how many differences are listed. */
export function tellReport(report: Report, { show, repaired }: { show: number; repaired?: number }): string {
  const { sink, tables, rows, listed, missing, extra, different, changing, drifts, notes } = report;
  const looked = listed === null ? '' : `, ${some(listed, 'document')} looked through`;
  const lines = [`${sink}: ${some(rows, 'row')} of ${tables.join(', ')} compared${looked}`];
  if (repaired !== undefined) lines.push(`${some(repaired, 'document')} mended`);
  lines.push(`missing ${number(missing)}, extra ${number(extra)}, different ${number(different)}`);
  if (changing > 0) lines.push(`${some(changing, 'row')} changed again and again, and could not be compared`);
  for (const drift of drifts.slice(0, show)) lines.push(`  ${tellDrift(drift)}`);
  if (drifts.length > show)
    lines.push(`  and ${number(drifts.length - show)} more (--show=${drifts.length} lists all)`);
  for (const note of notes) lines.push(`note: ${note}`);
  if (!isDrifting(report)) lines.push('no drift');
  else if (repaired === undefined) {
    lines.push(`drift: \`millrace verify ${sink} --repair\` sends these rows again, and deletes what has no row`);
  } else lines.push('drift: what is left needs a hand, see above and docs/verify.md');
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
  rows: 'rows of',
  index: 'documents of',
  recheck: 'looking again',
  repair: 'sending again',
} as const;
const BAR = 24;

/** One line, at most as wide as a terminal of 80 columns when names are short. */
export function tellProgress({ phase, name, part, count }: Progress): string {
  const what = `${WORDS[phase]} ${name}`.trim();
  if (part === undefined) return `${what}: ${number(count)}`;
  const full = Math.round(part * BAR);
  const bar = `${'#'.repeat(full)}${'.'.repeat(BAR - full)}`;
  return `[${bar}] ${String(Math.floor(part * 100)).padStart(3)} %  ${what}: ${number(count)}`;
}

export interface Terminal {
  write(text: string): unknown;
  isTTY?: boolean | undefined;
}

const FRAME_MS = 100;
const LINE_MS = 10_000;

/** A bar that moves on a terminal; elsewhere a line now and then. `done` takes the bar away. */
export function progressOn(terminal: Terminal, now: () => number): { show(progress: Progress): void; done(): void } {
  let lastAt = Number.NEGATIVE_INFINITY;
  let last = '';
  let drawn = false;
  return {
    show(progress) {
      const at = now();
      const what = `${progress.phase} ${progress.name}`;
      const isNew = what !== last;
      if (!isNew && at - lastAt < (terminal.isTTY ? FRAME_MS : LINE_MS)) return;
      [last, lastAt] = [what, at];
      terminal.write(terminal.isTTY ? `\r\u001b[K${tellProgress(progress)}` : `${tellProgress(progress)}\n`);
      drawn = terminal.isTTY === true;
    },
    done() {
      if (drawn) terminal.write('\r\u001b[K');
      drawn = false;
    },
  };
}
