/** What a list says of each database, on the overview and on the page of all databases. */
import { Link } from '@tanstack/react-router';
import type { OverviewDatabase } from '../../api/overview.ts';
import { State } from '../../parts/icons.tsx';
import type { Column } from '../../parts/table.tsx';
import { codeOf, stateOf } from './use-database.ts';

/** Its name, and how it is in a word. */
export const NAME_COLUMNS: readonly Column<OverviewDatabase>[] = [
  {
    key: 'name',
    heading: 'Database',
    cell: ({ name }) => (
      <Link
        to="/databases/$database/overview"
        params={{ database: name }}
        className="font-medium break-all text-accent hover:underline"
      >
        {name}
      </Link>
    ),
  },
  {
    key: 'state',
    heading: 'State',
    cell: ({ health, state, reasons }) => (
      <State state={stateOf({ health, state })} code={codeOf({ health, state }, reasons)} />
    ),
  },
];
