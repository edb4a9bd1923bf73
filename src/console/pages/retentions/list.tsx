/** All change retentions: whose changes are kept, where, and how that goes. */
import { Link } from '@tanstack/react-router';
import { type OverviewSink, useOverview } from '../../api/overview.ts';
import { useAll } from '../../api/queries.ts';
import { RETENTION_PATHS, SinkPathsContext } from '../../api/sink-paths.ts';
import { buttonLook } from '../../parts/button.tsx';
import { Code, Mono } from '../../parts/code.tsx';
import { Page } from '../../parts/page.tsx';
import { Empty, ErrorNote, Loaded } from '../../parts/places.tsx';
import { type Column, Table } from '../../parts/table.tsx';
import { nameColumns, SINK_FIGURES } from '../sinks/columns.tsx';
import { PauseButton } from '../sinks/pause-button.tsx';
import { destinationOf, type Retention, sourceOf } from './use-retention.ts';

export function Retentions() {
  const overview = useOverview();
  const declared = useAll('/api/change_retentions', { every: 10_000 });
  return (
    <SinkPathsContext value={RETENTION_PATHS}>
      <Page
        title="Change retentions"
        actions={
          <Link to="/change-retentions/new" className={buttonLook('primary')}>
            New change retention
          </Link>
        }
      >
        <Loaded query={overview} lines={6}>
          {({ change_retentions }) =>
            change_retentions.length === 0 ? (
              <NoRetention />
            ) : (
              <>
                {declared.error && (
                  <div className="mb-2">
                    <ErrorNote error={declared.error} again={declared.refetch} />
                  </div>
                )}
                <Table
                  label="Change retentions"
                  columns={columnsOf(declared.data?.data ?? [])}
                  rows={change_retentions}
                  keyOf={({ id }) => id}
                />
              </>
            )
          }
        </Loaded>
      </Page>
    </SinkPathsContext>
  );
}

function columnsOf(declared: readonly Retention[]): readonly Column<OverviewSink>[] {
  const known = new Map(declared.map((retention) => [retention.id, retention]));
  const place = (id: string, placeOf: (of: Retention) => readonly [database: string, table: string]) => {
    const retention = known.get(id);
    if (retention === undefined) return '–';
    const [database, table] = placeOf(retention);
    return (
      <>
        <span className="text-muted">{database}</span> <Mono>{table}</Mono>
      </>
    );
  };
  return [
    ...nameColumns('/change-retentions', 'Change retention'),
    { key: 'of', heading: 'Changes of', cell: ({ id }) => place(id, (of) => [of.source_database, sourceOf(of)]) },
    {
      key: 'in',
      heading: 'Kept in',
      cell: ({ id }) => place(id, (of) => [of.destination_database, destinationOf(of)]),
    },
    ...SINK_FIGURES,
    {
      key: 'act',
      heading: <span className="sr-only">Actions</span>,
      isFigure: true,
      cell: (sink) => <PauseButton sink={sink} look="quiet" />,
    },
  ];
}

const QUERY = `select committed_at, action, changes, record
  from orders_events
 where record_pk = '17'
 order by seq;`;

function NoRetention() {
  return (
    <Empty title="No change retentions yet">
      <p>
        A change retention keeps every change of a table as a row in a change table of your own. It can tell you the
        values of a row at any time, bring back deleted rows, and be replayed to a sink. The history of a row:
      </p>
      <div className="text-left">
        <Code text={QUERY} name="SQL" />
      </div>
    </Empty>
  );
}
