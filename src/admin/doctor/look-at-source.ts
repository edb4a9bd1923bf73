/**
 * A source as it is now, looked at over connections of our own, whatever capture says of it: catalogs are read, nothing is
 * locked, made or changed.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { isNotedElsewhere } from '../../catalog/same-source.ts';
import type { CatalogDatabase } from '../../catalog/store.ts';
import { checkCapacity } from '../../checks/capacity.ts';
import { checkContinuity, type Now } from '../../checks/continuity.ts';
import { type Finding, passed, skipped } from '../../checks/finding.ts';
import { NOTED } from '../../checks/noted-continuity.ts';
import { checkPrepared } from '../../checks/prepared.ts';
import { checkPublication } from '../../checks/publication.ts';
import { checkReach } from '../../checks/reach.ts';
import { checkReadable } from '../../checks/readable.ts';
import { checkServer } from '../../checks/server.ts';
import { checkBeginning, checkSlot } from '../../checks/slot.ts';
import { checkSwitching } from '../../checks/switching.ts';
import { checkLeftTriggers } from '../../checks/triggers.ts';
import { checkUnseen } from '../../checks/unseen.ts';
import { wellOf } from '../../checks/well.ts';
import { type Database, openPool, type PoolOptions, type Queryable } from '../../db/pool.ts';
import { refuseSharedSessions, SharedSessions } from '../../db/pooler.ts';
import { statement } from '../../db/statement.ts';
import { optionsOf } from '../../db/tls.ts';
import { readPosition, type StoredPosition } from '../../messages/position.ts';
import { DECLARED_DATABASE } from '../../model/connection-fault.ts';
import { capturesByTriggers } from '../../model/declared.ts';
import { MillraceError } from '../../model/errors.ts';
import { identifySystem } from '../../source/identify.ts';
import { readPublication } from '../../source/publication-facts.ts';
import { readReader } from '../../source/read-changes.ts';
import {
  readCapacity,
  readLeftSlots,
  readPrepared,
  readSlot,
  readSource,
  readUnreadable,
  readUnseen,
  readWriters,
} from '../../source/server-facts.ts';
import { readTables } from '../../source/tables.ts';
import { readBranch } from '../../source/timeline.ts';
import { awaitedIn } from '../../source/visibility.ts';
import { lookAtTriggers } from './look-at-triggers.ts';
import {
  formerSlots,
  inPlace,
  type LookedAt,
  missingPublication,
  type Reached,
  roomOf,
  type SourceLook,
  takenIn,
  wantedTables,
  wellFacts,
} from './parts-of-source.ts';

const FUNCTIONS = statement('source/triggers/functions');
const SCHEMA = "select from pg_catalog.pg_namespace where nspname = 'millrace_capture'";

/** A commit waits this long for a standby that is there, but no longer. */
const COMMIT_MS = 1_000;
/** A statement that reads catalogs: longer than this, and somebody has them locked. */
const STATEMENT_MS = 5_000;

/** Never throws: what cannot be seen is a finding. */
export async function lookAtSource(messages: Queryable, looked: LookedAt): Promise<SourceLook> {
  const { database } = looked;
  const { name } = database.settings;
  let source: Database | undefined;
  try {
    const options = await reach(database);
    source = openPool({
      ...options,
      statementTimeoutMs: STATEMENT_MS,
      queryTimeoutMs: STATEMENT_MS + 1_000,
      onError: () => undefined,
    });
    return await look({ messages, source, options }, looked);
  } catch (error) {
    const isPooled = error instanceof SharedSessions || (error instanceof MillraceError && error.code === 'bad_source');
    const found = checkReach(error, DECLARED_DATABASE, { what: `database ${name}`, isPooled });
    return {
      findings: [found, skipped('source', 'slot, publication and tables were not looked at')],
      tables: undefined,
    };
  } finally {
    await source?.close().catch(() => undefined);
  }
}

async function reach(database: CatalogDatabase): Promise<PoolOptions> {
  const { name } = database.settings;
  const options = await optionsOf(
    { ...database, address: database.address() },
    { max: 1, applicationName: 'millrace doctor' },
  );
  await refuseSharedSessions(options, `The address of database ${name}`);
  return options;
}

