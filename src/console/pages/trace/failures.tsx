/** Deliveries that failed, newest first: kept for a day, whether somebody looked or not. */
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { Schemas } from '../../api/client.ts';
import { useGet } from '../../api/queries.ts';
import { ms } from '../../lib/format.ts';
import { Button } from '../../parts/button.tsx';
import { Section } from '../../parts/page.tsx';
import { Empty, Loaded } from '../../parts/places.tsx';
import { type Column, Table } from '../../parts/table.tsx';
import { At } from '../../parts/time.tsx';

type Attempt = Schemas['Attempt'];

const EVERY_MS = 2_000;
const FIRST = 50;
const MOST = 500;

export function Failures({ sink }: { sink: string }) {
  const [limit, setLimit] = useState(FIRST);
  const query = useGet('/api/sinks/{sink}/attempts', { path: { sink }, query: { limit } }, { every: EVERY_MS });
  return (
    <Section title="Recent failures">
      <Loaded query={query}>
        {({ data, next_cursor }) =>
          data.length === 0 ? (
            <Empty title="No failed deliveries in the last 24 hours">
              Every failed delivery is kept here with the destination's answer, even when nobody was watching.
            </Empty>
          ) : (
            <>
              <Table label="Failed deliveries" columns={columnsOf(sink)} rows={data} keyOf={({ id }) => String(id)} />
              {next_cursor !== null && limit < MOST && (
                <Button look="quiet" onClick={() => setLimit(MOST)}>
                  Older ones
                </Button>
              )}
            </>
          )
        }
      </Loaded>
    </Section>
  );
}

const columnsOf = (sink: string): readonly Column<Attempt>[] => [
  { key: 'at', heading: 'At', cell: ({ at }) => <At at={at} /> },
  {
    key: 'message',
    heading: 'Message',
    cell: ({ message_id }) => (
      <Link
        to="/sinks/$sink/messages/$id"
        params={{ sink, id: String(message_id) }}
        search={{ tab: 'attempts' }}
        className="font-mono text-accent hover:underline"
      >
        {message_id}
      </Link>
    ),
  },
  { key: 'try', heading: 'Try', isFigure: true, cell: ({ attempt }) => attempt },
  { key: 'stage', heading: 'Stage', cell: ({ stage }) => stage },
  { key: 'took', heading: 'Time taken', isFigure: true, cell: ({ took_ms }) => (took_ms === null ? '–' : ms(took_ms)) },
  {
    key: 'answer',
    heading: 'Answer',
    cell: ({ status, type, text }) => (
      <span className="break-all">
        <span className="font-mono">{[status, type].filter((part) => part !== null).join(' ')}</span>{' '}
        <span className="text-muted">{text ?? 'needs read:data'}</span>
      </span>
    ),
  },
];
