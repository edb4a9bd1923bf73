/**
 * What makes the source keep WAL: asked of the source itself, so that it is known while nobody captures too. How long it will
 * last is told from how it grew since this page was opened, else from what capture measured.
 */
import { useRef } from 'react';
import type { Answer } from '../../api/client.ts';
import { useGet } from '../../api/queries.ts';
import { bytes, span } from '../../lib/format.ts';
import { quoteLiteral } from '../../lib/sql.ts';
import { Code, Mono } from '../../parts/code.tsx';
import { State } from '../../parts/icons.tsx';
import { Section } from '../../parts/page.tsx';
import { Loaded, Note } from '../../parts/places.tsx';
import { type Column, Table } from '../../parts/table.tsx';
import { Ago } from '../../parts/time.tsx';
import { settingsOf } from './edited.ts';
import type { Database } from './use-database.ts';
import { WalChart } from './wal-chart.tsx';
import { Gauge } from './wal-gauge.tsx';

type Slots = Answer<'/api/postgres_databases/{database}/slots', 'get'>;
type Slot = Slots['slots'][number];

/** From so much of the limit, or with so little time, it is shown what is to be done. */
const PRESSING = 0.5;
const PRESSING_S = 3_600;

export function Wal({ database }: { database: Database }) {
  const { name, state } = database;
  // Where something is wrong, somebody waits for it to grow less.
  const every = state.state === 'streaming' ? 10_000 : 3_000;
  const query = useGet('/api/postgres_databases/{database}/slots', { path: { database: name } }, { every });
  const { data: metrics, dataUpdatedAt: at } = useGet(
    '/api/postgres_databases/{database}/metrics',
    { path: { database: name }, query: { step: 'minute' } },
    { every: 10_000 },
  );
  const grown = useGrowth(query.data, query.dataUpdatedAt);
  return (
    <Section title="WAL kept by the source">
      <Loaded query={query} lines={3}>
        {(known) => {
          const ours = known.slots.find((slot) => slot.ours) ?? null;
          const seconds = secondsLeft(ours, grown) ?? metrics?.seconds_to_limit ?? null;
          return (
            <>
              {ours === null ? <NoSlot database={database} /> : <Ours {...{ slot: ours, known, grown, seconds }} />}
              {isPressing(ours, known.limit_bytes, seconds) && (
                <Remedies database={database} known={known} ours={ours} />
              )}
              {known.slots.length > 0 && (
                <Table
                  label="Replication slots of this server"
                  columns={COLUMNS}
                  rows={known.slots}
                  keyOf={(one) => one.name}
                />
              )}
              {metrics !== undefined && metrics.points.length > 0 && <WalChart metrics={metrics} at={at} />}
            </>
          );
        }}
      </Loaded>
    </Section>
  );
}

/** Bytes a second, since the first look. */
function useGrowth(data: Slots | undefined, at: number): number | null {
  const first = useRef<{ at: number; kept: number } | null>(null);
  const kept = data?.slots.find((slot) => slot.ours)?.kept_bytes;
  if (kept == null) {
    first.current = null;
    return null;
  }
  // It was let go of: it begins anew.
  if (first.current === null || kept < first.current.kept) first.current = { at, kept };
  const seconds = (at - first.current.at) / 1_000;
  return seconds < 5 ? null : (kept - first.current.kept) / seconds;
}

const secondsLeft = (slot: Slot | null, grown: number | null): number | null =>
  slot?.safe_bytes == null || grown === null || grown <= 0 ? null : slot.safe_bytes / grown;

function isPressing(slot: Slot | null, limit: number | null, seconds: number | null): boolean {
  if (slot === null) return false;
  if (slot.wal_status !== 'reserved' && slot.wal_status !== 'extended') return true;
  if (seconds !== null && seconds < PRESSING_S) return true;
  return limit !== null && slot.kept_bytes !== null && slot.kept_bytes > limit * PRESSING;
}

/** It is missing only where it should be there. */
function NoSlot({ database }: { database: Database }) {
  const { slot } = settingsOf(database);
  const name = <Mono>{slot.name}</Mono>;
  return (
    <p className="mb-3 text-muted">
      {database.state.state !== null || !slot.create_if_not_exists ? (
        <>The replication slot {name} does not exist.</>
      ) : (
        <>The replication slot {name} is created with the first sink. Until then no WAL is kept for Millrace.</>
      )}
    </p>
  );
}

