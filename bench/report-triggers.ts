/** The sections about triggers that note changes: what they cost a write, and how capture comes to know of it. */
import { figure, medianOf, table } from './figures.ts';
import { LOOKING_WAYS, type Looking, type LookingRound } from './looking.ts';
import type { WriteCost, WritePath } from './write-path.ts';

export function writePathText({ rounds }: WritePath): string {
  type Way = keyof WritePath['rounds'][number];
  const row = (what: string, way: Way): string[] => [
    what,
    ...(['single', 'update', 'copy'] as const).map((kind: keyof WriteCost) =>
      figure(medianOf(rounds, (round) => round[way][kind])),
    ),
  ];
  return [
    '## Triggers',
    `CPU us of the session that writes, of a table with six columns and one index: for a transaction that updates one row, for each row of an update of 1,000, and for each of a COPY of 100,000. By turns, median of ${rounds.length}. The notifying trigger is made after PGSync's: it tells which key has changed, and a reader asks for the row.`,
    table(
      ['', 'single row', 'row of 1,000', 'row of a COPY'],
      [
        row('no capture', 'none'),
        row('trigger that notifies', 'notify'),
        row('trigger with an outbox of jsonb', 'outbox'),
        row('our triggers', 'ours'),
      ],
    ),
  ].join('\n\n');
}

export function lookingText({ rounds }: Looking): string {
  const NAMES: Record<(typeof LOOKING_WAYS)[number], string> = {
    looks: 'looks after 5 to 250 ms, as capture does',
    transaction: 'a notification of each transaction',
    batch: 'a notification where the reader sleeps',
  };
  const columns: [title: string, pick: (round: LookingRound) => number][] = [
    ['seldom, p50 ms', ({ seldom }) => seldom.p50],
    ['p99', ({ seldom }) => seldom.p99],
    ['200/s, p50 ms', ({ often }) => often.p50],
    ['p99', ({ often }) => often.p99],
    ['commits/s', ({ commitsPerSecond }) => commitsPerSecond],
    ['CPU us a commit', ({ commitUs }) => commitUs],
    ['idle, CPU ms/s', ({ idleMs }) => idleMs],
  ];
  return [
    '## Looking for noted changes',
    `From before a write until a reader has its change: of writes that come each 0.1 to 0.9 s, and of 200 a second. Then four sessions that commit updates of one row without a pause: their commits, and CPU us of each; and CPU of the reader's sessions while nothing happens. By turns, median of ${rounds.length}.`,
    table(
      ['', ...columns.map(([title]) => title)],
      LOOKING_WAYS.map((way) => [
        NAMES[way],
        ...columns.map(([, pick]) => figure(medianOf(rounds, (round) => pick(round[way])))),
      ]),
    ),
  ].join('\n\n');
}
