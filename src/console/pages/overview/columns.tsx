/** What the overview says of each database, sink and change retention. */
import type { OverviewDatabase } from '../../api/overview.ts';
import { bytes } from '../../lib/format.ts';
import { lagOf } from '../../lib/pace.ts';
import type { Column } from '../../parts/table.tsx';
import { Ago } from '../../parts/time.tsx';
import { NAME_COLUMNS } from '../databases/columns.tsx';
import { nameColumns, SINK_FIGURES } from '../sinks/columns.tsx';

export const DATABASES: readonly Column<OverviewDatabase>[] = [
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
    isFigure: 'long',
    cell: ({ kept_bytes, limit_bytes }) =>
      kept_bytes === null ? '–' : `${bytes(kept_bytes)}${limit_bytes === null ? '' : ` of ${bytes(limit_bytes)}`}`,
  },
  { key: 'since', heading: 'Since', isFigure: true, cell: ({ state_since }) => <Ago at={state_since} /> },
];

export const SINKS = [...nameColumns('/sinks', 'Sink'), ...SINK_FIGURES];
export const RETENTIONS = [...nameColumns('/change-retentions', 'Change retention'), ...SINK_FIGURES];
