/** Operations as rows, wherever they are listed. */
import { Link } from '@tanstack/react-router';
import { count } from '../../lib/format.ts';
import { State } from '../../parts/icons.tsx';
import { Progress } from '../../parts/progress.tsx';
import { type Column, Table } from '../../parts/table.tsx';
import { Ago } from '../../parts/time.tsx';
import { OperationVerbs } from './verbs.tsx';
import { type Operation, paceOf, partOf, titleOf } from './words.ts';

const COLUMNS: readonly Column<Operation>[] = [
  {
    key: 'title',
    heading: 'Operation',
    cell: (one) => (
      <Link
        to="/operations/$id"
        params={{ id: one.id }}
        className="inline-block font-medium text-accent first-letter:uppercase hover:underline"
      >
        {titleOf(one)}
      </Link>
    ),
  },
  {
    key: 'state',
    heading: 'State',
    cell: ({ state, phase }) => <State state={state} code={state === 'running' ? phase : null} />,
  },
  {
    key: 'progress',
    heading: 'Progress',
    cell: (one) =>
      one.state === 'running' || one.state === 'paused' ? (
        <span className="inline-flex flex-wrap items-center gap-x-3">
          <Progress part={partOf(one)} label={`${titleOf(one)}: progress`} />
          <span className="text-muted tabular-nums">{paceOf(one)}</span>
        </span>
      ) : (
        <span className="text-muted">{one.reason}</span>
      ),
  },
  { key: 'done', heading: 'Done', isFigure: true, cell: ({ progress }) => count(progress.done) },
  { key: 'begun', heading: 'Requested', isFigure: true, cell: ({ inserted_at }) => <Ago at={inserted_at} /> },
  {
    key: 'act',
    heading: <span className="sr-only">Actions</span>,
    isFigure: true,
    cell: (one) => <OperationVerbs operation={one} look="quiet" />,
  },
];

export function OperationTable({ rows, label = 'Operations' }: { rows: readonly Operation[]; label?: string }) {
  return <Table label={label} columns={COLUMNS} rows={rows} keyOf={({ id }) => id} />;
}
