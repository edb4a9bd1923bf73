/** What the overview says of each database, sink and change retention. */
import { Link } from '@tanstack/react-router';
import type { OverviewDatabase } from '../../api/overview.ts';
import { bytes } from '../../lib/format.ts';
import { lagOf } from '../../lib/pace.ts';
import { State } from '../../parts/icons.tsx';
import type { Column } from '../../parts/table.tsx';
import { Ago } from '../../parts/time.tsx';
import { codeOf, stateOf } from '../databases/use-database.ts';
import { nameColumn, SINK_FIGURES } from '../sinks/columns.tsx';

export const DATABASES: readonly Column<OverviewDatabase>[] = [
  {
    key: 'name',
    heading: 'Database',
    cell: ({ name, health, state, reasons }) => (
      <span className="inline-flex flex-wrap items-center gap-x-3">
        <Link
          to="/databases/$database"
          params={{ database: name }}
          className="font-medium break-all text-accent hover:underline"
        >
          {name}
        </Link>
        <State state={stateOf({ health, state })} code={codeOf({ health, state }, reasons)} />
      </span>
    ),
  },
  {
    key: 'lag',
    heading: 'Lag',
    isFigure: true,
    cell: (database) => lagOf(database),
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

export const SINKS = [nameColumn('/sinks', 'Sink'), ...SINK_FIGURES];
export const RETENTIONS = [nameColumn('/change-retentions', 'Change retention'), ...SINK_FIGURES];
