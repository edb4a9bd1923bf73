/** All source databases. */
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { Schemas } from '../../api/client.ts';
import { type OverviewDatabase, useOverview } from '../../api/overview.ts';
import { useAll } from '../../api/queries.ts';
import { count } from '../../lib/format.ts';
import { lagOf } from '../../lib/pace.ts';
import { buttonLook } from '../../parts/button.tsx';
import { Code, Mono } from '../../parts/code.tsx';
import { Page } from '../../parts/page.tsx';
import { Empty, Loaded } from '../../parts/places.tsx';
import { type Column, Table } from '../../parts/table.tsx';
import { Ago } from '../../parts/time.tsx';
import { NAME_COLUMNS } from './columns.tsx';
import { Gauge } from './wal-gauge.tsx';

interface Row extends OverviewDatabase {
  from: ReactNode;
  sinks: number;
}

/** What its changes are read from; nothing while nobody has said so. */
function fromOf(database: Schemas['Database'] | undefined): ReactNode {
  if (database === undefined) return '–';
  const [slot] = database.replication_slots;
  return database.capture === 'triggers' ? 'triggers' : <>slot {slot && <Mono>{slot.slot_name}</Mono>}</>;
}

export function Databases() {
  const query = useOverview();
  const declared = useAll('/api/postgres_databases', { every: 10_000 });
  return (
    <Page
      title="Databases"
      actions={
        <Link to="/databases/new" className={buttonLook('primary')}>
          Connect a database
        </Link>
      }
    >
      <Loaded query={query} lines={5}>
        {({ databases, sinks, change_retentions }) =>
          databases.length === 0 ? (
            <NoDatabase />
          ) : (
            <Table
              label="Databases"
              columns={COLUMNS}
              keyOf={({ id }) => id}
              rows={databases.map((one) => ({
                ...one,
                from: fromOf(declared.data?.data.find(({ id }) => id === one.id)),
                sinks: [...sinks, ...change_retentions].filter(({ database }) => database === one.name).length,
              }))}
            />
          )
        }
      </Loaded>
    </Page>
  );
}

const COLUMNS: readonly Column<Row>[] = [
  ...NAME_COLUMNS,
  {
    key: 'lag',
    heading: 'Lag',
    isFigure: true,
    cell: (database) => lagOf(database),
  },
  {
    key: 'kept',
    heading: 'WAL kept',
    cell: ({ kept_bytes, limit_bytes }) => <Gauge kept={kept_bytes} limit={limit_bytes} />,
  },
  { key: 'from', heading: 'Changes come from', cell: ({ from }) => from },
  { key: 'sinks', heading: 'Sinks', isFigure: true, cell: ({ sinks }) => count(sinks) },
  { key: 'since', heading: 'Since', isFigure: true, cell: ({ state_since }) => <Ago at={state_since} /> },
];

/** What an administrator runs, for a database whose name nobody knows yet. */
function NoDatabase() {
  return (
    <Empty title="Connect your first database">
      <p>
        Millrace needs a Postgres database, version 14 or newer, with <Mono>wal_level = logical</Mono>, and a role that
        may replicate and read its tables.
      </p>
      <div className="mt-4 text-left">
        <p className="text-sm">Create such a role in the database to be captured:</p>
        <Code name="SQL" text={ROLE} />
      </div>
    </Empty>
  );
}

const ROLE = `create role millrace login replication password '...';
grant usage on schema public to millrace;
grant select on all tables in schema public to millrace;`;
