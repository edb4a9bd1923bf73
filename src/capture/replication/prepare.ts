/**
 * Before a stream starts: server, publication, slot and position, each checked against what was recorded. A gap is a
 * state with a reason and a remedy (`needs_resync`), never repaired silently: nothing is made anew unless nothing was ever
 * captured, or a person accepted the gap.
 */
import { isDeepStrictEqual } from 'node:util';
import { anotherTimeline, checkContinuity, type Expected, isBefore } from '../../checks/continuity.ts';
import { type Finding, repairText } from '../../checks/finding.ts';
import { checkPublication } from '../../checks/publication.ts';
import { checkServer, type SourceFacts } from '../../checks/server.ts';
import { checkSlot, type SlotFacts } from '../../checks/slot.ts';
import type { Database } from '../../db/pool.ts';
import { beginPosition, followTimeline, readPosition, type StoredPosition } from '../../messages/position.ts';
import type { DatabaseSettings } from '../../model/declared.ts';
import { MillraceError } from '../../model/errors.ts';
import { parseLsn } from '../../model/lsn.ts';
import type { SourceIdentity } from '../../model/source-identity.ts';
import type { SystemIdentity } from '../../source/identify.ts';
import { ensurePublication, type Publication, type Reading, wantedPublication } from '../../source/publication.ts';
import { readPublication } from '../../source/publication-facts.ts';
import { readLeftSlots, readSlot, readSource } from '../../source/server-facts.ts';
import { ensureSlot } from './slot.ts';

/** Changes may have been missed; the state shown is `needs_resync`. */
export class GapError extends Error {
  readonly remedy: string;
  constructor(message: string, remedy: string) {
    super(message);
    this.name = 'GapError';
    this.remedy = remedy;
  }
}

/** Somebody streams from the slot. */
export class SlotInUseError extends Error {
  /** It is another capture of ours, which looks after the state that people see. */
  readonly ours: boolean;
  /** What to do where it is none. */
  readonly remedy: string;
  constructor(slot: SlotFacts, name: string) {
    super(`replication slot ${name} is in use by backend ${slot.active_pid} (${slot.active_application ?? 'unknown'})`);
    this.name = 'SlotInUseError';
    this.remedy = `Find out who reads it, and end that: select pg_terminate_backend(${slot.active_pid}). Or give this database another slot.name.`;
    this.ours = slot.active_application?.startsWith('millrace capture') ?? false;
  }
}

export interface PreparedDeps {
  source: Database;
  messages: Database;
  /** See replication.ts. */
  identify(): Promise<SystemIdentity>;
}

export interface PreparedDatabase {
  no: number;
  settings: DatabaseSettings;
  sinks?: readonly Reading[];
}

export interface Prepared {
  facts: SourceFacts;
  publication: Publication;
  warnings: Finding[];
  /** Something was captured before. */
  begun: boolean;
  /** Where the history of a promoted source left the one that was captured. */
  branch?: bigint;
  /** When it was looked at while it streams. */
  wal?: WalFacts;
}

/** Bytes of WAL. */
export interface WalFacts {
  /** What is written there ends here; null: unknown. */
  end: bigint | null;
  /** Written there, and not confirmed. */
  lag: number;
  /** Kept for the slot; null: unknown. */
  kept: number | null;
  /** Beyond that the slot is lost; null: there is no limit. */
  limit: number | null;
}

function walOf({ walLsn, keepBytes }: SourceFacts, slot: SlotFacts | undefined): WalFacts {
  const confirmed = slot?.confirmed_flush_lsn ?? null;
  const end = walLsn === null ? null : parseLsn(walLsn);
  const lag = end === null || confirmed === null ? 0 : Number(end - parseLsn(confirmed));
  const limit = keepBytes === null || keepBytes < 0 ? null : keepBytes;
  return { end, lag: Math.max(0, lag), kept: slot?.kept_bytes ?? null, limit };
}

const expectedOf = (settings: DatabaseSettings): Expected => ({
  database: settings.name,
  slot: settings.slot.name,
  publication: settings.publication.name,
});

const gapOf = (gaps: readonly [Finding, ...Finding[]]): GapError =>
  new GapError(gaps.map(({ summary }) => summary).join('; '), repairText(gaps[0]));

/** @throws GapError when changes may have been missed. */
function refuseGaps(...to: Parameters<typeof checkContinuity>): void {
  const [first, ...others] = checkContinuity(...to);
  if (first) throw gapOf([first, ...others]);
}

/** What does not stop capture, but will if nobody acts; and a publication that leaves changes out. */
const checkHealth = (
  { name, slot: { name: slotName } }: DatabaseSettings,
  now: Omit<Parameters<typeof checkSlot>[0], 'name'> & { publication: Publication },
): Finding[] => [...checkSlot({ ...now, name: slotName }), ...checkPublication(now.publication, name)];

