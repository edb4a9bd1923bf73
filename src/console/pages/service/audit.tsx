/** Who changed what, newest first; what is looked for stands in the address. */
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import type { Schemas } from '../../api/client.ts';
import { JsonText } from '../../api/json-text.ts';
import { usePerson } from '../../api/person.ts';
import { useGet } from '../../api/queries.ts';
import { Button } from '../../parts/button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { type Filter, FilterBar } from '../../parts/filter-bar.tsx';
import { Json } from '../../parts/json.tsx';
import { Page } from '../../parts/page.tsx';
import { Pager } from '../../parts/pager.tsx';
import { Empty, Loaded, Note } from '../../parts/places.tsx';
import { type Column, Table } from '../../parts/table.tsx';
import { At } from '../../parts/time.tsx';

type Entry = Schemas['AuditEntry'];

const FILTERS: readonly Filter[] = [
  { key: 'actor', label: 'Actor', placeholder: 'user ann@example.org', hint: 'A kind, or a kind and a name' },
  { key: 'action', label: 'Action', placeholder: 'pause' },
  { key: 'subject', label: 'Subject', placeholder: 'sink products-index', hint: 'A kind, or a kind and a name' },
  { key: 'since', label: 'Since', isTime: true },
  { key: 'until', label: 'Until', isTime: true },
];

export function Audit() {
  const search = useSearch({ from: '/inside/audit' });
  const navigate = useNavigate({ from: '/audit' });
  const { may } = usePerson();
  const query = useGet('/api/audit', { query: { ...search, limit: 100 } }, { every: 10_000, enabled: may('admin') });
  const [shown, setShown] = useState<Entry | null>(null);
  const look = (change: typeof search): void =>
    void navigate({ search: { ...search, cursor: undefined, ...change }, resetScroll: false });
  if (!may('admin')) {
    return (
      <Page title="Audit log">
        <Note tone="idle">Needs the scope admin.</Note>
      </Page>
    );
  }
  return (
    <Page title="Audit log">
      <FilterBar filters={FILTERS} values={search} onChange={(key, value) => look({ [key]: value })} />
      <Loaded query={query}>
        {({ data, next_cursor }) => (
          <>
            {data.length > 0 ? (
              <Table label="Changes" columns={columnsOf(setShown)} rows={data} keyOf={({ id }) => String(id)} />
            ) : next_cursor === null ? (
              <Empty title="No matching entries">
                Every change is recorded here, whether made over HTTP, from the command line, by the configuration file
                or in psql.
              </Empty>
            ) : (
              <Empty title="No matching entries yet">Older entries have not been searched.</Empty>
            )}
            <Pager next={next_cursor} cursor={search.cursor} onGo={(cursor) => look({ cursor })} />
          </>
        )}
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
