/** What needs attention, decided from what the message database knows: the doctor's findings, the worst first. */
import type { ConsumerFacts } from '../checks/consumer.ts';
import { checkDelivery } from '../checks/delivery.ts';
import type { Finding } from '../checks/finding.ts';
import { isPresent, type SeenProcess } from '../messages/processes.ts';
import { aboutDatabase, type Check, checksOf, MESSAGES, PROCESSES, worstFirst } from './doctor/check.ts';
import { deliveryFactsOf } from './doctor/delivery-facts.ts';
import {
  consumerFindings,
  type KnownOperation,
  type KnownProcesses,
  lookAtProcesses,
  operationFindings,
} from './doctor/look-at-messages.ts';
import { sourceFindings } from './doctor/source-findings.ts';
import type { ListedDatabase } from './list-databases.ts';
import type { ListedSink } from './list-sinks.ts';

/** A management route that does something about it. */
export interface Act {
  method: 'POST';
  path: string;
  body: object;
}

export interface Attention extends Check {
  /** When it began; null: nobody knows. */
  since: string | null;
  /** Null: no route does. */
  act: Act | null;
}

type Listed =
  | 'id'
  | 'name'
  | 'kind'
  | 'database'
  | 'status'
  | 'status_reason'
  | 'lanes'
  | 'level'
  | 'reasons'
  | 'pending'
  | 'parked'
  | 'faulty'
  | 'oldest_seconds'
  | 'error';

/** A sink or a change retention. */
export interface AttentionSink extends Pick<ListedSink, Listed | 'failing_since' | 'notices'> {
  is_retention: boolean;
  /** The database that it writes a table of. */
  into_database: string | null;
  /** When somebody paused or disabled it; null: nobody did, or it was changed since. */
  status_since: Date | null;
  /** When the first of its parked messages was. */
  parked_since: Date | null;
  /** Its first message waits since then; null: it is not behind. */
  waiting_since: Date | null;
  /** Since then there is work in a lane that nobody has. */
  untaken_since: Date | null;
}

export interface AttentionFacts extends KnownProcesses {
  databases: readonly ListedDatabase[];
  sinks: readonly AttentionSink[];
  operations: readonly KnownOperation[];
  /** When a worker reported last. */
  workerSeenAt: Date | null;
  consumers: readonly ConsumerFacts[];
  /** Of the message database. */
  messages: readonly Finding[];
}

/** All of it, the worst first. */
export function attentionOf(facts: AttentionFacts): Attention[] {
  const { databases, sinks, operations } = facts;
  const found: Attention[] = [
    ...checksOf(MESSAGES, facts.messages).map((check) => ({ ...check, since: null, act: null })),
    ...checksOf(PROCESSES, lookAtProcesses(facts)).map((check) => ({
      ...{ ...check, since: shown(sinceOfProcesses(check, facts)), act: null },
    })),
    ...databases.flatMap((database) => ofDatabase(database, operations)),
    ...sinks.flatMap((sink) => ofSink(sink, facts)),
  ].filter(asksForSomebody);
  const order = new Map(worstFirst(found).map((check, place) => [check, place]));
  return found.toSorted((one, other) => order.get(one)! - order.get(other)!);
}

/** Other notices are good to know: most sinks have some, and then nothing would ever be well. */
const NOTICES = new Set(['paused', 'disabled']);

const asksForSomebody = ({ id, status }: Check): boolean =>
  status === 'error' || status === 'warning' || (status === 'notice' && NOTICES.has(id));

const shown = (at: Date | null): string | null => at?.toISOString() ?? null;

function ofDatabase(database: ListedDatabase, operations: readonly KnownOperation[]): Attention[] {
  const { id, name, state, level } = database;
  const about = aboutDatabase(name);
  const resync = state === 'needs_resync' ? post(`/api/postgres_databases/${id}/resyncs`) : null;
  // A warning is no state of its own: nobody wrote down when it began.
  const since = level === 'warning' ? null : shown(database.state_since);
  return [
    ...checksOf(about, operationFindings(operations, { database: name })).map(ofOperation(operations)),
    ...checksOf(about, sourceFindings(database, undefined)).map((check) => ({ ...check, since, act: resync })),
  ];
}

