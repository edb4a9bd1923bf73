/** When something was delivered last, and why nothing is since. */
import type { Schemas } from '../../api/client.ts';
import { useGet } from '../../api/queries.ts';
import { useNow } from '../../lib/clock.ts';
import { plural, words } from '../../lib/format.ts';
import { Loaded, Note } from '../../parts/places.tsx';
import { Ago } from '../../parts/time.tsx';
import { type Sink, useSink, wrongOf } from '../sinks/use-sink.ts';

const EVERY_MS = 10_000;
/** Counted by minutes, written some seconds later. */
const LATELY_MS = 90_000;

export function LastDelivery() {
  const sink = useSink();
  const query = useGet('/api/sinks/{sink}/metrics', { path: { sink: sink.name } }, { every: EVERY_MS });
  return (
    <div className="mb-4">
      <Loaded query={query} lines={1}>
        {({ points }) => <Last sink={sink} points={points} />}
      </Loaded>
    </div>
  );
}

function Last({ sink, points }: { sink: Sink; points: Schemas['SinkMetrics']['points'] }) {
  const now = useNow();
  const last = points.findLast(({ delivered }) => delivered > 0);
  const isLate = last === undefined || now - Date.parse(last.at) > LATELY_MS;
  const why = isLate ? reasonOf(sink) : null;
  const isBad = why !== null && sink.status === 'active' && sink.state.pending > 0 && sink.health.status !== 'healthy';
  return (
    <Note tone={isBad ? 'danger' : 'idle'}>
      {last === undefined ? (
        'Nothing was delivered in the last hour'
      ) : (
        <>
          Last delivery <Ago at={last.at} />: {plural(last.delivered, 'message')} within a minute
        </>
      )}
      {why === null ? '.' : `. ${why}`}
    </Note>
  );
}

function reasonOf({ status, state, health }: Sink): string {
  if (status !== 'active') return `It is ${status}. Resume it to deliver the pending messages.`;
  if (state.pending === 0)
    return state.parked === 0
      ? 'Nothing is pending: everything captured has been delivered.'
      : 'Nothing is pending; there are parked messages.';
  const cause = wrongOf({ health })[0]?.name;
  if (cause !== undefined && state.error !== null) return `It is failing (${words(cause)}): ${state.error}`;
  if (cause !== undefined) return `Nothing since then: ${words(cause)}.`;
  return `${state.pending_is_estimate ? 'About ' : ''}${plural(state.pending, 'message')} pending.`;
}
