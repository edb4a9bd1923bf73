/** Rows that are on their way to a sink. */
import { Link } from '@tanstack/react-router';
import { useOverview } from '../../../api/overview.ts';
import { count, left, plural } from '../../../lib/format.ts';
import { State } from '../../../parts/icons.tsx';
import { Section } from '../../../parts/page.tsx';
import { Progress } from '../../../parts/progress.tsx';
import type { Sink } from '../use-sink.ts';

const STATES: Record<string, string> = { active: 'running', paused: 'paused' };

export function Backfills({ sink }: { sink: Sink }) {
  const { data } = useOverview();
  if (sink.active_backfills.length === 0) return null;
  const leftOf = (wanted: string): number | null =>
    data?.operations.find(({ id }) => id === wanted)?.progress.seconds_left ?? null;
  return (
    <Section
      title="Backfills in progress"
      actions={
        <Link to="/sinks/$sink/backfills" params={{ sink: sink.name }} className="text-sm text-accent hover:underline">
          Manage backfills
        </Link>
      }
    >
      <ul className="divide-y divide-line rounded-md border border-line">
        {sink.active_backfills.map((backfill) => {
          const { id, table, state } = backfill;
          const all = backfill.rows_initial_count as number | null;
          const done = backfill.rows_processed_count as number;
          const part = all === null || all === 0 ? null : Math.min(1, done / all);
          const name = table ?? 'all tables';
          return (
            <li key={id} className="flex flex-wrap items-center gap-x-6 gap-y-1 px-3 py-2">
              <span className="font-mono text-sm">{name}</span>
              <State state={STATES[state] ?? state} />
              <Progress part={part} label={`Rows of ${name}`} />
              <span className="text-sm text-muted tabular-nums">
                {all === null ? plural(done, 'row') : `${count(done)} of about ${plural(all, 'row')}`}
                {leftOf(id) !== null && `, ${left(leftOf(id)!)}`}
              </span>
            </li>
          );
        })}
      </ul>
    </Section>
  );
}