function ofSink(sink: AttentionSink, { operations, consumers }: AttentionFacts): Attention[] {
  const { name, database, into_database } = sink;
  const subject = { kind: 'sink', name } as const;
  const about = { subject, source: database, destination: into_database ?? undefined };
  const delivery = checkDelivery(deliveryFactsOf(sink), { notices: new Set(), destination: undefined });
  // One of each table, of which there may be thousands.
  const noticed = new Map(sink.notices.map(({ code, table, since }) => [noticeKey(code, table), since]));
  return [
    ...checksOf(about, operationFindings(operations, { sink: name })).map(ofOperation(operations)),
    ...checksOf(about, [...consumerFindings(consumers, name), ...delivery]).map((check) => ({
      ...{ ...check, since: sinceOf(check, sink, noticed), act: actOf(check, sink) },
    })),
  ];
}

const ofOperation =
  (operations: readonly KnownOperation[]) =>
  (check: Check): Attention => ({
    ...check,
    since: shown(operations.find(({ id }) => id === check.item)?.ended_at ?? null),
    act: check.id === 'failed' ? post(`/api/operations/${check.item}/resume`) : null,
  });

const HALTED = new Set(['paused', 'paused_long', 'disabled']);

const post = (path: string, body: object = {}): Act => ({ method: 'POST', path, body });

/** As a route takes it that reads names as SQL does. */
const PLAIN_TABLE = /^[a-z_][a-z0-9_]*\.[a-z_][a-z0-9_]*$/;

function actOf({ id, item, command }: Check, sink: AttentionSink): Act | null {
  const { id: sinkId, is_retention, failing_since, reasons } = sink;
  const at = `/api/${is_retention ? 'change_retentions' : 'sinks'}/${sinkId}`;
  if (HALTED.has(id)) return post(`${at}/resume`);
  if (id === 'parked') return post(`${at}/messages/retry`, { filter: {} });
  if (failing_since !== null && id === reasons[0]) return post(`${at}/probe`);
  if (is_retention || command === null) return null;
  if (command.startsWith('bin/millrace verify ')) return post(`${at}/verifications`, { repair: true });
  const isBackfill = command.startsWith('bin/millrace backfill ') && PLAIN_TABLE.test(item ?? '');
  return isBackfill ? post(`${at}/backfills`, { table: item }) : null;
}

const noticeKey = (code: string, table: string | null): string => `${code} ${table ?? ''}`;

function sinceOf(
  { id, status, item }: Check,
  sink: AttentionSink,
  noticed: ReadonlyMap<string, string>,
): string | null {
  const since = noticed.get(noticeKey(id, item));
  if (since !== undefined) return new Date(since).toISOString();
  if (HALTED.has(id)) return shown(sink.status_since);
  if (id === 'parked') return shown(sink.parked_since);
  if (id === 'behind' || id === 'nobody_receives') return shown(sink.waiting_since);
  if (id === 'not_worked_on') return shown(sink.untaken_since);
  return status === 'error' ? shown(sink.failing_since) : null;
}

function sinceOfProcesses({ id }: Check, facts: AttentionFacts): Date | null {
  if (id === 'no_worker') return facts.workerSeenAt;
  if (id === 'no_capture') {
    const uncaptured = facts.databases.filter(({ reasons }) => reasons.includes('no_capture'));
    return firstOf(uncaptured.map(({ state_since }) => state_since));
  }
  if (id === 'no_web')
    return lastOf(facts.processes.filter(({ role }) => role === 'web').map(({ seen_at }) => seen_at));
  const present = facts.processes.filter(isPresent);
  if (id === 'versions_differ') return sinceTheyDiffer(present, ({ version }) => version);
  return id === 'key_differs' ? sinceTheyDiffer(present, ({ key_id }) => key_id) : null;
}

/** When the first of the youngest sort began. */
function sinceTheyDiffer(processes: readonly SeenProcess[], sort: (one: SeenProcess) => string): Date | null {
  const groups = [...Map.groupBy(processes, sort).values()];
  return lastOf(groups.map((group) => firstOf(group.map(({ started_at }) => started_at))));
}

const inOrder = (times: readonly (Date | null)[]): Date[] =>
  times.filter((at) => at !== null).toSorted((one, other) => one.getTime() - other.getTime());
const firstOf = (times: readonly (Date | null)[]): Date | null => inOrder(times)[0] ?? null;
const lastOf = (times: readonly (Date | null)[]): Date | null => inOrder(times).at(-1) ?? null;