async function look(on: Reached, looked: LookedAt): Promise<SourceLook> {
  if (capturesByTriggers(looked.database.settings)) return await lookAtTriggers(on, looked);
  const { database, sinks, reason } = looked;
  const { source, messages, options } = on;
  const { settings } = database;
  const { name, slot: wantedSlot } = settings;
  // In the order of `prepare` in capture: the slot is never ahead of the position here unless something is wrong.
  const slot = await readSlot(source, wantedSlot.name);
  const stored = await readPosition(messages, database.no);
  const facts = await readSource(source, () => identifySystem(options));
  const publication = await readPublication(source, settings.publication.name, facts.version);
  const leftSlots = await readLeftSlots(source, formerSlots(stored), wantedSlot.name);
  const isRead = looked.isSource ?? sinks.length > 0;
  const now = { source: facts, slot, publication };
  const listed = publication ? await readTables(source, publication.name) : [];
  const capacity = await readCapacity(source, wantedSlot.name);
  const findings = [
    ...(looked.isSource === false ? [] : checkServer(facts)),
    ...(isRead ? await beginning(on, looked, { now, stored }) : []),
    ...checkCapacity({
      ...{ database: name, slotName: wantedSlot.name, slot, isRead },
      facts: capacity,
      room: await roomOf(source),
      walSenderTimeoutMs: facts.walSenderTimeoutMs,
      writers: await readWriters(source),
    }),
    ...checkSlot({ name: wantedSlot.name, slot, source: facts, leftSlots }),
    ...checkLeftTriggers(await leftTriggers(source, looked, stored)),
    ...checkPrepared(await readPrepared(source)),
    ...(publication ? checkPublication(publication, name) : []),
    ...(await unseen(source, reason)),
    ...checkReadable(await readUnreadable(source, takenIn(listed, sinks)), facts.roleName),
  ];
  const major = Math.floor(facts.version / 10_000);
  if (looked.whole) findings.push(...wellOf(findings, await wellFacts(on, looked, { ...now, capacity })));
  return {
    findings:
      findings.length > 0
        ? findings
        : [passed('source', `Postgres ${major}; ${inPlace('slot', slot && publication, isRead)}`)],
    tables:
      publication &&
      (await wantedTables(on, { ...publication, tables: listed, locked: [], refused: new Map() }, { database, sinks })),
  };
}

async function leftTriggers(
  source: Database,
  { database, databases = [] }: LookedAt,
  stored: StoredPosition | undefined,
) {
  const hasSchema = (await source.query(SCHEMA)).rowCount > 0;
  const isRead =
    stored?.identity?.slotName === NOTED ||
    isNotedElsewhere(databases, database) ||
    (hasSchema && (await readReader(source)) !== undefined);
  const { rows } = await source.query<{ name: string }>(FUNCTIONS);
  return { hasSchema, functions: rows.map(({ name }) => name), isRead };
}

/** Two looks: any commit waits for a moment. */
async function unseen(source: Database, reason: string | null): Promise<Finding[]> {
  const awaited = awaitedIn(reason);
  const first = await readUnseen(source, awaited);
  if (first.length === 0) return [];
  await sleep(COMMIT_MS);
  return checkUnseen(first, await readUnseen(source, awaited), awaited !== null);
}

/** Where capture goes on, or, before it has begun, whether it can. */
async function beginning(
  { options, source }: Reached,
  looked: LookedAt,
  { now, stored }: { now: Now; stored: StoredPosition | undefined },
): Promise<Finding[]> {
  const { state } = looked;
  const { settings } = looked.database;
  const { slot, publication } = settings;
  const { version } = now.source;
  const { identity } = stored ?? {};
  if (stored && identity && identity.slotName !== NOTED) {
    const between = { from: identity.timeline, to: now.source.timeline };
    const branch = between.from === between.to ? undefined : await readBranch(options, between);
    const isUnnoticed = state !== 'needs_resync';
    const expected = { database: settings.name, slot: slot.name, publication: publication.name, isUnnoticed };
    return checkContinuity({ ...stored, identity }, { ...now, branch }, expected);
  }
  const switches = checkSwitching('replication', identity?.slotName);
  const gapAccepted = switches.length > 0 || (stored?.epoch ?? 1) > 1;
  const inTheWay = checkBeginning(slot, now.slot, { version, gapAccepted });
  const found = inTheWay ? [inTheWay] : [];
  // Before 18 a slot cannot be read whose changes are older than its publication: that is to be made first.
  return [...switches, ...(await missingPublication(source, settings, { ...looked, ...now })), ...found];
}
