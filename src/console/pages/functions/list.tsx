/** All functions, and who uses them. */
import { Link } from '@tanstack/react-router';
import { useAll } from '../../api/queries.ts';
import { buttonLook } from '../../parts/button.tsx';
import { Badge } from '../../parts/icons.tsx';
import { Page } from '../../parts/page.tsx';
import { Empty, Loaded } from '../../parts/places.tsx';
import { SearchedTable } from '../../parts/searched-table.tsx';
import type { Column } from '../../parts/table.tsx';
import { Ago } from '../../parts/time.tsx';
import { type Fn, TYPES } from './types.ts';

export function Functions() {
  const query = useAll('/api/functions', { every: 10_000 });
  return (
    <Page
      title="Functions"
      actions={
        <Link to="/functions/new" className={buttonLook('primary')}>
          New function
        </Link>
      }
    >
      <Loaded query={query}>
        {({ data }) =>
          data.length === 0 ? (
            <NoFunction />
          ) : (
            <SearchedTable
              label="Functions"
              columns={COLUMNS}
              rows={data}
              keyOf={({ id }) => id}
              textOf={({ name, description }) => `${name} ${description ?? ''}`}
            />
          )
        }
      </Loaded>
    </Page>
  );
}

const COLUMNS: readonly Column<Fn>[] = [
  {
    key: 'name',
    heading: 'Function',
    cell: ({ name, description, managed_by }) => (
      <span className="inline-flex flex-wrap items-center gap-2">
        <Link to="/functions/$fn" params={{ fn: name }} className="font-medium text-accent hover:underline">
          {name}
        </Link>
        {managed_by === 'file' && <Badge>file</Badge>}
        <span className="text-muted">{description}</span>
      </span>
    ),
  },
  { key: 'type', heading: 'Type', cell: ({ type }) => TYPES[type].title },
  {
    key: 'used',
    heading: 'Used by',
    cell: ({ used_by }) =>
      used_by.length === 0 ? (
        <span className="text-muted">nobody</span>
      ) : (
        used_by.map((name, place) => (
          <span key={name}>
            {place > 0 && ', '}
            <Link to="/sinks/$sink" params={{ sink: name }} className="text-accent hover:underline">
              {name}
            </Link>
          </span>
        ))
      ),
  },
  { key: 'changed', heading: 'Changed', isFigure: true, cell: ({ updated_at }) => <Ago at={updated_at} /> },
];

function NoFunction() {
  return (
    <Empty title="No functions yet">
      <p>
        Without one, rows are sent as they are. A function is JavaScript or TypeScript that runs on each message of a
        sink.
      </p>
      <dl className="mt-4 grid gap-4 text-left sm:grid-cols-2">
        {Object.values(TYPES).map(({ title, sentence, code }) => (
          <div key={title} className="min-w-0">
            <dt className="font-medium text-text">{title}</dt>
            <dd>{sentence}</dd>
            <dd className="mt-1 overflow-x-auto rounded-md bg-surface p-2 font-mono text-xs break-words whitespace-pre-wrap">
              {code.trim()}
            </dd>
          </div>
        ))}
      </dl>
    </Empty>
  );
}
