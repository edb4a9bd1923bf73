/** The messages of a sink that are not settled: what they wait for, and what one can do about it. */
import { Outlet, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useCallback } from 'react';
import { usePerson } from '../../api/person.ts';
import { Button } from '../../parts/button.tsx';
import { Beside, focusBack } from '../../parts/drawer.tsx';
import { type Filter, FilterBar } from '../../parts/filter-bar.tsx';
import { shapeOf } from '../../parts/icons.tsx';
import {
  ACTIONS,
  filterOf,
  type MessageFilter,
  type MessagesSearch,
  messagesSearch,
  type Order,
  STATES,
} from './filter.ts';
import { ErrorGroups } from './groups.tsx';
import { MessageList } from './list.tsx';
import { MessageDrawer } from './message.tsx';
import { type Place, PlaceContext, pageOf } from './place.ts';
import { SinkError } from './sink-error.tsx';

export function Messages({ place }: { place: Place }) {
  const { id } = useParams({ strict: false }) as { id?: string };
  const search = useSearch({ strict: false }) as MessagesSearch;
  const navigate = useNavigate();
  const { home, name } = place;
  const go = useCallback(
    (more: Partial<MessagesSearch>, open?: string, { replace = false } = {}) =>
      navigate({
        ...pageOf({ home, name }, open),
        search: (known) => ({ ...messagesSearch(known), ...more }),
        resetScroll: false,
        replace,
      }),
    [navigate, home, name],
  );
  const close = (): void => {
    void go({ tab: undefined }, undefined, { replace: true }).then(() => focusBack('message', id));
  };
  const filter = filterOf(search);
  return (
    <PlaceContext value={place}>
      <SinkError place={place} />
      <div className={id && 'max-lg:hidden'}>
        <Filters values={filter} order={search.order} onChange={(more) => void go(more, id)} />
      </div>
      <Beside drawer={id && <MessageDrawer key={id} id={id} tab={search.tab ?? 'data'} onGo={go} onClose={close} />}>
        <ErrorGroups filter={filter} isHidden={search.ungrouped === true} onGo={go} />
        {/* With another filter or order it begins anew: at its top, with nothing chosen. */}
        <MessageList
          key={JSON.stringify([filter, search.order])}
          filter={filter}
          order={search.order}
          openId={id === undefined ? null : Number(id)}
        />
      </Beside>
      <Outlet />
    </PlaceContext>
  );
}

/** Chosen among the groups below. */
const GROUP: Filter = { key: 'group', label: 'Errors', shown: () => 'one group', isFixed: true };

interface FiltersProps {
  values: MessageFilter;
  order: Order;
  onChange: (more: Partial<MessagesSearch>) => void;
}

function Filters({ values, order, onChange }: FiltersProps) {
  const { may } = usePerson();
  const because = may('read:data') ? null : 'Needs the scope read:data: keys and errors may contain data';
  const filters: readonly Filter[] = [
    { key: 'state', label: 'State', choices: STATES.map((value) => ({ value, label: shapeOf(value).word })) },
    { key: 'table', label: 'Table', placeholder: 'public.orders', hint: 'Including its schema' },
    { key: 'key', label: 'Key', hint: 'The whole key. Join the values of several columns with -.', because },
    { key: 'error', label: 'Error contains', hint: 'Upper and lower case are the same', because },
    { key: 'action', label: 'Action', choices: ACTIONS.map((value) => ({ value, label: value })) },
    ...(values.group === undefined ? [] : [GROUP]),
    { key: 'since', label: 'Since', isTime: true },
    { key: 'until', label: 'Until', isTime: true },
  ];
  return (
    <FilterBar filters={filters} values={values} onChange={(key, value) => onChange({ [key]: value })}>
      {Object.keys(values).length > 1 && (
        <Button
          look="quiet"
          onClick={() => onChange(Object.fromEntries(Object.keys(values).map((key) => [key, undefined])))}
        >
          Clear all
        </Button>
      )}
      <Button
        look="quiet"
        className="ml-auto"
        aria-pressed={order !== undefined}
        title={order ? 'Show the oldest first' : 'Show the newest first'}
        onClick={() => onChange({ order: order ? undefined : 'newest' })}
      >
        Newest first
      </Button>
    </FilterBar>
  );
}
