/** Operations as rows, wherever they are listed. */
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { State } from '../../parts/icons.tsx';
import { Progress } from '../../parts/progress.tsx';
import { type Column, Table } from '../../parts/table.tsx';
import { Ago } from '../../parts/time.tsx';
import { OperationVerbs } from './verbs.tsx';
import { doneOf, type Operation, paceOf, partOf, titleOf, tookOf } from './words.ts';

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
        <span className="inline-flex flex-wrap items-center gap-x-3 max-md:justify-end">
          <Progress part={partOf(one)} label={`${titleOf(one)}: progress`} />
          <span className="text-muted tabular-nums">{paceOf(one)}</span>
        </span>
      ) : (
        ended(one)
      ),
  },
  { key: 'done', heading: 'Done', isFigure: true, cell: doneOf },
  { key: 'begun', heading: 'Requested', isFigure: true, cell: ({ inserted_at }) => <Ago at={inserted_at} /> },
  {
    key: 'act',
    heading: <span className="sr-only">Actions</span>,
    isFigure: true,
    cell: (one) => <OperationVerbs operation={one} look="quiet" />,
  },
];

/** Why it waits or did not succeed, else how long it took. */
function ended(one: Operation): ReactNode {
  const took = tookOf(one);
  const said = one.reason ?? (took && `Took ${took}`);
  return said && <span className="text-muted">{said}</span>;
}

export function OperationTable({ rows, label = 'Operations' }: { rows: readonly Operation[]; label?: string }) {
  return <Table label={label} columns={COLUMNS} rows={rows} keyOf={({ id }) => id} />;
}
