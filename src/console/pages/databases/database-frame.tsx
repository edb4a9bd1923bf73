/** The frame of a database's tabs: its name, how it is, how far behind. */
import { Link, Outlet, useParams } from '@tanstack/react-router';
import { useOverview } from '../../api/overview.ts';
import { useGet } from '../../api/queries.ts';
import { lagOf } from '../../lib/pace.ts';
import { Gone } from '../../parts/gone.tsx';
import { State } from '../../parts/icons.tsx';
import { Page, TAB, Tabs } from '../../parts/page.tsx';
import { Known, Loaded } from '../../parts/places.tsx';
import { codeOf, type Database, DatabaseContext, stateOf } from './use-database.ts';

const ABOVE = [{ to: '/databases', label: 'Databases' }];
const TABS = [
  { to: '/databases/$database/overview', label: 'Overview' },
  { to: '/databases/$database/tables', label: 'Tables' },
  { to: '/databases/$database/settings', label: 'Settings' },
] as const;

export function DatabaseFrame() {
  const { database: name } = useParams({ from: '/inside/databases/$database' });
  const query = useGet('/api/postgres_databases/{database}', { path: { database: name } }, { every: 2_000 });
  // Of the database before it, while this one is asked for.
  const database = query.data?.name === name || query.data?.id === name ? query.data : undefined;
  return (
    <Page
      title={database?.name ?? name}
      above={ABOVE}
      beside={
        database && (
          <Known query={query}>
            <Beside database={database} />
          </Known>
        )
      }
      tabs={
        <Tabs label="Pages of this database">
          {TABS.map(({ to, label }) => (
            <Link key={to} to={to} params={{ database: name }} {...TAB}>
              {label}
            </Link>
          ))}
        </Tabs>
      }
    >
      <Gone kind="database" name={name} home="/databases" error={query.error} />
      <Loaded query={{ ...query, data: database }} lines={8}>
        {(known) => (
          <DatabaseContext key={known.id} value={known}>
            <Outlet />
          </DatabaseContext>
        )}
      </Loaded>
    </Page>
  );
}

function Beside({ database }: { database: Database }) {
  const { data } = useOverview();
  const figures = data?.databases.find(({ id }) => id === database.id);
  const judged = { health: database.health.status, state: database.state.state };
  const reasons = database.health.checks.filter(({ error }) => error !== null).map(({ name }) => name);
  return (
    <span className="flex flex-wrap items-center gap-x-4 gap-y-1">
      <State state={stateOf(judged)} code={codeOf(judged, reasons)} />
      <span className="text-sm text-muted">
        {database.database} on {database.hostname}
        {judged.state === 'streaming' && figures?.lag_bytes != null && `, ${lagOf(figures)} behind`}
      </span>
    </span>
  );
}
