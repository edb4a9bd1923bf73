/** What the doctor found, for a person: the worst first, each with what to run and where; what is well in a few lines. */
import type { Check, Subject } from '../admin/doctor/check.ts';
import type { Examination } from '../admin/doctor/examine.ts';
import { openEnded } from '../model/quote.ts';

const WORDS = { error: 'ERROR', warning: 'WARNING', notice: 'NOTICE', skipped: 'NOT SEEN', ok: 'OK' } as const;

export function tellExamination({ checks }: Examination): string {
  const wrong = checks.filter(({ status }) => status !== 'ok');
  const fine = checks.filter(({ status }) => status === 'ok');
  return [countsOf(checks), ...wrong.map(tellCheck), fine.map(tellFine).join('\n')]
    .filter(Boolean)
    .join('\n\n')
    .concat('\n');
}

/** Statements by where they are run, each with what it is for in a comment: as it is, it can be run. */
export function tellSql({ checks }: Examination): string {
  const places = Map.groupBy(
    checks.filter(({ sql }) => sql !== null),
    ({ run_on }) => run_on ?? 'it',
  );
  if (places.size === 0) return '-- There is nothing to run.\n';
  const parts = [...places].map(([place, of]) => {
    const lines = of.flatMap((check) => [`-- ${nameOf(check.subject)}: ${oneLine(check.summary)}`, ...sqlLines(check)]);
    return [`-- In ${place}`, ...lines].join('\n');
  });
  return `${parts.join('\n\n')}\n`;
}

function countsOf(checks: readonly Check[]): string {
  const count = (status: Check['status']): number => checks.filter((one) => one.status === status).length;
  const parts = [
    ...(
      [
        ['error', 'errors'],
        ['warning', 'warnings'],
        ['notice', 'notices'],
      ] as const
    ).flatMap(([one, many]) => {
      const number = count(one);
      return number === 0 ? [] : [`${number} ${number === 1 ? one : many}`];
    }),
    ...(count('skipped') === 0 ? [] : [`${count('skipped')} not seen`]),
  ];
  return parts.length === 0 ? 'All is well.' : `${parts.join(', ')}.`;
}

function tellCheck(check: Check): string {
  const { status, subject, id, summary, answer, remedy, sql, run_on, docs, link } = check;
  const lines = [`${WORDS[status]}  ${nameOf(subject)}  (${id})`, indented(summary)];
  if (answer !== null) lines.push(indented(`Its answer: ${oneLine(answer)}`));
  if (sql !== null) {
    lines.push(
      indented(run_on === null ? 'Run:' : `Run in ${run_on}:`),
      ...sqlLines(check).map((line) => `    ${line}`),
    );
    if (remedy !== null) lines.push(indented(`(${remedy})`));
  } else if (remedy !== null) lines.push(indented(remedy));
  if (status === 'error') lines.push(indented(`See ${docs}`));
  if (link !== null) lines.push(indented(link));
  return lines.join('\n');
}

const tellFine = ({ subject, summary }: Check): string => `OK  ${nameOf(subject)}: ${summary}`;

const sqlLines = ({ sql }: Check): string[] => `${openEnded(sql?.trim() ?? '')};`.split('\n');

const nameOf = ({ kind, name }: Subject): string =>
  [kind.replaceAll('_', ' '), name].filter((part) => part !== null).join(' ');

const oneLine = (text: string): string => text.replaceAll(/\s*[\r\n]+\s*/g, ' ');

const indented = (text: string): string =>
  text
    .split('\n')
    .map((line) => `  ${line}`)
    .join('\n');
