/** Who changed what, newest first; what is looked for stands in the address. */
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import type { Schemas } from '../../api/client.ts';
import { JsonText } from '../../api/json-text.ts';
import { usePerson } from '../../api/person.ts';
import { useGet } from '../../api/queries.ts';
import { Button } from '../../parts/button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Field } from '../../parts/field.tsx';
import { Json } from '../../parts/json.tsx';
import { Page } from '../../parts/page.tsx';
import { Empty, Loaded, Note } from '../../parts/places.tsx';
import { type Column, Table } from '../../parts/table.tsx';
import { At } from '../../parts/time.tsx';

type Entry = Schemas['AuditEntry'];

const KEYS = ['actor', 'action', 'subject'] as const;

export function Audit() {
  const search = useSearch({ from: '/inside/audit' });
  const navigate = useNavigate({ from: '/audit' });
  const { may } = usePerson();
  const query = useGet('/api/audit', { query: { ...search, limit: 100 } }, { enabled: may('admin') });
  const [shown, setShown] = useState<Entry | null>(null);
  const look = (change: typeof search): void =>
    void navigate({ search: { ...search, cursor: undefined, ...change }, replace: true });
  if (!may('admin')) {
    return (
      <Page title="Audit log">
        <Note tone="idle">Needs the scope admin.</Note>
      </Page>
    );
  }
  return (
    <Page title="Audit log">
      <search className="mb-4 grid gap-3 sm:flex sm:items-end">
        {KEYS.map((key) => (
          <Field
            key={key}
            label={key[0]!.toUpperCase() + key.slice(1)}
            type="search"
            value={search[key] ?? ''}
            onChange={({ target }) => look({ [key]: target.value === '' ? undefined : target.value })}
          />
        ))}
      </search>
      <Loaded query={query}>
        {({ data, next_cursor }) =>
          data.length === 0 ? (
            <Empty title="No matching entries">
              Every change is recorded here, whether made over HTTP, from the command line, by the configuration file or
              in psql.
            </Empty>
          ) : (
            <>
              <Table label="Changes" columns={columnsOf(setShown)} rows={data} keyOf={({ id }) => String(id)} />
              {next_cursor !== null && (
                <div className="mt-3 flex justify-center">
                  <Button onClick={() => void navigate({ search: { ...search, cursor: next_cursor } })}>
                    Older ones
                  </Button>
                </div>
              )}
            </>
          )
        }
      </Loaded>
      {shown !== null && <Entry entry={shown} onClose={() => setShown(null)} />}
    </Page>
  );
}

const columnsOf = (show: (entry: Entry) => void): readonly Column<Entry>[] => [
  { key: 'at', heading: 'Time', cell: ({ at }) => <At at={at} millis={false} /> },
  { key: 'actor', heading: 'Actor', cell: ({ actor }) => actor },
  { key: 'action', heading: 'Action', cell: ({ action }) => <span className="font-mono text-xs">{action}</span> },
  { key: 'subject', heading: 'Subject', cell: ({ subject }) => subject },
  {
    key: 'more',
    heading: <span className="sr-only">More</span>,
    isFigure: true,
    cell: (entry) => (
      <Button look="quiet" onClick={() => show(entry)}>
        Show<span className="sr-only"> what was changed of {entry.subject}</span>
      </Button>
    ),
  },
];

function Entry({ entry, onClose }: { entry: Entry; onClose: () => void }) {
  const { action, subject, before, after, request_id } = entry;
  return (
    <Dialog title={`${action} ${subject}`} open onClose={onClose}>
      <dl className="space-y-3">
        {[
          { label: 'Before', value: before },
          { label: 'After', value: after },
        ].map(({ label, value }) => (
          <div key={label}>
            <dt className="text-sm font-medium">{label}</dt>
            <dd>
              {value instanceof JsonText ? (
                <Json text={value.text} name={label} file={`audit-${entry.id}-${label.toLowerCase()}.json`} />
              ) : (
                'nothing'
              )}
            </dd>
          </div>
        ))}
      </dl>
      {request_id !== null && <p className="mt-2 text-sm text-muted">request {request_id}</p>}
      <div className="mt-3 flex justify-end">
        <Button onClick={onClose}>Close</Button>
      </div>
    </Dialog>
  );
}
