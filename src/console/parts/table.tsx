/**
 * A table of things; where it is narrow each row is a card, its cells with their headings. It is `relative`, or what only
 * screen readers get of a column out of sight would widen the page.
 */
import { type ReactNode, useState } from 'react';
import { count } from '../lib/format.ts';
import { Button } from './button.tsx';

export interface Column<Row> {
  key: string;
  heading: ReactNode;
  /** Numbers stand right; where it is narrow, two beside each other, but those that need the line. */
  isFigure?: boolean | 'long';
  /** Null: on a card it is left out. */
  cell: (row: Row) => ReactNode;
}

export interface TableProps<Row> {
  label: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  keyOf: (row: Row) => string;
  /** They come page by page: all that are there are shown. */
  isPaged?: boolean;
}

const isShort = <Row,>(column: Column<Row> | undefined): boolean =>
  column?.isFigure === true && typeof column.heading === 'string';

/** Where it is narrow, which columns have a line of their own: short figures are in pairs, and the last of an odd number is alone. */
function aloneOf<Row>(columns: readonly Column<Row>[]): boolean[] {
  let isSecond = false;
  return columns.map((column, place) => {
    const isPaired = isShort(column) && (isSecond || isShort(columns[place + 1]));
    isSecond = isPaired && !isSecond;
    return !isPaired;
  });
}

/** The first cell is the title of the card: its name, and what is beside that. */
const TITLE = 'max-md:font-semibold max-md:[&_.font-medium]:font-semibold max-md:[&_.text-muted]:font-normal';

/** Rows that are drawn at once: each of thousands is drawn again every few seconds. */
const AT_ONCE = 200;

/** A very long one is shown bit by bit. */
export function Table<Row>({ rows, isPaged = false, ...props }: TableProps<Row>) {
  const [most, setMost] = useState(isPaged ? Number.POSITIVE_INFINITY : AT_ONCE);
  return (
    <>
      <Rows {...props} rows={rows.slice(0, most)} />
      {rows.length > most && (
        <p className="mt-3 flex flex-wrap items-center justify-center gap-3 text-muted">
          <span role="status">
            The first {count(most)} of {count(rows.length)} are shown.
          </span>
          <Button onClick={() => setMost(most + AT_ONCE)}>Show more</Button>
        </p>
      )}
    </>
  );
}

function Rows<Row>({ label, columns, rows, keyOf }: Omit<TableProps<Row>, 'isPaged'>) {
  const isAlone = aloneOf(columns);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls sideways, also by keys
    <section className="relative overflow-x-auto rounded-md border border-line" tabIndex={0} aria-label={label}>
      <table className="w-full border-collapse text-sm max-md:block">
        <thead className="bg-surface max-md:sr-only">
          <tr>
            {columns.map(({ key, heading, isFigure }) => (
              <th
                key={key}
                scope="col"
                className={`h-8 px-3 font-medium whitespace-nowrap text-muted ${isFigure ? 'text-right' : 'text-left'}`}
              >
                {heading}
              </th>
            ))}
          </tr>
        </thead>
        <tbody className="max-md:block">
          {rows.map((row) => (
            <tr
              key={keyOf(row)}
              className="border-t border-line first:border-t-0 hover:bg-surface md:first:border-t has-[details[open]]:[&>td]:align-top max-md:grid max-md:grid-cols-2 max-md:py-2"
            >
              {columns.map(({ key, heading, isFigure, cell }, place) => {
                const content = cell(row);
                const isEmpty = content === null || content === false;
                return (
                  <td
                    key={key}
                    className={`h-8 px-3 py-1 pointer-coarse:h-11 [&_button]:-my-1 max-md:items-baseline max-md:h-auto max-md:justify-between max-md:gap-4 max-md:whitespace-normal ${isEmpty ? 'max-md:hidden' : 'max-md:flex'} ${isFigure ? 'figure' : ''} ${isAlone[place] ? 'max-md:col-span-2' : 'max-[24rem]:col-span-2'} ${place === 0 ? TITLE : ''}`}
                  >
                    {place > 0 && (
                      <span aria-hidden className="text-muted md:hidden">
                        {heading}
                      </span>
                    )}
                    <span className={`min-w-0 break-words ${place > 0 ? 'max-md:text-right' : ''}`}>{content}</span>
                  </td>
                );
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
