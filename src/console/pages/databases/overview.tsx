/** How a database is captured: what stands in the way first, then WAL, the checks, and where capture is. */
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useOverview } from '../../api/overview.ts';
import { useGet } from '../../api/queries.ts';
import { useNow } from '../../lib/clock.ts';
import { Button, buttonLook } from '../../parts/button.tsx';
import { Code, Mono } from '../../parts/code.tsx';
import { State } from '../../parts/icons.tsx';
import { Fact, Facts, Section } from '../../parts/page.tsx';
import { Empty, Loaded } from '../../parts/places.tsx';
import { Remedy } from '../../parts/remedy.tsx';
import { Ago } from '../../parts/time.tsx';
import { isUnderWay } from '../operations/words.ts';
import { type Check, CheckList } from './check-list.tsx';
import { Gap, ResyncDialog } from './gap.tsx';
import { isRecent, ResyncProgress, useLastResync } from './resync-progress.tsx';
import { type Database, useDatabase } from './use-database.ts';
import { Wal } from './wal.tsx';

export function DatabaseOverview() {
  const database = useDatabase();
  const resync = useLastResync(database.name);
  const now = useNow();
  const { state } = database.state;
  return (
    <>
      {state === 'needs_resync' && <Gap database={database} isUnderWay={resync !== null && isUnderWay(resync)} />}
      {state === null && <NotCaptured database={database} />}
      {state === 'unknown' && <NoCapture database={database} />}
      {resync !== null && isRecent(resync, now) && <ResyncProgress operation={resync} />}
      {/* Asked anew at once when the state is another one. Triggers need no slot, and keep no WAL. */}
      {database.capture === 'replication' && <Wal key={`wal ${state}`} database={database} />}
      <Checks key={`checks ${state}`} database={database} />
      <Captured database={database} />
    </>
  );
}

/** Nobody wants its changes yet. */
function NotCaptured({ database: { name } }: { database: Database }) {
  return (
    <div className="mb-6">
      <Empty title="Nothing is captured yet">
        <p>
          Capture starts with the first sink that reads from {name}. The sink says which tables, and where their changes
          go.
        </p>
        <p className="mt-3">
          <Link to="/sinks/new" search={{ database: name }} className={buttonLook('primary')}>
            New sink
          </Link>
        </p>
      </Empty>
    </div>
  );
}

/** No process reports of it: since when, who it was, and what starts one. */
function NoCapture({ database: { state, capture } }: { database: Database }) {
  const { data } = useOverview();
  const seen = data?.processes
    .filter(({ role }) => role === 'capture')
    .toSorted((one, other) => other.seen_at.localeCompare(one.seen_at))[0];
  return (
    <Section title="Capture is not running">
      <div className="rounded-md border border-warn px-4 py-3">
        <State state="unknown" word="No capture process is reporting" />
        {state.reason !== null && <Remedy finding={{ summary: state.reason }} />}
        <p className="text-muted">
          Last report <Ago at={state.since} />
          {seen && (
            <>
              ; capture last ran on <Mono>{seen.host}</Mono>, process <Mono>{seen.pid}</Mono>, seen{' '}
              <Ago at={seen.seen_at} />
            </>
          )}
          .{' '}
          {capture === 'triggers'
            ? 'Triggers keep noting changes in the source in the meantime: nothing is lost.'
            : 'The source keeps its WAL in the meantime: nothing is lost until its limit is reached.'}
        </p>
        <Code name="command" text="bin/millrace start capture" />
        <p className="text-sm text-muted">If it is already running, see its log.</p>
      </div>
    </Section>
  );
}

function Checks({ database }: { database: Database }) {
  const path = { database: database.name };
  const query = useGet('/api/postgres_databases/{database}/checks', { path }, { every: 10_000 });
  // The doctor's answer may be some seconds older than the state: that all was well is not told then.
  const told = (checks: readonly Check[]): readonly Check[] =>
    database.health.status === 'healthy' ? checks : checks.filter(({ status }) => status !== 'ok');
  return (
    <Section
      title="Checks"
      actions={
        <Button busy={query.isFetching} onClick={() => void query.refetch()}>
          Check again
        </Button>
      }
    >
      <Loaded query={query} lines={2}>
        {({ checks }) => (
          <CheckList
            checks={told(checks)}
            nothing={database.health.status === 'healthy' ? 'No problems found.' : 'Checking again…'}
            hostname={database.hostname}
            again={() => void query.refetch()}
            busy={query.isFetching}
          />
        )}
      </Loaded>
    </Section>
  );
}

function Captured({ database }: { database: Database }) {
  const { name, state, capture, replication_slots: slots } = database;
  const [asked, ask] = useState(false);
  return (
    <Section
      title="Capture"
      actions={
        state.state !== null &&
        state.state !== 'needs_resync' && (
          <Button needs="operate" onClick={() => ask(true)}>
            Send all rows again…
          </Button>
        )
      }
    >
      <Facts>
        {capture === 'triggers' ? (
          <Fact label="Changes come from">triggers on the tables</Fact>
        ) : (
          <Fact label="Slot">
            <Mono>{slots[0]?.slot_name}</Mono>
          </Fact>
        )}
        <Fact label="Publication">
          <Mono>{slots[0]?.publication_name}</Mono>
        </Fact>
        <Fact label="State">
          {state.state ?? 'no sink reads from it'}
          {state.since !== null && (
            <>
              {' '}
              (<Ago at={state.since} />)
            </>
          )}
        </Fact>
        <Fact label="Epoch">{state.epoch ?? '–'}</Fact>
        <Fact label="Last commit persisted">
          <Mono>{state.commit_lsn ?? '–'}</Mono>
        </Fact>
        {capture === 'replication' && (
          <Fact label="Confirmed to the source">
            <Mono>{state.confirmed_lsn ?? '–'}</Mono>
          </Fact>
        )}
      </Facts>
      <ResyncDialog database={name} open={asked} onClose={() => ask(false)} force />
    </Section>
  );
}
