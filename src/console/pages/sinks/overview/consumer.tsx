/** Who reads from a pull consumer, what they have, and how to be one of them. */
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { Schemas } from '../../../api/client.ts';
import { useGet } from '../../../api/queries.ts';
import { plural } from '../../../lib/format.ts';
import { Button } from '../../../parts/button.tsx';
import { Code } from '../../../parts/code.tsx';
import { Section } from '../../../parts/page.tsx';
import { Empty } from '../../../parts/places.tsx';
import { type Column, Table } from '../../../parts/table.tsx';
import { Ago } from '../../../parts/time.tsx';
import type { Sink } from '../use-sink.ts';
import { EXAMPLES } from './examples.ts';

type Reader = NonNullable<Schemas['Sink']['readers']>[number];

const COLUMNS: readonly Column<Reader>[] = [
  { key: 'token', heading: 'Token', cell: ({ token }) => token },
  { key: 'received', heading: 'Received', cell: ({ received_at }) => <Ago at={received_at} /> },
  { key: 'acked', heading: 'Acknowledged', cell: ({ acked_at }) => <Ago at={acked_at} /> },
  { key: 'address', heading: 'From', cell: ({ address }) => <span className="font-mono">{address}</span> },
];

export function Consumer({ sink }: { sink: Sink }) {
  const readers = sink.readers ?? [];
  const leased = useGet(
    '/api/sinks/{sink}/messages/count',
    { path: { sink: sink.name }, query: { state: 'leased' } },
    { every: 10_000 },
  );
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
        {leased.data && (
          <p className="mt-2 text-sm text-muted tabular-nums">
            {plural(leased.data.count, 'message is', 'messages are')} leased to clients right now.
          </p>
        )}
      </Section>
      <Section title="Receive and acknowledge">
        <Examples name={sink.name} />
      </Section>
    </>
  );
}

function Examples({ name }: { name: string }) {
  const [shown, setShown] = useState<keyof typeof EXAMPLES>('curl');
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
      <Code text={EXAMPLES[shown](name, location.origin)} name={shown} />
      {shown !== 'SQL' && (
        <p className="text-sm text-muted">
          It needs a token with the scope <code className="font-mono">consume:{name}</code> in{' '}
          <code className="font-mono">MILLRACE_TOKEN</code>:{' '}
          <Link to="/tokens" className="text-accent underline">
            make one
          </Link>
          .
        </p>
      )}
    </div>
  );
}
