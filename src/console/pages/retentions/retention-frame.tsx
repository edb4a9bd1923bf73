/** The frame of a change retention's tabs: its name, how it is, and what one does to it in a hurry. */
import { Link, Outlet, useParams } from '@tanstack/react-router';
import { useGet } from '../../api/queries.ts';
import { RETENTION_PATHS, SinkPathsContext } from '../../api/sink-paths.ts';
import { count, plural } from '../../lib/format.ts';
import { Gone } from '../../parts/gone.tsx';
import { Badge, State } from '../../parts/icons.tsx';
import { Page, TAB, Tabs } from '../../parts/page.tsx';
import { Known, Loaded } from '../../parts/places.tsx';
import { PauseButton } from '../sinks/pause-button.tsx';
import { SinkState } from '../sinks/sink-state.tsx';
import { judged } from '../sinks/use-sink.ts';
import { type Retention, RetentionContext } from './use-retention.ts';

const ABOVE = [{ to: '/change-retentions', label: 'Change retentions' }];

const TABS: readonly { to: string; label: string }[] = [
  { to: '/change-retentions/$retention/overview', label: 'Overview' },
  { to: '/change-retentions/$retention/entries', label: 'Entries' },
  { to: '/change-retentions/$retention/messages', label: 'Messages' },
  { to: '/change-retentions/$retention/replay', label: 'Replay' },
  { to: '/change-retentions/$retention/settings', label: 'Settings' },
];

export function RetentionFrame() {
  const { retention: name } = useParams({ from: '/inside/change-retentions/$retention' });
  const query = useGet('/api/change_retentions/{sink}', { path: { sink: name } }, { every: 2_000 });
  // Of the one before it, while this one is asked for.
  const retention = query.data?.name === name || query.data?.id === name ? query.data : undefined;
  return (
    <SinkPathsContext value={RETENTION_PATHS}>
      <Page
        title={retention?.name ?? name}
        above={ABOVE}
        beside={
          retention && (
            <Known query={query}>
              <Beside retention={retention} />
            </Known>
          )
        }
        actions={retention && <PauseButton sink={retention} />}
        tabs={
          <Tabs label="Pages of this change retention">
            {TABS.map(({ to, label }) => (
              <Link key={to} to={to} params={{ retention: name }} {...TAB}>
                {label}
                {label === 'Messages' && retention && retention.state.parked > 0 && (
                  <Badge tone="danger">{count(retention.state.parked)}</Badge>
                )}
              </Link>
            ))}
          </Tabs>
        }
      >
        <Gone kind="change_retention" name={name} home="/change-retentions" error={query.error} />
        <Loaded query={{ ...query, data: retention }} lines={8}>
          {(known) => (
            <RetentionContext key={known.id} value={known}>
              <Outlet />
            </RetentionContext>
          )}
        </Loaded>
      </Page>
    </SinkPathsContext>
  );
}

function Beside({ retention }: { retention: Retention }) {
  const { pending, pending_is_estimate, parked } = retention.state;
  return (
    <span className="flex flex-wrap items-center gap-x-4 gap-y-1">
      <SinkState sink={judged(retention)} />
      {parked > 0 && <State state="parked" word={`${count(parked)} parked`} />}
      <span className="text-sm text-muted tabular-nums">
        {pending_is_estimate && 'about '}
        {pending === 0 ? 'nothing pending' : `${plural(pending, 'entry', 'entries')} pending`}
      </span>
    </span>
  );
}
