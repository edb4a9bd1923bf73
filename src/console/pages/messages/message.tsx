/** One message: its error unchanged, its row, what the functions make of it now, its tries, and what waits behind it. */
import { useState } from 'react';
import { JsonText, parseKeeping } from '../../api/json-text.ts';
import { usePerson } from '../../api/person.ts';
import { useGet } from '../../api/queries.ts';
import { bytes } from '../../lib/format.ts';
import { Button } from '../../parts/button.tsx';
import { CopyButton } from '../../parts/code.tsx';
import { Drawer } from '../../parts/drawer.tsx';
import { BACKGROUNDS, Badge } from '../../parts/icons.tsx';
import { Json } from '../../parts/json.tsx';
import { ErrorNote, Loaded, Note, Skeleton, useReason } from '../../parts/places.tsx';
import { Ago, At } from '../../parts/time.tsx';
import { Attempts } from './attempts.tsx';
import { hasFailed, keyText, MessageState } from './columns.tsx';
import type { MessagesSearch } from './filter.ts';
import { type Message, usePlace } from './place.ts';
import { SameRow } from './same-row.tsx';
import { Settle, type Verb } from './settle.tsx';
import { Shaped } from './shaped.tsx';
import { ErrorText } from './sink-error.tsx';

export type Tab = NonNullable<MessagesSearch['tab']>;

interface DrawerProps {
  id: string;
  tab: Tab;
  onGo: (more: Partial<MessagesSearch>, open?: string) => unknown;
  onClose: () => void;
}

export function MessageDrawer({ id, tab, onGo, onClose }: DrawerProps) {
  const { paths, name } = usePlace();
  const [verb, setVerb] = useState<Verb | null>(null);
  const query = useGet(paths.one, { path: { sink: name, id } }, { every: 2_000 });
  const { data: message } = query;
  const error = useReason(query);
  const isGone = error?.status === 404;
  const off = isGone
    ? 'Already delivered or discarded'
    : message && !hasFailed(message)
      ? 'This message has not failed and is delivered automatically'
      : null;
  const noRetry =
    off ?? (message && message.state !== 'parked' ? 'Only a parked message can be retried by hand' : null);
  return (
    <Drawer
      title={
        message ? (
          <>
            <bdi>
              {message.table_schema}.{message.table_name}
            </bdi>{' '}
            <bdi>{keyText(message)}</bdi>, {message.action}
          </>
        ) : (
          `Message ${id}`
        )
      }
      subject={id}
      onClose={onClose}
      actions={
        <>
          <Button needs="operate" because={noRetry} onClick={() => setVerb('retry')}>
            Retry
          </Button>
          <Button needs="operate" because={off} onClick={() => setVerb('discard')}>
            Discard…
          </Button>
        </>
      }
    >
      {isGone ? (
        <Gone />
      ) : error && message === undefined ? (
        <ErrorNote error={error} again={query.refetch} />
      ) : (
        message === undefined && <Skeleton lines={6} />
      )}
      {message && <Known message={message} />}
      <Tabs id={id} tab={tab} message={message} isGone={isGone} onGo={onGo} />
      {verb && <Settle wish={{ verb, ids: [Number(id)] }} onClose={() => setVerb(null)} />}
    </Drawer>
  );
}

const Gone = () => (
  <Note tone="idle" live>
    This message has been delivered or discarded. What was last known of it is below.
  </Note>
);

function Known({ message }: { message: Message }) {
  const { state, stage, error, size, committed_at, parked_at } = message;
  return (
    <>
      <div className="flex flex-wrap items-center gap-x-4 gap-y-1 text-sm">
        <MessageState message={message} />
        {stage !== null && <span className="text-muted">while being {STAGES[stage] ?? stage}</span>}
        {parked_at !== null && state === 'parked' && (
          <span className="text-muted">
            parked <Ago at={parked_at} />
          </span>
        )}
      </div>
      {error != null && (
        <section aria-label="Error" className={`rounded-md px-3 py-2 ${BACKGROUNDS.danger}`}>
          <div className="flex flex-wrap items-center gap-2">
            <span className="mr-auto font-mono text-sm font-medium break-words">
              {[error.status, error.type].filter((part) => part !== null).join(' ') || 'Error'}
            </span>
            <CopyButton text={error.text} look="quiet" label="Copy error" />
          </div>
          <ErrorText text={error.text} />
        </section>
      )}
      <p className="text-sm text-muted">
        Committed <At at={committed_at} />, {bytes(size)}, id <span className="font-mono">{message.id}</span>
      </p>
    </>
  );
}

