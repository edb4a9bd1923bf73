/** Who reads from a pull consumer, what they have, and how to be one of them. */
import { Link } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import type { Schemas } from '../../../api/client.ts';
import { useGet } from '../../../api/queries.ts';
import { useNow } from '../../../lib/clock.ts';
import { plural } from '../../../lib/format.ts';
import { Button } from '../../../parts/button.tsx';
import { Code } from '../../../parts/code.tsx';
import { Section } from '../../../parts/page.tsx';
import { Empty } from '../../../parts/places.tsx';
import { type Column, Table } from '../../../parts/table.tsx';
import { Ago } from '../../../parts/time.tsx';
import { ConsumerToken } from '../../people/consumer-token.tsx';
import type { Sink } from '../use-sink.ts';
import { EXAMPLES } from './examples.ts';

type Reader = NonNullable<Schemas['Sink']['readers']>[number];

const COLUMNS: readonly Column<Reader>[] = [
  { key: 'token', heading: 'Token', cell: ({ token }) => token },
  { key: 'received', heading: 'Received', cell: ({ received_at }) => <Ago at={received_at} /> },
  { key: 'acked', heading: 'Acknowledged', cell: ({ acked_at }) => <Ago at={acked_at} /> },
  { key: 'address', heading: 'From', cell: ({ address }) => <span className="font-mono">{address}</span> },
];

/** Of so many leased messages, the oldest, it is looked whether their lease has run out. */
const OLDEST = 100;

export function Consumer({ sink }: { sink: Sink }) {
  const readers = sink.readers ?? [];
  return (
    <>
      <Section title="Readers">
        {readers.length === 0 ? (
          <Empty title="Nobody has received anything over HTTP yet">
            Clients receive messages and acknowledge them. Try one of the examples below.
          </Empty>
        ) : (
          <Table label="Readers" columns={COLUMNS} rows={readers} keyOf={({ token }) => token} />
        )}
        <Waiting count={sink.waiting_receives ?? 0} />
        <Leases name={sink.name} />
      </Section>
      <Section title="Receive and acknowledge">
        <Examples name={sink.name} />
      </Section>
    </>
  );
}

/** Clients that have asked and get what comes next. */
function Waiting({ count }: { count: number }) {
  if (count === 0) return null;
  return (
    <p className="mt-2 text-sm text-muted tabular-nums">
      {plural(count, 'client is', 'clients are')} waiting for the next message.
    </p>
  );
}

/** What clients have, and what came back from them. */
function Leases({ name }: { name: string }) {
  const path = { sink: name };
  const every = 10_000;
  const count = '/api/sinks/{sink}/messages/count';
  const leased = useGet(count, { path, query: { state: 'leased' } }, { every });
  const retrying = useGet(count, { path, query: { state: 'retrying' } }, { every });
  const now = useNow();
  const oldest = useGet(
    '/api/sinks/{sink}/messages',
    { path, query: { state: 'leased', limit: OLDEST } },
    { every, enabled: (leased.data?.count ?? 0) > 0 },
  );
  const over = oldest.data?.data.filter((one) => one.visible_at !== null && Date.parse(one.visible_at) <= now).length;
  if (leased.data === undefined || retrying.data === undefined) return null;
  return (
    <ul className="mt-2 space-y-1 text-sm text-muted tabular-nums">
      <li>
        <InState name={name} state="leased">
          {plural(leased.data.count, 'message is', 'messages are')} leased
        </InState>{' '}
        to clients right now.
      </li>
      {over !== undefined && over > 0 && (
        <li className="text-warn">
          The lease of {plural(over, 'message')}
          {over === OLDEST && ' or more'} has run out without an acknowledgement: the next receive gets them again.
        </li>
      )}
      {retrying.data.count > 0 && (
        <li>
          <InState name={name} state="retrying">
            {plural(retrying.data.count, 'message')}
          </InState>{' '}
          came back, given back by a client or with a lease that ran out, and will be delivered again.
        </li>
      )}
    </ul>
  );
}

function InState({ name, state, children }: { name: string; state: 'leased' | 'retrying'; children: ReactNode }) {
  return (
    <Link to="/sinks/$sink/messages" params={{ sink: name }} search={{ state }} className="text-accent underline">
      {children}
    </Link>
  );
}

function Examples({ name }: { name: string }) {
  const [shown, setShown] = useState<keyof typeof EXAMPLES>('curl');
  const [isMaking, make] = useState(false);
  const { receive, ack } = EXAMPLES[shown](name, location.origin);
  return (
    <div className="max-w-4xl">
      <div className="flex flex-wrap gap-1">
        {(Object.keys(EXAMPLES) as (keyof typeof EXAMPLES)[]).map((key) => (
          <Button
            key={key}
            look={key === shown ? 'plain' : 'quiet'}
            aria-pressed={key === shown}
            onClick={() => setShown(key)}
          >
            {key}
          </Button>
        ))}
      </div>
      <Code text={receive} name={shown} />
      {ack !== undefined && (
        <>
          <p className="text-sm">
            Then acknowledge what you have handled, by the <code className="font-mono">ack_id</code> of each message;
            otherwise it comes again:
          </p>
          <Code text={ack} name={`${shown} that acknowledges`} copy={`Copy ${shown}`} />
        </>
      )}
      {shown !== 'SQL' && (
        <p className="flex flex-wrap items-center gap-x-3 gap-y-1 text-sm text-muted">
          <span>
            It needs a token with the scope <code className="font-mono">consume:{name}</code> in{' '}
            <code className="font-mono">MILLRACE_TOKEN</code>.
          </span>
          <Button needs="admin" onClick={() => make(true)}>
            Create a token…
          </Button>
        </p>
      )}
      <ConsumerToken
        title="Create a token"
        consumer={name}
        open={isMaking}
        onClose={() => make(false)}
        name="command"
        text={(token) => `export MILLRACE_TOKEN='${token}'`}
      >
        <p>Run it in your terminal. The examples on this page then work as they are.</p>
      </ConsumerToken>
    </div>
  );
}
