/** What one can do with the messages of a list: with those that are chosen, else with all that match. */
import { useRef, useState } from 'react';
import { ApiError } from '../../api/client.ts';
import { count, plural } from '../../lib/format.ts';
import { Button } from '../../parts/button.tsx';
import { ErrorNote } from '../../parts/places.tsx';
import { say } from '../../parts/toast.tsx';
import type { MessageFilter } from './filter.ts';
import { usePlace } from './place.ts';
import { MOST_SAVED, saveMessages } from './save.ts';
import { failedOf, Settle, type Wish } from './settle.tsx';

interface ActionsProps {
  filter: MessageFilter;
  chosen: readonly number[];
  isEmpty: boolean;
  /** Something became of the chosen ones; or nobody wants them any more. */
  onDone: () => void;
}

export function Actions({ filter, chosen, isEmpty, onDone }: ActionsProps) {
  const [wish, setWish] = useState<Wish | null>(null);
  const some = chosen.length > 0;
  const { state } = filter;
  const none = isEmpty ? 'There are no messages' : null;
  const noRetry = none ?? (state !== undefined && state !== 'parked' ? 'Only parked messages can be retried' : null);
  const failed = failedOf(filter);
  const waits = failed === undefined ? 'These have not failed and are delivered automatically' : null;
  const wishFor = (verb: Wish['verb']): void =>
    setWish(some ? { verb, ids: chosen } : failed === undefined ? null : { verb, filter: failed });
  return (
    <div className="mb-2 flex flex-wrap items-center gap-2">
      <span className="mr-auto text-sm text-muted max-sm:basis-full" aria-live="polite">
        {some ? `${plural(chosen.length, 'message')} selected` : 'All matching messages'}
      </span>
      <Button needs="operate" because={some ? null : noRetry} onClick={() => wishFor('retry')}>
        {some ? `Retry ${count(chosen.length)}` : 'Retry…'}
      </Button>
      <Button needs="operate" because={some ? null : (none ?? waits)} onClick={() => wishFor('discard')}>
        {some ? `Discard ${count(chosen.length)}…` : 'Discard…'}
      </Button>
      {some ? (
        <Button look="quiet" onClick={onDone}>
          Clear selection
        </Button>
      ) : (
        <Save filter={filter} isEmpty={isEmpty} />
      )}
      {wish && (
        <Settle
          wish={wish}
          onClose={(done) => {
            setWish(null);
            if (done) onDone();
          }}
        />
      )}
    </div>
  );
}

function Save({ filter, isEmpty }: { filter: MessageFilter; isEmpty: boolean }) {
  const place = usePlace();
  const [soFar, setSoFar] = useState<number | null>(null);
  const [error, setError] = useState<ApiError | null>(null);
  const stop = useRef<AbortController>(null);
  const save = async (): Promise<void> => {
    stop.current = new AbortController();
    setSoFar(0);
    setError(null);
    try {
      const saved = await saveMessages(place, filter, { told: setSoFar, signal: stop.current.signal });
      say(
        saved < MOST_SAVED ? `Downloaded ${plural(saved, 'message')}` : `Downloaded the first ${count(saved)} messages`,
      );
    } catch (failed) {
      if (failed instanceof ApiError) setError(failed);
    } finally {
      setSoFar(null);
    }
  };
  if (soFar !== null) return <Button onClick={() => stop.current?.abort()}>Stop download ({count(soFar)})</Button>;
  return (
    <>
      <Button needs="read:data" because={isEmpty ? 'There are no messages' : null} onClick={() => void save()}>
        Download
      </Button>
      {error && <ErrorNote error={error} />}
    </>
  );
}
