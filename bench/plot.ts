/** A line chart as SVG, pure: figures that grow with something, on axes of powers of ten. Readable in light and dark. */
import { figure } from './figures.ts';

export interface Line {
  name: string;
  points: readonly { x: number; y: number }[];
}

export interface Chart {
  title: string;
  /** What stands below, and what stands beside. */
  x: string;
  y: string;
  lines: readonly Line[];
}

const WIDTH = 640;
const HEIGHT = 320;
const LEFT = 76;
const RIGHT = 24;
const TOP = 56;
const BOTTOM = 52;
/** Half of the last label below. */
const OVER = 20;
const COLOURS = ['#2f6fde', '#d9822b', '#2f9e6b', '#a04fc4'];
const STYLE =
  'text{font:12px system-ui,sans-serif;fill:#666}.title{font-weight:600;font-size:14px;fill:#444}.grid{stroke:#8884}' +
  '@media(prefers-color-scheme:dark){text{fill:#aaa}.title{fill:#ddd}}';

/** Throws for a point that is not above zero: no power of ten has a place for it. */
export function chart({ title, x, y, lines }: Chart): string {
  const points = lines.flatMap((line) => line.points);
  if (points.length === 0 || points.some((point) => !(point.x > 0 && point.y > 0)))
    throw new Error(`${title}: every point must be above zero`);
  const across = scale(
    points.map((point) => point.x),
    [LEFT, WIDTH - RIGHT],
  );
  const up = scale(
    points.map((point) => point.y),
    [HEIGHT - BOTTOM, TOP],
  );
  const parts = [
    `<text class="title" x="${LEFT}" y="22">${escaped(title)}</text>`,
    ...across.marks.map((at) => vertical(across.place(at), figure(at))),
    ...up.marks.map((at) => horizontal(up.place(at), figure(at))),
    `<text x="${(LEFT + WIDTH - RIGHT) / 2}" y="${HEIGHT - 10}" text-anchor="middle">${escaped(x)}</text>`,
    `<text x="${LEFT}" y="${TOP - 14}">${escaped(y)}</text>`,
    ...lines.map((line, n) => drawn(line, n, (point) => `${round(across.place(point.x))},${round(up.place(point.y))}`)),
  ];
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH + OVER} ${HEIGHT}" role="img" aria-label="${escaped(title)}"><style>${STYLE}</style>\n${parts.join('\n')}\n</svg>\n`;
}

/** From the power of ten below the least value to the one above the greatest. */
function scale(values: readonly number[], [from, to]: readonly [number, number]) {
  const low = Math.floor(Math.log10(Math.min(...values)) + 1e-9);
  const high = Math.max(low + 1, Math.ceil(Math.log10(Math.max(...values)) - 1e-9));
  return {
    marks: Array.from({ length: high - low + 1 }, (_, n) => 10 ** (low + n)),
    place: (value: number): number => from + ((Math.log10(value) - low) / (high - low)) * (to - from),
  };
}

const vertical = (at: number, label: string): string =>
  `<line class="grid" x1="${round(at)}" x2="${round(at)}" y1="${TOP}" y2="${HEIGHT - BOTTOM}"/>` +
  `<text x="${round(at)}" y="${HEIGHT - BOTTOM + 18}" text-anchor="middle">${label}</text>`;

const horizontal = (at: number, label: string): string =>
  `<line class="grid" x1="${LEFT}" x2="${WIDTH - RIGHT}" y1="${round(at)}" y2="${round(at)}"/>` +
  `<text x="${LEFT - 8}" y="${round(at + 4)}" text-anchor="end">${label}</text>`;

function drawn({ name, points }: Line, n: number, place: (point: { x: number; y: number }) => string): string {
  const colour = COLOURS[n % COLOURS.length]!;
  const places = points.map(place);
  const dots = places.map((at) => {
    const [cx, cy] = at.split(',');
    return `<circle cx="${cx}" cy="${cy}" r="3" fill="${colour}"/>`;
  });
  const label = `<text x="${WIDTH - RIGHT - 8}" y="${TOP - 14 + 15 * n - 15}" text-anchor="end" style="fill:${colour}">${escaped(name)}</text>`;
  return `<polyline points="${places.join(' ')}" fill="none" stroke="${colour}" stroke-width="2"/>${dots.join('')}${label}`;
}

const round = (value: number): number => Math.round(value * 10) / 10;

const escaped = (text: string): string =>
  text.replace(/[&<>"]/g, (one) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' })[one]!);
