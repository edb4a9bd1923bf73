/** All sinks. What is looked for stands in the address. */
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { type OverviewSink, useOverview } from '../../api/overview.ts';
import { buttonLook } from '../../parts/button.tsx';
import { SearchField } from '../../parts/field.tsx';
import { type Filter, FilterBar } from '../../parts/filter-bar.tsx';
import { Page } from '../../parts/page.tsx';
import { Empty, Loaded } from '../../parts/places.tsx';
import { type Column, Table } from '../../parts/table.tsx';
import { nameColumns, SINK_FIGURES } from './columns.tsx';
import { KINDS, kindOf } from './kinds.ts';
import { PauseButton } from './pause-button.tsx';
import type { SINK_STATES } from './sink-states.ts';

type Wanted = (typeof SINK_STATES)[number];

const STATES: Record<Wanted, { label: string; has(sink: OverviewSink): boolean }> = {
  attention: {
    label: 'Needs attention',
    has: ({ health, status }) => status === 'active' && health !== 'healthy',
  },
  healthy: { label: 'OK', has: ({ health }) => health === 'healthy' },
  parked: { label: 'With parked messages', has: ({ parked }) => parked > 0 },
  paused: { label: 'Paused', has: ({ status }) => status === 'paused' },
  disabled: { label: 'Disabled', has: ({ status }) => status === 'disabled' },
};

export function Sinks() {
  const query = useOverview();
  return (
    <Page
      title="Sinks"
      actions={
        <Link to="/sinks/new" className={buttonLook('primary')}>
          New sink
        </Link>
      }
    >
      <Loaded query={query} lines={6}>
        {({ sinks }) => (sinks.length === 0 ? <NoSink /> : <Found sinks={sinks} />)}
      </Loaded>
    </Page>
  );
}

function Found({ sinks }: { sinks: readonly OverviewSink[] }) {
  const { q = '', state, kind, database } = useSearch({ from: '/inside/sinks' });
  const found = sinks.filter(
    (sink) =>
      sink.name.toLowerCase().includes(q.toLowerCase()) &&
      (state === undefined || STATES[state].has(sink)) &&
      (kind === undefined || sink.kind === kind) &&
      (database === undefined || sink.database === database),
  );
  return (
    <>
      <Filters sinks={sinks} />
      {found.length === 0 ? (
        <Empty title="No matching sinks">
          <Link to="/sinks" className="text-accent underline">
            Show all {sinks.length}
          </Link>
        </Empty>
      ) : (
        <Table label="Sinks" columns={COLUMNS} rows={found} keyOf={({ id }) => id} />
      )}
    </>
  );
}

function Filters({ sinks }: { sinks: readonly OverviewSink[] }) {
  const search = useSearch({ from: '/inside/sinks' });
  const navigate = useNavigate({ from: '/sinks' });
  // The way back leads over what was chosen, not over each letter.
  const look = (change: typeof search, replace = false): void =>
    void navigate({ search: { ...search, ...change }, replace, resetScroll: false });
  const kinds = [...new Set(sinks.map(({ kind }) => kind))].sort();
  const databases = [...new Set(sinks.map(({ database }) => database))].sort();
  const filters: readonly Filter[] = [
    {
      key: 'state',
      label: 'State',
      choices: Object.entries(STATES).map(([value, { label }]) => ({ value, label })),
    },
    { key: 'kind', label: 'Kind', choices: kinds.map((value) => ({ value, label: kindOf(value).title })) },
    ...(databases.length > 1
      ? [{ key: 'database', label: 'Database', choices: databases.map((value) => ({ value, label: value })) }]
      : []),
  ];
  const { q = '', ...values } = search;
  return (
    <FilterBar
      filters={filters}
      values={values}
      onChange={(key, value) => look({ [key]: value })}
      before={<SearchField label="Search sinks" value={q} onChange={(text) => look({ q: text || undefined }, true)} />}
    />
  );
}

const COLUMNS: readonly Column<OverviewSink>[] = [
  ...nameColumns('/sinks', 'Sink'),
  { key: 'kind', heading: 'Kind', cell: ({ kind }) => <span className="whitespace-nowrap">{kindOf(kind).title}</span> },
  { key: 'database', heading: 'Database', cell: ({ database }) => database },
  ...SINK_FIGURES,
  {
    key: 'act',
    heading: <span className="sr-only">Actions</span>,
    isFigure: true,
    cell: (sink) => <PauseButton sink={sink} look="quiet" />,
  },
];

function NoSink() {
  return (
    <Empty title="No sinks yet">
      <p>A sink is where changes are sent. There are four kinds.</p>
      <dl className="mt-4 grid gap-4 text-left sm:grid-cols-2">
        {KINDS.map(({ title, sentence, example }) => (
          <div key={title}>
            <dt className="font-medium text-text">{title}</dt>
            <dd>{sentence}</dd>
            <dd className="mt-0.5 text-sm">For example: {example}.</dd>
          </div>
        ))}
      </dl>
    </Empty>
  );
}
