/** That nothing is wrong any more, to somebody who saw that something was: since when, and how long catching up takes. */
import { useState } from 'react';
import { useOverview } from '../../../api/overview.ts';
import { plural, rate, span } from '../../../lib/format.ts';
import { serviceNow } from '../../../lib/service-time.ts';
import { Note } from '../../../parts/places.tsx';
import { Spoken } from '../../../parts/spoken.tsx';
import { At } from '../../../parts/time.tsx';
import type { AnySink } from '../use-sink.ts';

export function Recovered({ sink, isWrong }: { sink: AnySink; isWrong: boolean }) {
  const { data } = useOverview();
  const isJudged = sink.status === 'active';
  const since = useRecovery(isWrong, isJudged);
  if (since === null || !isJudged) return null;
  const known = [...(data?.sinks ?? []), ...(data?.change_retentions ?? [])].find(({ name }) => name === sink.name);
  return (
    <div className="mb-6">
      <Spoken text={`Working again.${sink.state.pending === 0 ? ' Everything has been delivered.' : ''}`} />
      <Note tone="ok">
        Working again since <At at={since} millis={false} />.{' '}
        {sink.state.pending === 0 ? (
          'Everything has been delivered.'
        ) : (
          <Left pending={sink.state.pending} rates={known?.per_second} />
        )}
      </Note>
    </div>
  );
}

function Left({ pending, rates }: { pending: number; rates: { persisted: number; delivered: number } | undefined }) {
  const gained = rates === undefined ? 0 : rates.delivered - rates.persisted;
  return (
    <span className="tabular-nums">
      {plural(pending, 'message')} pending
      {gained > 0 &&
        rates !== undefined &&
        `, caught up in about ${span(pending / gained)} at ${rate(rates.delivered)}`}
      .
    </span>
  );
}

/** When it was seen to end; null: nothing was wrong while somebody looked, or something is. What is paused is not better for that. */
function useRecovery(isWrong: boolean, isJudged: boolean): string | null {
  const [seen, setSeen] = useState<{ isWrong: boolean; since: string | null }>({ isWrong, since: null });
  if (isJudged && seen.isWrong !== isWrong)
    setSeen({ isWrong, since: isWrong ? null : new Date(serviceNow()).toISOString() });
  return seen.since;
}
