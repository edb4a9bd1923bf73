/** The frame of a sink's tabs: its name, how it is, and what one does to it in a hurry. */
import { Link, Outlet, useParams } from '@tanstack/react-router';
import { useOverview } from '../../api/overview.ts';
import { useGet } from '../../api/queries.ts';
import { count, plural, rate } from '../../lib/format.ts';
import { Gone } from '../../parts/gone.tsx';
import { Badge, State } from '../../parts/icons.tsx';
import { Page, TAB, Tabs } from '../../parts/page.tsx';
import { Known, Loaded } from '../../parts/places.tsx';
import { PauseButton } from './pause-button.tsx';
import { SinkState } from './sink-state.tsx';
import { SINK_TABS } from './tabs.ts';
import { judged, type Sink, SinkContext } from './use-sink.ts';

const ABOVE = [{ to: '/sinks', label: 'Sinks' }];

export function SinkFrame() {
  const { sink: name } = useParams({ from: '/inside/sinks/$sink' });
  const query = useGet('/api/sinks/{sink}', { path: { sink: name } }, { every: 2_000 });
  // Of the sink before it, while this one is asked for.
  const sink = query.data?.name === name || query.data?.id === name ? query.data : undefined;
  return (
    <Page
      title={sink?.name ?? name}
      above={ABOVE}
      beside={
        sink && (
          <Known query={query}>
            <Beside sink={sink} />
          </Known>
        )
      }
      actions={sink && <PauseButton sink={sink} />}
      tabs={
        <Tabs label="Pages of this sink">
          {SINK_TABS.map(({ to, label }) => (
            <Link key={to} to={to} params={{ sink: name }} {...TAB}>
              {label}
              {label === 'Messages' && sink && sink.state.parked > 0 && (
                <Badge tone="danger">{count(sink.state.parked)}</Badge>
              )}
            </Link>
          ))}
        </Tabs>
      }
    >
      <Gone kind="sink" name={name} home="/sinks" error={query.error} />
      <Loaded query={{ ...query, data: sink }} lines={8}>
        {(known) => (
          <SinkContext key={known.id} value={known}>
            <Outlet />
          </SinkContext>
        )}
      </Loaded>
    </Page>
  );
}

function Beside({ sink }: { sink: Sink }) {
  const { data } = useOverview();
  const figures = data?.sinks.find(({ id }) => id === sink.id);
  return (
    <span className="flex flex-wrap items-center gap-x-4 gap-y-1">
      <SinkState sink={judged(sink)} />
      {sink.state.parked > 0 && <State state="parked" word={`${count(sink.state.parked)} parked`} />}
      <span className="text-sm text-muted tabular-nums">
        {sink.state.pending_is_estimate && 'about '}
        {sink.state.pending === 0 ? 'nothing pending' : `${plural(sink.state.pending, 'message')} pending`}
        {figures && figures.per_second.delivered > 0 && `, ${rate(figures.per_second.delivered)}`}
      </span>
    </span>
  );
}