interface OursProps {
  slot: Slot;
  known: Slots;
  grown: number | null;
  seconds: number | null;
}

function Ours({ slot, known, grown, seconds }: OursProps) {
  const { oldest_writer: writer } = known;
  return (
    <div className="mb-3 rounded-md border border-line px-4 py-3">
      <Gauge kept={slot.kept_bytes} limit={known.limit_bytes} wide />
      <p className="mt-1 text-sm text-muted">
        {slot.wal_status === 'lost'
          ? 'The slot is lost: the server has given it up. The state of this database says why.'
          : seconds !== null
            ? `At this rate the slot is lost in ${span(seconds)}.`
            : known.limit_bytes === null
              ? 'No limit is set (max_slot_wal_keep_size): WAL is kept until the disk of the server is full.'
              : 'It is not growing towards its limit.'}
        {grown !== null && grown > 0 && ` It is growing by ${bytes(Math.round(grown))} a second.`}
      </p>
      {writer !== null && writer.since !== null && (
        <p className="text-sm text-muted">
          The oldest writing transaction {writer.prepared === null ? 'started' : 'was prepared'}{' '}
          <Ago at={writer.since} />: {writer.prepared === null ? 'process' : 'prepared transaction'}{' '}
          <Mono>{writer.prepared ?? writer.pid}</Mono>
          {writer.username !== null && (
            <>
              {' '}
              of <Mono>{writer.username}</Mono>
            </>
          )}
          {writer.application ? `, ${writer.application}` : ''}. WAL is kept from its start.
        </p>
      )}
    </div>
  );
}

/** In the order of what it costs. */
function Remedies({ database, known, ours }: { database: Database; known: Slots; ours: Slot | null }) {
  if (ours === null || ours.wal_status === 'lost') return null;
  const idle = ours.active_pid === null || database.state.state !== 'streaming';
  const more = Math.max(1, Math.ceil(((known.limit_bytes ?? 0) * 2) / 1_024 ** 2));
  return (
    <div className="mb-3 space-y-2">
      <Note tone="warn">What you can do, the safest first:</Note>
      <ol className="list-decimal space-y-2 pl-5">
        <li>
          {idle ? (
            <>
              Start capture. It continues where it was, and nothing is lost.
              <Code name="command" text="bin/millrace start capture" />
            </>
          ) : (
            'Capture is reading the slot. If it still grows, end the oldest transaction above: its WAL is then released.'
          )}
        </li>
        {known.limit_bytes !== null && (
          <li>
            Allow more WAL, if the disk of the server has room:
            <Code
              name="SQL that allows more"
              copy="Copy SQL"
              text={`alter system set max_slot_wal_keep_size = '${more}MB';\nselect pg_reload_conf();`}
            />
          </li>
        )}
        <li>
          As a last resort, if the disk is about to fill: drop the slot. This leaves a gap in {database.name}: resync
          afterwards.
          <Code
            name="SQL that drops the slot"
            copy="Copy SQL"
            text={`select pg_drop_replication_slot(${quoteLiteral(ours.name)});`}
          />
        </li>
      </ol>
    </div>
  );
}

const COLUMNS: readonly Column<Slot>[] = [
  {
    key: 'name',
    heading: 'Slot',
    cell: ({ name, ours }) => (
      <>
        <Mono>{name}</Mono>
        {ours && <span className="ml-2 text-muted">ours</span>}
      </>
    ),
  },
  { key: 'database', heading: 'Database', cell: ({ database }) => database ?? 'whole server' },
  {
    key: 'reader',
    heading: 'Read by',
    cell: ({ active_pid: pid, application }) =>
      pid === null ? <span className="text-muted">nobody</span> : `${application || 'process'} ${pid}`,
  },
  {
    key: 'kept',
    heading: 'WAL kept',
    isFigure: true,
    cell: ({ kept_bytes }) => (kept_bytes === null ? '–' : bytes(kept_bytes)),
  },
  {
    key: 'safe',
    heading: 'Left before it is lost',
    isFigure: 'long',
    cell: ({ safe_bytes, wal_status }) =>
      wal_status === 'lost' ? (
        <State state="failed" word="Lost" />
      ) : safe_bytes === null ? (
        'no limit'
      ) : (
        bytes(Math.max(0, safe_bytes))
      ),
  },
];
