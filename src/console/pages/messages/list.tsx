import { useCallback, useEffect, useMemo, useState } from 'react';
import { usePerson } from '../../api/person.ts';
import { Mono } from '../../parts/code.tsx';
import { DataList } from '../../parts/data-list.tsx';
import { ErrorNote, Skeleton } from '../../parts/places.tsx';
import { Actions } from './actions.tsx';
import { messageCard, messageColumns } from './columns.tsx';
import { isNarrowed, type MessageFilter, type Order } from './filter.ts';
import { Foot, Nothing } from './foot.tsx';
import { Newer } from './newer.tsx';
import { usePlace } from './place.ts';
import { LOOKED_AT_ONCE, lookedThrough, shownMessages, useMessages } from './use-messages.ts';

interface MessageListProps {
  filter: MessageFilter;
  order: Order;
  openId: number | null;
}

export function MessageList({ filter, order, openId }: MessageListProps) {
  const place = usePlace();
  const { may } = usePerson();
  const query = useMessages(place, filter, order);
  const rows = shownMessages(query);
  const { choosing, chosen, chooseNone } = useChosen();
  const [limit, setLimit] = useState(LOOKED_AT_ONCE);
  const looked = lookedThrough(query);
  const goesOn = query.hasNextPage && looked < limit && query.error === null;
  const { fetchNextPage, isFetching } = query;
  // Another page would end what is asked for anew.
  const onEnd = useCallback((): void => {
    if (goesOn && !isFetching) void fetchNextPage();
  }, [goesOn, isFetching, fetchNextPage]);
  useEffect(() => {
    if (rows.length === 0) onEnd();
  }, [rows.length, onEnd]);
  if (query.data === undefined)
    return query.error ? <ErrorNote error={query.error} again={query.refetch} /> : <Skeleton lines={8} />;
  return (
    <>
      <Actions filter={filter} chosen={chosen} isEmpty={rows.length === 0} onDone={chooseNone} />
      {!may('read:data') && (
        <p className="mb-2 text-sm text-muted">
          Keys, errors and rows: needs <Mono>read:data</Mono>.
        </p>
      )}
      {order === 'newest' && (
        <div className="flex min-h-10 items-center justify-end">
          <Newer
            filter={filter}
            last={rows[0]?.id ?? (query.hasNextPage ? null : 0)}
            onShow={() => void query.refetch()}
          />
        </div>
      )}
      {rows.length > 0 && (
        <DataList
          label={`Messages of ${place.name}`}
          columns={messageColumns(choosing)}
          card={messageCard(choosing)}
          rows={rows}
          keyOf={({ id }) => String(id)}
          isOpen={({ id }) => id === openId}
          onEnd={onEnd}
        />
      )}
      {rows.length === 0 && !query.hasNextPage && <Nothing isFiltered={isNarrowed(filter)} />}
      <Foot
        query={query}
        filter={filter}
        order={order}
        shown={rows.length}
        goesOn={goesOn}
        onStop={() => setLimit(looked)}
        onGoOn={() => setLimit(looked + LOOKED_AT_ONCE)}
      />
    </>
  );
}

function useChosen() {
  const [chosen, setChosen] = useState<ReadonlySet<number>>(new Set());
  const choosing = useMemo(
    () => ({
      chosen,
      choose: (id: number, on: boolean) =>
        setChosen((known) => new Set(on ? [...known, id] : [...known].filter((one) => one !== id))),
    }),
    [chosen],
  );
  return { choosing, chosen: useMemo(() => [...chosen], [chosen]), chooseNone: () => setChosen(new Set()) };
}
