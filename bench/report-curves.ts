/** The section about growth curves: a table for each, with its chart. */
import type { Curve } from './curves.ts';
import { figure, table } from './figures.ts';

export function curvesText(curves: readonly Curve[]): string {
  const parts = curves.map(({ name, title, x, y, lines }) =>
    [
      `**${title}.** [Chart](plots/${name}.svg)`,
      table(
        [x, ...lines[0]!.points.map((point) => figure(point.x))],
        lines.map((line) => [`${y}: ${line.name}`, ...line.points.map((point) => figure(point.y))]),
      ),
    ].join('\n\n'),
  );
  return [
    '## Curves',
    'One run each, so a figure may be off by a quarter: the shape of each curve counts. Rows of some 500 bytes where nothing else is said.',
    ...parts,
  ].join('\n\n');
}
