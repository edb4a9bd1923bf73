/** A message in a line, or on a card. */
import { Link } from '@tanstack/react-router';
import { useNow } from '../../lib/clock.ts';
import { span } from '../../lib/format.ts';
import type { ListColumn } from '../../parts/data-list.tsx';
import { State } from '../../parts/icons.tsx';
import { At } from '../../parts/time.tsx';
import { messagesSearch } from './filter.ts';
import { type Message, pageOf, usePlace } from './place.ts';

export interface Choosing {
  chosen: ReadonlySet<number>;
  choose: (id: number, on: boolean) => void;
}

/** Those that one can try again, or give up. */
export const hasFailed = ({ state }: Message): boolean => state !== 'waiting' && state !== 'leased';

/** What is behind the state: the try, and when the next one is. */
export function MessageState({ message: { state, attempts, visible_at } }: { message: Message }) {
  const now = useNow();
  const left = visible_at === null ? 0 : (new Date(visible_at).getTime() - now) / 1_000;
  const next = left > 0 && (state === 'retrying' || state === 'leased') ? ` ${span(Math.ceil(left))}` : '';
  return (
    <span className="flex items-center gap-2 whitespace-nowrap">
      <State state={state} />
      {(attempts > 0 || next !== '') && (
        <span className="text-muted tabular-nums">
          {attempts > 0 && `try ${attempts}`}
          {next !== '' && (state === 'leased' ? `, for${next}` : `, next in${next}`)}
        </span>
      )}
    </span>
  );
}

export const keyText = ({ record_pk, id }: Message): string => record_pk ?? `message ${id}`;

function KeyLink({ message }: { message: Message }) {
  const place = usePlace();
  return (
    <Link
      {...pageOf(place, String(message.id))}
      search={(known) => messagesSearch(known)}
      resetScroll={false}
      id={`message-${message.id}`}
      className="font-mono text-accent hover:underline"
    >
      {keyText(message)}
    </Link>
  );
}

function ChooseBox({ message, choosing }: { message: Message; choosing: Choosing }) {
  const canBe = hasFailed(message);
  return (
    <input
      type="checkbox"
      aria-label={`Select ${keyText(message)}`}
      checked={choosing.chosen.has(message.id)}
      disabled={!canBe}
      title={canBe ? undefined : 'This message has not failed and is delivered automatically'}
      onChange={(event) => choosing.choose(message.id, event.target.checked)}
      className="block size-4 shrink-0 accent-accent"
    />
  );
}

const errorText = ({ error }: Message): string => (error == null ? '' : error.text);

export const messageColumns = (choosing: Choosing): readonly ListColumn<Message>[] => [
  {
    key: 'choose',
    heading: <span className="sr-only">Selected</span>,
    width: '1rem',
    cell: (message) => <ChooseBox message={message} choosing={choosing} />,
  },
  { key: 'state', heading: 'State', width: '12rem', cell: (message) => <MessageState message={message} /> },
  {
    key: 'table',
    heading: 'Table',
    width: 'minmax(6rem,9rem)',
    cell: ({ table_schema, table_name }) => `${table_schema}.${table_name}`,
  },
  { key: 'key', heading: 'Key', width: 'minmax(5rem,8rem)', cell: (message) => <KeyLink message={message} /> },
  { key: 'action', heading: 'Action', width: '4rem', cell: ({ action }) => action },
  {
    key: 'error',
    heading: 'Error',
    width: 'minmax(0,1fr)',
    cell: (message) => (
      <span className="text-muted" title={errorText(message)}>
        {errorText(message)}
      </span>
    ),
  },
  {
    key: 'at',
    heading: 'Committed',
    width: '9.5rem',
    isFigure: true,
    cell: ({ committed_at }) => <At at={committed_at} millis={false} />,
  },
];

export const messageCard = (choosing: Choosing) => (message: Message) => (
  <div className="space-y-0.5">
    <div className="flex flex-wrap items-center gap-x-3">
      <ChooseBox message={message} choosing={choosing} />
      <MessageState message={message} />
      <KeyLink message={message} />
      <span className="ml-auto text-muted">
        <At at={message.committed_at} millis={false} />
      </span>
    </div>
    <p className="truncate text-muted">
      <bdi>
        {message.table_schema}.{message.table_name}
      </bdi>
      , {message.action}
      {errorText(message) !== '' && <>: {errorText(message)}</>}
    </p>
  </div>
);