/** The warnings. @throws MillraceError bad_source: the first error. */
export function refuseErrors(findings: readonly Finding[]): Finding[] {
  const fault = findings.find(({ status }) => status === 'error');
  if (fault) throw new MillraceError('bad_source', fault.summary, { remedy: repairText(fault) });
  return [...findings];
}

/**
 * In this order: whoever streams records a position before he confirms it, and the source has written what he records.
 * So the slot is never ahead of the position here, nor the position ahead of the source, unless something is wrong.
 */
async function read(deps: PreparedDeps, database: PreparedDatabase) {
  const slot = await readSlot(deps.source, database.settings.slot.name);
  const stored = await readPosition(deps.messages, database.no);
  const facts = await readSource(deps.source, deps.identify);
  const { identity } = stored ?? {};
  const former = [...(stored?.formerSlots ?? []), ...(identity ? [identity.slotName] : [])];
  return { slot, stored, facts, leftSlots: await readLeftSlots(deps.source, former, database.settings.slot.name) };
}

export interface PrepareDeps extends PreparedDeps {
  /** See timeline.ts. */
  readBranch(between: { from: number; to: number }): Promise<bigint | undefined>;
}

/** Throws a SlotInUseError, a GapError, or `bad_source`. */
export async function prepare(deps: PrepareDeps, database: PreparedDatabase): Promise<Prepared> {
  const { settings, no } = database;
  const { slot, stored, facts, leftSlots } = await read(deps, database);
  if (slot?.active_pid) throw new SlotInUseError(slot, settings.slot.name);
  refuseErrors(checkServer(facts));
  const { identity } = stored ?? {};
  let branch: bigint | undefined;
  if (stored && identity) {
    const known = await readPublication(deps.source, settings.publication.name, facts.version);
    const between = { from: identity.timeline, to: facts.timeline };
    branch = between.to === between.from ? undefined : await deps.readBranch(between);
    const now = { source: facts, slot, publication: known, ...(branch === undefined ? {} : { branch }) };
    refuseGaps({ ...stored, identity }, now, expectedOf(settings));
  }
  if (!identity) await deps.identify();
  const publication = await ensurePublication(deps.source, wantedPublication(settings, database.sinks), facts.version);
  const warnings = refuseErrors(checkHealth(settings, { source: facts, slot, publication, leftSlots }));
  if (!identity) {
    const confirmedLsn = await ensureSlot(deps.source, {
      settings: settings.slot,
      version: facts.version,
      gapAccepted: (stored?.epoch ?? 1) > 1,
      skipOlder: publication.created || (stored?.publicationBefore ?? publication.oid) !== publication.oid,
    });
    const begin = identityOf(facts, settings, publication);
    const left = slot && stored?.left;
    const isSame = left !== undefined && isDeepStrictEqual({ ...left, publicationOid: begin.publicationOid }, begin);
    // What was confirmed lies ahead of a source that was restored, though it looks the same.
    const goesOn = isSame && facts.walLsn !== null && parseLsn(facts.walLsn) >= (stored?.confirmedLsn ?? 0n);
    await beginPosition(deps.messages, no, { identity: begin, confirmedLsn, goesOn });
  }
  return { facts, publication, warnings, begun: identity !== undefined, ...(branch === undefined ? {} : { branch }) };
}

/**
 * After the fence, when nobody else can move the position any more: a promoted source is known by its new timeline from
 * now on, unless another capture went on with the old primary meanwhile.
 */
export async function follow(
  messages: Database,
  database: PreparedDatabase,
  at: { prepared: Prepared; stored: StoredPosition },
): Promise<void> {
  const { branch, facts } = at.prepared;
  const { identity } = at.stored;
  if (branch === undefined || !identity || identity.timeline === facts.timeline) return;
  if (!isBefore(at.stored, branch)) throw gapOf([anotherTimeline(expectedOf(database.settings))]);
  await followTimeline(messages, database.no, { from: identity.timeline, to: facts.timeline });
}

const identityOf = (facts: SourceFacts, settings: DatabaseSettings, publication: { oid: number }): SourceIdentity => ({
  systemIdentifier: facts.systemIdentifier,
  timeline: facts.timeline,
  databaseOid: facts.databaseOid,
  slotName: settings.slot.name,
  publicationOid: publication.oid,
});

/** The same while the stream runs. Throws as `prepare` does. */
export async function checkRunning(deps: PreparedDeps, database: PreparedDatabase): Promise<Prepared> {
  const { settings } = database;
  const { slot, stored, facts, leftSlots } = await read(deps, database);
  const known = await readPublication(deps.source, settings.publication.name, facts.version);
  if (stored?.identity) {
    const now = { source: facts, slot, publication: known };
    refuseGaps({ ...stored, identity: stored.identity }, now, expectedOf(settings));
  }
  const publication = await ensurePublication(deps.source, wantedPublication(settings, database.sinks), facts.version);
  const warnings = refuseErrors([
    ...checkServer(facts),
    ...checkHealth(settings, { source: facts, slot, publication, leftSlots }),
  ]);
  return { facts, publication, warnings, begun: true, wal: walOf(facts, slot) };
}
