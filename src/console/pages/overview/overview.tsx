/** Is all well? What is wrong comes first, the worst first. */
import { Link } from '@tanstack/react-router';
import { type Attention, type OverviewDatabase, useOverview } from '../../api/overview.ts';
import { bytes, count, plural } from '../../lib/format.ts';
import { State } from '../../parts/icons.tsx';
import { Page, Section } from '../../parts/page.tsx';
import { Empty, Loaded, Note } from '../../parts/places.tsx';
import { Remedy } from '../../parts/remedy.tsx';
import { type Column, Table } from '../../parts/table.tsx';
import { Ago } from '../../parts/time.tsx';
import { nameColumn, SINK_FIGURES } from '../sinks/columns.tsx';

export function Overview() {
  const query = useOverview();
  return (
    <Page title="Overview">
      <Loaded query={query} lines={8}>
        {({ attention, attention_count, databases, sinks, change_retentions, at }) => (
          <>
            <Attentions items={attention} all={attention_count} at={at} />
            <Section title="Databases">
              {databases.length === 0 ? (
                <Empty title="No database yet">A database is where changes come from.</Empty>
              ) : (
                <Table label="Databases" columns={DATABASES} rows={databases} keyOf={({ id }) => id} />
              )}
            </Section>
            <Section title="Sinks">
              {sinks.length === 0 ? (
                <Empty title="No sink yet">
                  A sink is where changes go to: a search index, a webhook, or clients that pull.
                </Empty>
              ) : (
                <Table label="Sinks" columns={SINKS} rows={sinks} keyOf={({ id }) => id} />
              )}
            </Section>
            {change_retentions.length > 0 && (
              <Section title="Change retentions">
                <Table label="Change retentions" columns={RETENTIONS} rows={change_retentions} keyOf={({ id }) => id} />
              </Section>
            )}
          </>
        )}
      </Loaded>
    </Page>
  );
}

function Attentions({ items, all, at }: { items: readonly Attention[]; all: number; at: string }) {
  if (items.length === 0) {
    return (
      <div className="mb-6">
        <Note tone="ok">
          All is well; looked at <Ago at={at} />.
        </Note>
      </div>
    );
  }
  return (
    <Section title={`Needs attention: ${count(all)}`}>
      <ul className="divide-y divide-line rounded-md border border-line">
        {items.map((item) => (
          <li
            key={`${item.id} ${item.subject.kind} ${item.subject.name}`}
            className="flex flex-wrap gap-x-6 gap-y-1 px-3 py-2"
          >
            <div className="w-44 shrink-0">
              <State state={item.status === 'error' ? 'check_error' : item.status} />
              <p className="font-mono text-xs text-muted">{item.id}</p>
            </div>
            <div className="min-w-0 flex-1 basis-80">
              <p className="font-medium break-words">
                {item.subject.name ?? item.subject.kind}
                {item.since !== null && (
                  <span className="ml-2 font-normal text-muted">
                    <Ago at={item.since} />
                  </span>
                )}
              </p>
              <Remedy finding={item} />
            </div>
          </li>
        ))}
      </ul>
      {all > items.length && <p className="mt-1 text-muted">and {plural(all - items.length, 'more thing')}</p>}
    </Section>
  );
}

const named =
  (path: string) =>
  ({ name, health, state, reasons }: { name: string; health: string; state?: string | null; reasons: string[] }) => (
    <span className="inline-flex flex-wrap items-center gap-x-3">
      <Link to={`${path}/${encodeURIComponent(name)}` as string} className="font-medium text-accent hover:underline">
        {name}
      </Link>
      <State state={state ?? health} code={reasons[0] ?? null} />
    </span>
  );

const DATABASES: readonly Column<OverviewDatabase>[] = [
  { key: 'name', heading: 'Database', cell: (one) => named('/databases')({ ...one, state: null }) },
  {
    key: 'lag',
    heading: 'Lag',
    isFigure: true,
    cell: ({ lag_bytes }) => (lag_bytes === null ? '–' : bytes(lag_bytes)),
  },
  {
    key: 'kept',
    heading: 'WAL kept',
    isFigure: true,
    cell: ({ kept_bytes, limit_bytes }) =>
      kept_bytes === null ? '–' : `${bytes(kept_bytes)}${limit_bytes === null ? '' : ` of ${bytes(limit_bytes)}`}`,
  },
  { key: 'since', heading: 'Since', isFigure: true, cell: ({ state_since }) => <Ago at={state_since} /> },
];

const SINKS = [nameColumn('/sinks', 'Sink'), ...SINK_FIGURES];
const RETENTIONS = [nameColumn('/change-retentions', 'Change retention'), ...SINK_FIGURES];
