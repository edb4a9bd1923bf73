/**
 * A list without end: only the rows in sight are drawn, and the next page is asked for when its end comes into sight. Where it is
 * narrow, each row is a card.
 */
import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { type ReactNode, useEffect, useLayoutEffect, useRef, useState } from 'react';

export interface ListColumn<Row> {
  key: string;
  heading: ReactNode;
  /** As grid-template-columns has it: `6rem`, `minmax(8rem,1fr)`. */
  width: string;
  isFigure?: boolean;
  cell: (row: Row) => ReactNode;
}

export interface DataListProps<Row> {
  label: string;
  columns: readonly ListColumn<Row>[];
  /** Where it is narrow. */
  card: (row: Row) => ReactNode;
  rows: readonly Row[];
  keyOf: (row: Row) => string;
  isOpen?: (row: Row) => boolean;
  /** Pixels below which rows are cards, where letters are as large as by default. */
  narrow?: number;
  /** The end is in sight. */
  onEnd?: () => void;
}

const ROW_PX = 33;
const CARD_PX = 76;

export function DataList<Row>(props: DataListProps<Row>) {
  const { label, columns, rows, keyOf, narrow = 700, onEnd } = props;
  const place = useRef<HTMLDivElement>(null);
  const { width, top, large } = usePlace(place);
  const isWide = width === 0 || width >= narrow * large;
  const drawn = useWindowVirtualizer({
    count: rows.length,
    estimateSize: () => (isWide ? ROW_PX : CARD_PX) * large,
    getItemKey: (at) => keyOf(rows[at]!),
    overscan: 12,
    scrollMargin: top,
  });
  // Rows are not as tall as the cards were that stood in their places.
  // biome-ignore lint/correctness/useExhaustiveDependencies: with another shape all are measured anew
  useLayoutEffect(() => drawn.measure(), [isWide, large]);
  const items = drawn.getVirtualItems();
  const last = items.at(-1)?.index ?? -1;
  useEffect(() => {
    if (last >= rows.length - 1) onEnd?.();
  }, [last, rows.length, onEnd]);
  const template = { gridTemplateColumns: columns.map((column) => column.width).join(' ') };
  const inner = { height: drawn.getTotalSize() };
  const moved = (start: number) => ({ transform: `translateY(${start - drawn.options.scrollMargin}px)` });
  return (
    <div ref={place} className="rounded-md border border-line">
      {isWide ? (
        <table aria-label={label} aria-rowcount={rows.length + 1} className="block text-sm">
          <thead className="block sticky top-(--header) z-10 rounded-md bg-surface">
            <tr aria-rowindex={1} className="grid h-8 items-center gap-x-3 px-3" style={template}>
              {columns.map(({ key, heading, isFigure }) => (
                <th
                  key={key}
                  scope="col"
                  className={`min-w-0 truncate font-medium text-muted ${isFigure ? 'text-right' : 'text-left'}`}
                >
                  {heading}
                </th>
              ))}
            </tr>
          </thead>
          <tbody className="relative block" style={inner}>
            {items.map(({ key, index, start }) => (
              <Row key={key} {...props} at={index} style={{ ...template, ...moved(start) }} />
            ))}
          </tbody>
        </table>
      ) : (
        <ul aria-label={label} className="relative text-sm" style={inner}>
          {items.map(({ key, index, start }) => (
            <li
              key={key}
              data-index={index}
              ref={drawn.measureElement}
              style={moved(start)}
              className={`absolute inset-x-0 top-0 border-line px-3 py-2 ${index > 0 ? 'border-t' : ''} ${props.isOpen?.(rows[index]!) ? 'bg-idle-bg' : ''}`}
            >
              {props.card(rows[index]!)}
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

function Row<Row>({
  columns,
  rows,
  isOpen,
  at,
  style,
}: DataListProps<Row> & { at: number; style: Record<string, string> }) {
  const row = rows[at]!;
  return (
    <tr
      aria-rowindex={at + 2}
      aria-current={isOpen?.(row) || undefined}
      style={style}
      className="absolute inset-x-0 top-0 grid h-[2.0625rem] items-center gap-x-3 border-t border-line px-3 hover:bg-surface aria-[current=true]:bg-idle-bg"
    >
      {columns.map(({ key, isFigure, cell }) => (
        <td key={key} className={`min-w-0 truncate ${isFigure ? 'figure' : ''}`}>
          {cell(row)}
        </td>
      ))}
    </tr>
  );
}

/** How wide it is, how far from the top of the page, and how large letters are: 1 by default, and some people set more in their browser. */
function usePlace(place: React.RefObject<HTMLDivElement | null>): { width: number; top: number; large: number } {
  const [found, setFound] = useState({ width: 0, top: 0, large: 1 });
  useLayoutEffect(() => {
    const element = place.current;
    if (element === null) return;
    const look = (): void => {
      const { width, top } = element.getBoundingClientRect();
      const large = Number.parseFloat(getComputedStyle(document.documentElement).fontSize) / 16;
      const next = { width: Math.round(width), top: Math.round(top + scrollY), large };
      const isSame = (known: typeof next): boolean =>
        known.width === next.width && known.top === next.top && known.large === large;
      setFound((known) => (isSame(known) ? known : next));
    };
    look();
    // What is above it moves it.
    const watch = new ResizeObserver(look);
    watch.observe(element);
    watch.observe(document.body);
    return () => watch.disconnect();
  }, [place]);
  return found;
}