const STAGES: Record<string, string> = {
  capture: 'captured',
  shape: 'shaped by the functions',
  send: 'sent',
  index: 'sent to its index',
  settle: 'settled',
  deliver: 'delivered',
};

const NAMES: Record<Tab, string> = { data: 'Data', document: 'Document', attempts: 'Attempts', group: 'Same row' };

interface TabsProps {
  id: string;
  tab: Tab;
  message: Message | undefined;
  isGone: boolean;
  onGo: DrawerProps['onGo'];
}

function Tabs({ id, tab, message, isGone, onGo }: TabsProps) {
  const { paths, name } = usePlace();
  const tries = useGet(paths.attempts, { path: { sink: name, id } }, { every: 2_000 });
  const marked = /field \[([^\]]+)\]/.exec(message?.error?.text ?? '')?.[1] ?? null;
  return (
    <>
      <div
        role="tablist"
        aria-label="Parts of this message"
        className="flex gap-1 overflow-x-auto border-b border-line"
      >
        {(Object.keys(NAMES) as Tab[]).map((one) => (
          <button
            key={one}
            type="button"
            role="tab"
            id={`tab-${one}`}
            aria-selected={one === tab}
            aria-controls="tab-content"
            onClick={() => onGo({ tab: one === 'data' ? undefined : one }, id)}
            className="inline-flex items-center gap-1.5 border-b-2 border-transparent px-3 py-1.5 text-sm font-medium whitespace-nowrap text-muted hover:text-text aria-selected:border-accent aria-selected:text-text"
          >
            {NAMES[one]}
            {one === 'attempts' && (tries.data?.data.length ?? 0) > 0 && <Badge>{tries.data!.data.length}</Badge>}
          </button>
        ))}
      </div>
      <div role="tabpanel" id="tab-content" aria-labelledby={`tab-${tab}`}>
        {tab === 'data' && <Data id={id} marked={marked} />}
        {tab === 'document' && <Document id={id} marked={marked} isGone={isGone} />}
        {tab === 'attempts' && <Loaded query={tries}>{({ data }) => <Attempts attempts={data} />}</Loaded>}
        {tab === 'group' && message && <SameRow message={message} />}
      </div>
    </>
  );
}

const NEEDS_DATA = <Note tone="idle">Seeing rows and documents needs the scope read:data.</Note>;

function Data({ id, marked }: { id: string; marked: string | null }) {
  const { paths, name } = usePlace();
  const { may } = usePerson();
  const query = useGet(
    paths.one,
    { path: { sink: name, id }, query: { include: 'message' } },
    { enabled: may('read:data') },
  );
  if (!may('read:data')) return NEEDS_DATA;
  if (query.error?.status === 404 && query.data === undefined)
    return <p className="text-muted">The row is no longer available.</p>;
  return (
    <Loaded query={query}>
      {({ message }) =>
        message instanceof JsonText && (
          <Json text={message.text} name="Message" file={`message-${id}.json`} marked={marked} />
        )
      }
    </Loaded>
  );
}

/** Of the answer's `shaped`: the document itself. */
const RESULT = new Set(['result']);

function Document({ id, marked, isGone }: { id: string; marked: string | null; isGone: boolean }) {
  const { paths, name } = usePlace();
  const { may } = usePerson();
  const query = useGet(
    paths.one,
    { path: { sink: name, id }, query: { include: 'shaped' } },
    { enabled: may('read:data') && !isGone },
  );
  if (!may('read:data')) return NEEDS_DATA;
  if (isGone && query.data === undefined) return <p className="text-muted">The row is no longer available.</p>;
  return (
    <Loaded query={query}>
      {({ shaped }) => (
        <Shaped
          made={
            shaped instanceof JsonText ? (parseKeeping(shaped.text, RESULT) as Message['shaped']) : (shaped as null)
          }
          id={id}
          marked={marked}
        />
      )}
    </Loaded>
  );
}
