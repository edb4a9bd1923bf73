/** The section about what a write costs where triggers note its changes. */
import { figure, medianOf, table } from './figures.ts';
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
