/** Whether a sink keeps up, and when it began to deliver. */
import { useNow } from '../../../lib/clock.ts';
import { firstOf, type Paced, paceOf } from '../../../lib/pace.ts';
import { Ago } from '../../../parts/time.tsx';

export function Pace({ sink, noun }: { sink: Paced; noun: string }) {
  const now = useNow();
  const { last_delivered_at: last } = sink.state;
  const first = firstOf(sink, { noun, nowMs: now });
  const pace = paceOf(sink);
  if (first === null && pace === null && last === null) return null;
  return (
    <p aria-label="Pace" role="note" className="mb-4 flex flex-wrap gap-x-6 gap-y-1 text-sm tabular-nums">
      {pace !== null && <span className="font-medium">{pace}</span>}
      {first !== null && <span className="text-muted">{first}</span>}
      {last !== null && (
        <span className="text-muted">
          Last delivered <Ago at={last} />
        </span>
      )}
    </p>
  );
}
