/** A table of things that somebody looks for by name. What is looked for stands in the address, as `q`. */
import { useNavigate, useSearch } from '@tanstack/react-router';
import { SearchField } from './field.tsx';
import { Empty } from './places.tsx';
import { Table, type TableProps } from './table.tsx';

/** Fewer are seen at a glance. */
const MANY = 10;

interface SearchedProps<Row> extends TableProps<Row> {
  /** What is searched of a row. */
  textOf: (row: Row) => string;
}

export function SearchedTable<Row>({ textOf, ...table }: SearchedProps<Row>) {
  const { label, rows } = table;
  const { q = '' }: { q?: string } = useSearch({ strict: false });
  const navigate = useNavigate();
  const look = (text: string): void =>
    void navigate({ to: '.', search: text === '' ? {} : { q: text }, replace: true, resetScroll: false });
  const found = rows.filter((row) => textOf(row).toLowerCase().includes(q.trim().toLowerCase()));
  return (
    <>
      {(rows.length > MANY || q !== '') && (
        <search className="mb-3 flex">
          <SearchField label={`Search ${label.toLowerCase()}`} value={q} onChange={look} />
        </search>
      )}
      {found.length === 0 && q !== '' ? (
        <Empty title={`No matching ${label.toLowerCase()}`} />
      ) : (
        <Table {...table} rows={found} />
      )}
    </>
  );
}
