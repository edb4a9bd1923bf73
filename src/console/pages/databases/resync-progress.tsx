/** The resync of a database that is under way, or was the last one: its steps, and how far it is. */
import { Link } from '@tanstack/react-router';
import type { Schemas } from '../../api/client.ts';
import { useGet } from '../../api/queries.ts';
import { count, left, rate, span } from '../../lib/format.ts';
import { buttonLook } from '../../parts/button.tsx';
import { State } from '../../parts/icons.tsx';
import { Section } from '../../parts/page.tsx';
import { Progress } from '../../parts/progress.tsx';
import { Remedy } from '../../parts/remedy.tsx';
import { Ago, At } from '../../parts/time.tsx';
import { isUnderWay } from '../operations/words.ts';

export type Operation = Schemas['Operation'];

/** The newest one; null: there was none. */
export function useLastResync(database: string): Operation | null {
  const { data } = useGet('/api/operations', { query: { kind: 'resync', database, limit: 1 } }, { every: 2_000 });
  return data?.data[0] ?? null;
}

/** A day after it has ended nobody asks for it here any more. */
const RECENT_MS = 24 * 3_600_000;
export const isRecent = (operation: Operation, now: number): boolean =>
  isUnderWay(operation) || (operation.ended_at !== null && now - new Date(operation.ended_at).getTime() < RECENT_MS);

const PHASES: Record<string, string> = {
  waiting: 'Waiting for capture',
  filling: 'Sending rows',
  delivering: 'Waiting for delivery',
  verifying: 'Comparing search indexes',
};

export function ResyncProgress({ operation }: { operation: Operation }) {
  const { id, state, phase, progress, steps, lines, reason, remedy, ended_at, started_at } = operation;
  return (
    <Section
      title="Resync"
      actions={
        <Link to="/operations/$id" params={{ id }} className={buttonLook()}>
          Open
        </Link>
      }
    >
      <div className="rounded-md border border-line px-4 py-3">
        <div className="flex flex-wrap items-center gap-x-4 gap-y-1">
          <State state={state} />
          {isUnderWay(operation) ? (
            <>
              <span>{PHASES[phase ?? ''] ?? 'Starting'}</span>
              {progress.total !== null && (
                <Progress
                  label="Rows sent"
                  part={progress.total === 0 ? 1 : Math.min(1, progress.done / progress.total)}
                />
              )}
              <span className="text-sm text-muted tabular-nums">{figures(progress)}</span>
            </>
          ) : (
            <span className="text-muted">
              ended <Ago at={ended_at} />
              {started_at !== null && ended_at !== null && `, took ${took(started_at, ended_at)}`}
            </span>
          )}
        </div>
        {reason !== null && <Remedy finding={{ summary: reason, remedy }} />}
        <ol className="mt-2 space-y-0.5 text-sm">
          {steps.map((step) => (
            <li key={`${step.at} ${step.text}`} className="flex gap-3">
              <span className="shrink-0 text-muted">
                <At at={step.at} millis={false} />
              </span>
              <span className="min-w-0 break-words">{step.text}</span>
            </li>
          ))}
          {isUnderWay(operation) &&
            lines.map((line) => (
              <li key={line} className="break-words whitespace-pre-wrap text-muted">
                {line}
              </li>
            ))}
        </ol>
      </div>
    </Section>
  );
}

function figures({ done, total, per_second, seconds_left }: Operation['progress']): string {
  if (total === null) return '';
  const rows = `${count(done)} of about ${count(total)} rows`;
  const pace = per_second === null ? '' : `, ${rate(per_second)}`;
  return `${rows}${pace}${seconds_left === null ? '' : `, ${left(seconds_left)}`}`;
}

const took = (from: string, to: string): string => span((new Date(to).getTime() - new Date(from).getTime()) / 1_000);
