/** The service itself: which release, which processes, and since when nothing was heard of one. */
import type { Schemas } from '../../api/client.ts';
import { useOverview } from '../../api/overview.ts';
import { usePerson } from '../../api/person.ts';
import { useGet } from '../../api/queries.ts';
import { Mono } from '../../parts/code.tsx';
import { State } from '../../parts/icons.tsx';
import { Fact, Facts, Page, Section } from '../../parts/page.tsx';
import { Empty, Loaded } from '../../parts/places.tsx';
import { type Column, Table } from '../../parts/table.tsx';
import { Ago } from '../../parts/time.tsx';

type Process = Schemas['Process'];

export function Service() {
  const query = useOverview();
  const { who } = usePerson();
  return (
    <Page title="Service">
      <Loaded query={query}>
        {({ version, processes }) => (
          <>
            <Section title="This installation">
              <Facts>
                <Fact label="Release">{version}</Fact>
                <Fact label="Address">{location.origin}</Fact>
                <Fact label="You">
                  {who?.user?.email ?? '–'}, with the scope{who?.scopes.length === 1 ? '' : 's'}{' '}
                  <span className="font-mono text-sm">{who?.scopes.join(', ')}</span>
                </Fact>
              </Facts>
            </Section>
            <Settings />
            <Section title="Processes">
              {processes.length === 0 ? (
                <Empty title="No process has reported">Each process reports every ten seconds.</Empty>
              ) : (
                <Table label="Processes" columns={COLUMNS} rows={processes} keyOf={({ id }) => id} />
              )}
            </Section>
          </>
        )}
      </Loaded>
    </Page>
  );
}

/** What the web role that answers was started with. */
function Settings() {
  const { may } = usePerson();
  const query = useGet('/api/settings', {}, { enabled: may('admin') });
  if (!may('admin')) return null;
  return (
    <Section title="Settings">
      <Loaded query={query}>
        {({ data }) => (
          <>
            <Table label="Settings" columns={SETTINGS} rows={data} keyOf={({ name }) => name} />
            <p className="mt-2 text-sm text-muted">
              Those of the web process that answered. They are environment variables, read when a process starts.
            </p>
          </>
        )}
      </Loaded>
    </Section>
  );
}

const SETTINGS: readonly Column<{ name: string; value: string | null }>[] = [
  { key: 'name', heading: 'Variable', cell: ({ name }) => <Mono>{name}</Mono> },
  {
    key: 'value',
    heading: 'Value',
    cell: ({ value }) => (value === null ? <span className="text-muted">not set</span> : <Mono>{value}</Mono>),
  },
];

const COLUMNS: readonly Column<Process>[] = [
  {
    key: 'role',
    heading: 'Role',
    cell: ({ role }) => <span className="font-medium">{role}</span>,
  },
  {
    key: 'state',
    heading: 'State',
    cell: ({ is_present }) => (
      <State state={is_present ? 'ok' : 'unknown'} word={is_present ? 'Running' : 'No report'} />
    ),
  },
  { key: 'host', heading: 'Host', cell: ({ host, pid }) => `${host}, pid ${pid}` },
  { key: 'version', heading: 'Release', cell: ({ version }) => version },
  { key: 'key', heading: 'Secret key', cell: ({ key_id }) => <span className="font-mono text-xs">{key_id}</span> },
  { key: 'started', heading: 'Started', isFigure: true, cell: ({ started_at }) => <Ago at={started_at} /> },
  { key: 'seen', heading: 'Last seen', isFigure: true, cell: ({ seen_at }) => <Ago at={seen_at} /> },
];
