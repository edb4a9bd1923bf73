/** Where something is done about what is wrong with a sink: its messages, its function, or the database it reads from. */
import { Link } from '@tanstack/react-router';
import { useSinkPaths } from '../../../api/sink-paths.ts';
import { buttonLook } from '../../../parts/button.tsx';
import type { AnySink } from '../use-sink.ts';

const PARKED = { state: 'parked' } as const;

/** `name`: of the check. */
export function WhereNext({ sink, name }: { sink: AnySink; name: string }) {
  const { home } = useSinkPaths();
  if (name === 'parked')
    return home === '/sinks' ? (
      <Link to="/sinks/$sink/messages" params={{ sink: sink.name }} search={PARKED} className={buttonLook()}>
        View messages
      </Link>
    ) : (
      <Link
        to="/change-retentions/$retention/messages"
        params={{ retention: sink.name }}
        search={PARKED}
        className={buttonLook()}
      >
        View messages
      </Link>
    );
  // Change retentions have no page of their functions.
  if (name.startsWith('function_') && home === '/sinks')
    return (
      <Link to="/sinks/$sink/function" params={{ sink: sink.name }} className={buttonLook()}>
        Edit function
      </Link>
    );
  const database = sourceOf(sink);
  return name.startsWith('source_') && database !== null ? (
    <Link to="/databases/$database/overview" params={{ database }} className={buttonLook()}>
      Open {database}
    </Link>
  ) : null;
}

/** A change retention names its source by another key. */
function sourceOf(sink: AnySink & { database?: unknown; source_database?: unknown }): string | null {
  const name = sink.database ?? sink.source_database;
  return typeof name === 'string' ? name : null;
}
