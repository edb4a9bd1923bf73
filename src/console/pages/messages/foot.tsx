/** Below the list: how far it has looked, and what there is when there is nothing. */
import { useOwnNow } from '../../lib/clock.ts';
import { count, plural, span } from '../../lib/format.ts';
import { Button } from '../../parts/button.tsx';
import { Empty, ErrorNote } from '../../parts/places.tsx';
import { Spoken } from '../../parts/spoken.tsx';
import { Ago } from '../../parts/time.tsx';
import { isNarrowed, type MessageFilter, type Order } from './filter.ts';
import { Newer } from './newer.tsx';
import { usePlace } from './place.ts';
import { lookedThrough, type Messages } from './use-messages.ts';

interface FootProps {
  query: Messages;
  filter: MessageFilter;
  order: Order;
  shown: number;
  goesOn: boolean;
  onStop: () => void;
  onGoOn: () => void;
}

export function Foot({ query, filter, order, shown, goesOn, onStop, onGoOn }: FootProps) {
  const { parked, pending, isEstimate } = usePlace();
  const now = useOwnNow();
  if (query.error)
    return (
      <div className="mt-2">
        <ErrorNote error={query.error} again={query.isFetchNextPageError ? query.fetchNextPage : query.refetch} />
      </div>
    );
  const all =
    (filter.state === 'parked' ? 0 : pending) + (filter.state === undefined || filter.state === 'parked' ? parked : 0);
  const looked = lookedThrough(query);
  const isAbout = filter.state !== 'parked' && isEstimate;
  const isLooking = isNarrowed(filter) && query.hasNextPage;
  const age = Math.round((now - query.dataUpdatedAt) / 1_000);
  return (
    <div className="mt-2 flex min-h-8 flex-wrap items-center gap-x-3 gap-y-1 text-sm text-muted tabular-nums">
      <Spoken
        text={shown === 0 ? '' : `Found ${plural(shown, 'message')}${isLooking && goesOn ? ', still searching' : ''}`}
      />
      <span>
        {isLooking
          ? `Searched ${count(looked)} of ${isAbout ? 'about ' : ''}${count(Math.max(all, looked))}, ${count(shown)} found`
          : query.hasNextPage
            ? `${order === 'newest' ? 'Newest' : 'First'} ${count(shown)} of ${isAbout ? 'about ' : ''}${count(Math.max(all, shown))}`
            : shown > 0 && `${plural(shown, 'message')} in total`}
      </span>
      {isLooking && (goesOn ? <Button onClick={onStop}>Stop</Button> : <Button onClick={onGoOn}>Continue</Button>)}
      <span className="ml-auto inline-flex items-center gap-2">
        {order === undefined && (
          <Newer filter={filter} last={query.hasNextPage ? null : lastId(query)} onShow={() => void query.refetch()} />
        )}
        {shown > 0 && age >= 2 && `as of ${span(age)} ago`}
        <Button look="quiet" busy={query.isFetching} onClick={() => void query.refetch()}>
          Refresh
        </Button>
      </span>
    </div>
  );
}

const lastId = (query: Messages): number | null => query.data?.pages.at(-1)?.last_id ?? null;

export function Nothing({ isFiltered }: { isFiltered: boolean }) {
  const { lastDeliveredAt } = usePlace();
  if (isFiltered) return <Empty title="No matching messages">Remove a filter. Delivered messages are not kept.</Empty>;
  return (
    <Empty title="Nothing is pending">
      {lastDeliveredAt !== null && (
        <p>
          Last delivered <Ago at={lastDeliveredAt} />.
        </p>
      )}
      Everything captured has been delivered. A message is listed here from the commit of its row until its destination
      has it, and stays here when delivery fails.
    </Empty>
  );
}
