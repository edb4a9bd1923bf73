/** The message database as a server, and what it knows of databases, sinks and processes. */

import { type AccessFacts, checkAccess } from '../../checks/access.ts';
import { type ConsumerFacts, checkConsumer } from '../../checks/consumer.ts';
import type { Answered, Finding } from '../../checks/finding.ts';
import type { MessageServerFacts } from '../../checks/message-database.ts';
import { checkMessageDatabase } from '../../checks/message-database.ts';
import { checkOperations, checkRunning, type StillFacts } from '../../checks/operations.ts';
import { checkProcesses } from '../../checks/processes.ts';
import type { TooLargeFacts } from '../../checks/row-size.ts';
import { checkStorage, type StorageFacts } from '../../checks/storage.ts';
import type { Queryable } from '../../db/pool.ts';
import { readSchemaFault } from '../../db/schema-version.ts';
import { statement } from '../../db/statement.ts';
import { isPresent, readProcesses, type SeenProcess } from '../../messages/processes.ts';
import { kindOfType } from '../../sinks/kinds.ts';
import { type ListedDatabase, listDatabases } from '../list-databases.ts';
import { type ListedSink, listSinks } from '../list-sinks.ts';

const SERVER = statement('admin/doctor/message-server');
const ROOM = statement('db/count-room');
const OPERATIONS = statement('admin/doctor/operations');
const ACCESS = statement('admin/doctor/access');
const CONSUMERS = statement('admin/doctor/consumers');
const TOO_LARGE = statement('admin/doctor/too-large');
const STORAGE = statement('admin/doctor/storage');
const WORKER = statement('admin/doctor/has-worker');

export interface Known {
  databases: ListedDatabase[];
  /** Of both lists. */
  sinks: ListedSink[];
  hasWorker: boolean;
  processes: SeenProcess[];
  /** Of each kind and table of a sink, or a database, the newest. */
  operations: KnownOperation[];
  /** Parked for their size. */
  tooLarge: TooLargeFacts[];
  /** Those that are active. */
  consumers: ConsumerFacts[];
}

export interface KnownOperation extends StillFacts {
  /** Null: it is of its database. */
  sink: string | null;
  database: string;
  state: string;
  ended_at: Date | null;
}

/** What is wrong with those of a sink, or of a database itself. */
export function operationFindings(
  operations: readonly KnownOperation[],
  of: { sink: string } | { database: string },
): Answered[] {
  const own = operations.filter(({ sink, database }) =>
    'sink' in of ? sink === of.sink : sink === null && database === of.database,
  );
  const those = (wanted: string): KnownOperation[] => own.filter(({ state }) => state === wanted);
  return [...checkOperations(those('failed')), ...checkRunning(those('running'))];
}

export interface MessagesLook {
  findings: Finding[];
  /** Nothing more can be asked of it: it is of another release. */
  isOtherSchema: boolean;
}

export async function lookAtMessages(db: Queryable, now: () => number): Promise<MessagesLook> {
  const server = (await db.query<MessageServerFacts>(SERVER)).rows[0]!;
  const nowMs = now();
  const { room } = (await db.query<{ room: number }>(ROOM)).rows[0]!;
  const schema = await readSchemaFault(db);
  return { findings: checkMessageDatabase({ server, room, schema, nowMs }), isOtherSchema: schema !== undefined };
}

export async function readKnown(db: Queryable): Promise<Known> {
  const databases = await listDatabases(db);
  const sinks = [...(await listSinks(db, 'sinks')), ...(await listSinks(db, 'change_retentions'))];
  const hasWorker = (await db.query<{ has_worker: boolean }>(WORKER)).rows[0]!.has_worker;
  const operations = (await db.query<KnownOperation>(OPERATIONS)).rows;
  const consumers = (await db.query<ConsumerFacts>(CONSUMERS)).rows;
  const tooLarge = (await db.query<TooLargeFacts>(TOO_LARGE)).rows;
  return { databases, sinks, hasWorker, operations, tooLarge, consumers, processes: await readProcesses(db) };
}

/** `keyId`: of the current key; null: it is not known. */
export async function lookAtAccess(db: Queryable, keyId: string | null): Promise<Finding[]> {
  return checkAccess((await db.query<AccessFacts>(ACCESS, [keyId])).rows[0]!);
}

/** How much the messages of sinks take. */
export async function lookAtStorage(db: Queryable): Promise<Finding[]> {
  return checkStorage((await db.query<StorageFacts>(STORAGE)).rows);
}

/** What is wrong with one of these pull consumers. */
export function consumerFindings(consumers: readonly ConsumerFacts[], name: string): Finding[] {
  const found = consumers.find((one) => one.name === name);
  return found === undefined ? [] : checkConsumer(found);
}

export interface KnownProcesses extends Pick<Known, 'hasWorker'> {
  databases: readonly Pick<ListedDatabase, 'name' | 'reasons'>[];
  sinks: readonly Pick<ListedSink, 'status' | 'lanes' | 'kind'>[];
  processes: readonly SeenProcess[];
}

/** `ownKeyId`: as `ProcessFacts` has it. */
export const lookAtProcesses = (
  { databases, sinks, hasWorker, processes }: KnownProcesses,
  ownKeyId?: string,
): Finding[] =>
  checkProcesses({
    ownKeyId,
    uncaptured: databases.filter(({ reasons }) => reasons.includes('no_capture')).map(({ name }) => name),
    hasWorker,
    needsWorker: sinks.some(({ status, lanes }) => status === 'active' && lanes > 0),
    needsWeb: sinks.some(({ status, kind }) => status === 'active' && kindOfType(kind)?.traits.receivable === true),
    processes: processes.filter(isPresent).map(({ key_id: keyId, ...process }) => ({ ...process, keyId })),
  });
