/** What needs attention, decided from what the message database knows: the doctor's findings, the worst first. */
import { checkDelivery } from '../checks/delivery.ts';
import { checkOperations } from '../checks/operations.ts';
import { aboutDatabase, type Check, checksOf, PROCESSES, worstFirst } from './doctor/check.ts';
import { type KnownOperation, type KnownProcesses, lookAtProcesses } from './doctor/look-at-messages.ts';
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
  /** Null: nobody knows. */
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
  | 'lanes'
  | 'level'
  | 'reasons'
  | 'pending'
  | 'parked'
  | 'error';

/** A sink or a change retention. */
export interface AttentionSink extends Pick<ListedSink, Listed | 'failing_since' | 'notices'> {
  is_retention: boolean;
  /** The database that it writes a table of. */
  into_database: string | null;
}

export interface AttentionFacts extends KnownProcesses {
  databases: readonly ListedDatabase[];
  sinks: readonly AttentionSink[];
  operations: readonly KnownOperation[];
}

/** All of it, the worst first. */
export function attentionOf(facts: AttentionFacts): Attention[] {
  const { databases, sinks, operations } = facts;
  const found: Attention[] = [
    ...checksOf(PROCESSES, lookAtProcesses(facts)).map((check) => ({ ...check, since: null, act: null })),
    ...databases.flatMap((database) =>
      checksOf(aboutDatabase(database.name), sourceFindings(database, undefined)).map((check) => ({
        ...check,
        since: database.state_since?.toISOString() ?? null,
        act: null,
      })),
    ),
    ...sinks.flatMap((sink) => ofSink(sink, operations)),
  ].filter(({ status }) => status !== 'ok' && status !== 'skipped');
  const order = new Map(worstFirst(found).map((check, place) => [check, place]));
  return found.toSorted((one, other) => order.get(one)! - order.get(other)!);
}

function ofSink(sink: AttentionSink, operations: readonly KnownOperation[]): Attention[] {
  const { name, database, into_database } = sink;
  const subject = { kind: 'sink', name } as const;
  const about = { subject, source: database, destination: into_database ?? undefined };
  const failed = operations.filter(({ state, sink: of }) => state === 'failed' && of === name);
  const isFailing = sink.failing_since !== null;
  const delivery = checkDelivery({ ...sink, isFailing }, { notices: new Set(), destination: undefined });
  return [
    ...checksOf(about, checkOperations(failed)).map((check, n) => ({
      ...check,
      since: null,
      act: post(`/api/operations/${failed[n]!.id}/resume`),
    })),
    ...checksOf(about, delivery).map((check) => ({ ...check, since: sinceOf(check, sink), act: actOf(check, sink) })),
  ];
}

const post = (path: string, body: object = {}): Act => ({ method: 'POST', path, body });

function actOf({ id }: Check, { id: sinkId, is_retention }: AttentionSink): Act | null {
  const at = `/api/${is_retention ? 'change_retentions' : 'sinks'}/${sinkId}`;
  if (id === 'paused' || id === 'disabled') return post(`${at}/resume`);
  return id === 'parked' ? post(`${at}/messages/retry`, { filter: {} }) : null;
}

function sinceOf({ id, status }: Check, { notices, failing_since }: AttentionSink): string | null {
  const noticed = notices.find(({ code }) => code === id)?.since;
  if (noticed !== undefined) return new Date(noticed).toISOString();
  return status === 'error' ? (failing_since?.toISOString() ?? null) : null;
}
