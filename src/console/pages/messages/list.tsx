import { useCallback, useEffect, useMemo, useState } from 'react';
import { usePerson } from '../../api/person.ts';
import { Mono } from '../../parts/code.tsx';
import { DataList } from '../../parts/data-list.tsx';
import { ErrorNote, Skeleton } from '../../parts/places.tsx';
import { Actions } from './actions.tsx';
import { messageCard, messageColumns } from './columns.tsx';
import { isNarrowed, type MessageFilter } from './filter.ts';
import { Foot, Nothing } from './foot.tsx';
import { usePlace } from './place.ts';
import { LOOKED_AT_ONCE, lookedThrough, shownMessages, useMessages } from './use-messages.ts';

export function MessageList({ filter, openId }: { filter: MessageFilter; openId: number | null }) {
  const place = usePlace();
  const { may } = usePerson();
  const query = useMessages(place, filter);
  const rows = shownMessages(query);
  const { choosing, chosen, chooseNone } = useChosen();
  const [limit, setLimit] = useState(LOOKED_AT_ONCE);
  const looked = lookedThrough(query);
  const goesOn = query.hasNextPage && looked < limit && query.error === null;
  const { fetchNextPage, isFetchingNextPage } = query;
  const onEnd = useCallback((): void => {
    if (goesOn && !isFetchingNextPage) void fetchNextPage();
  }, [goesOn, isFetchingNextPage, fetchNextPage]);
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
