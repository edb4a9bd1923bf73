/**
 * Before changes that triggers note are read: server, list of tables, triggers and position, each checked against what was
 * recorded. As with a slot, a gap is a state with a reason and a remedy, never repaired silently.
 */
import { repairText } from '../../checks/finding.ts';
import { checkNotedContinuity, NOTED } from '../../checks/noted-continuity.ts';
import { checkPublication } from '../../checks/publication.ts';
import { checkServer } from '../../checks/server.ts';
import { checkLeftSlots } from '../../checks/slot.ts';
import { checkTriggers } from '../../checks/triggers.ts';
import type { Database } from '../../db/pool.ts';
import { statement } from '../../db/statement.ts';
import { readPlan } from '../../messages/plan.ts';
import { beginPosition, readPosition, type StoredPosition } from '../../messages/position.ts';
import { MillraceError } from '../../model/errors.ts';
import { parseLsn } from '../../model/lsn.ts';
import type { PublishedTable } from '../../model/published-table.ts';
import { flush } from '../../source/flushed.ts';
import { UNIDENTIFIED } from '../../source/identify.ts';
import { ensurePublication, wantedPublication } from '../../source/publication.ts';
import { readReader } from '../../source/read-changes.ts';
import { readLeftSlots, readSource } from '../../source/server-facts.ts';
import { ensureTriggers } from '../../source/triggers/ensure.ts';
import { readTriggerFacts } from '../../source/triggers/for-checks.ts';
import { sayNeeded } from '../../source/triggers/left.ts';
import { readNotedNow } from '../../source/triggers/noted-now.ts';
import { forgetEmptied, readEmptied } from '../../source/triggers/truncate-read.ts';
import type { CapturedDatabase } from '../method.ts';
import { GapError, type Prepared, refuseErrors, type WalFacts } from '../replication/prepare.ts';
import { ReaderThereError } from './stream.ts';

const BEGIN_PLAN = statement('capture/begin-plan');
const FORGET_FOREIGN = statement('source/triggers/forget-foreign');

export interface NotedDeps {
  source: Database;
  messages: Database;
}

type NotedDatabase = Pick<CapturedDatabase, 'no' | 'settings'> & Partial<Pick<CapturedDatabase, 'sinks'>>;

/** Nothing is made or dropped while somebody else reads: his list of tables counts. Throws a ReaderThereError, a GapError, or `bad_source`. */
export async function prepareNoted(deps: NotedDeps, database: NotedDatabase): Promise<Prepared> {
  const reader = await readReader(deps.source);
  if (reader) throw new ReaderThereError(reader);
  await sayNeeded(deps.source);
  const looked = await look(deps, database);
  if (looked.stored?.identity) return { ...looked.prepared, begun: true };
  // Transactions to come would have the same ids: it would be told as theirs, at every look until then.
  await deps.source.query(FORGET_FOREIGN);
  await forgetEmptied(deps.source);
  // Read when every trigger was there: whoever writes behind it is noted.
  const { snapshot, changesOid } = await readNotedNow(deps.source);
  if (changesOid === undefined) throw new MillraceError('bad_source', 'schema millrace_capture was dropped just now');
  await flush(deps.source);
  const { facts } = looked.prepared;
  const lsn = facts.walLsn ?? '0/0';
  await beginPosition(deps.messages, database.no, {
    identity: {
      systemIdentifier: facts.systemIdentifier,
      timeline: facts.timeline,
      databaseOid: facts.databaseOid,
      slotName: NOTED,
      publicationOid: changesOid,
    },
    confirmedLsn: lsn,
    goesOn: false,
    also: async (tx) => {
      await tx.query(BEGIN_PLAN, [database.no, snapshot, lsn]);
    },
  });
  return looked.prepared;
}

/** The same while the stream runs. */
export async function checkNoted(deps: NotedDeps, database: NotedDatabase): Promise<Prepared> {
  const { prepared, stored } = await look(deps, database);
  return { ...prepared, begun: true, wal: walOf(prepared, stored) };
}

/** How far the position is behind; nothing is kept for it, and how far that is in time the reader knows. */
function walOf({ facts }: Prepared, stored: StoredPosition | undefined): WalFacts {
  const behind = facts.walLsn === null || !stored ? 0n : parseLsn(facts.walLsn) - stored.confirmedLsn;
  return { end: null, lag: Math.max(0, Number(behind)), kept: null, limit: null };
}

async function look({ source, messages }: NotedDeps, { no, settings, sinks }: NotedDatabase) {
  // Before the plan: what was emptied by then was read by a plan that is there.
  const emptied = await readEmptied(source);
  const plan = await readPlan(messages, no);
  const stored = await readPosition(messages, no);
  const facts = await readSource(source, async () => UNIDENTIFIED);
  refuseErrors(checkServer(facts, 'triggers'));
  if (stored?.identity) {
    const now = { ...facts, ...(await readNotedNow(source)), emptied };
    const before = { identity: stored.identity, snapshot: plan?.to };
    const [first, ...others] = checkNotedContinuity(before, now, { database: settings.name });
    if (first) throw new GapError([first, ...others].map(({ summary }) => summary).join('; '), repairText(first));
  }
  const wanted = { ...wantedPublication(settings, sinks), byTriggers: true };
  const publication = await ensurePublication(source, wanted, facts.version);
  const listed = publication.tables.filter((table) => table.published);
  const onError = settings.trigger_errors ?? 'fail';
  const { added, locked, refused } = await ensureTriggers(source, {
    tables: listed.filter((table) => !hasLists(table)),
    onError,
  });
  const noting = await readTriggerFacts(source, publication.name, { onError, refused, ...(plan && { read: plan.to }) });
  const leftSlots = await readLeftSlots(source, [...(stored?.formerSlots ?? []), ...formerOf(stored)], NOTED);
  const warnings = refuseErrors([
    ...checkTriggers(noting, { database: settings.name, isRead: true }),
    ...checkPublication(publication, settings.name),
    ...checkLeftSlots(leftSlots),
  ]);
  const isNew = (table: PublishedTable): boolean =>
    added.has(table.oid) || publication.added.some(({ oid }) => oid === table.oid);
  const isLocked = (table: PublishedTable): boolean => locked.some(({ oid }) => oid === table.oid);
  const prepared: Prepared = {
    facts,
    publication: {
      ...publication,
      added: stored?.identity ? listed.filter(isNew) : publication.added,
      locked: [...publication.locked, ...listed.filter(isLocked)],
      triggers: noting.tables,
    },
    warnings,
    begun: false,
  };
  return { stored, prepared };
}

const formerOf = (stored: StoredPosition | undefined): string[] => (stored?.identity ? [stored.identity.slotName] : []);
const hasLists = (table: PublishedTable): boolean => table.some_columns || table.some_rows;
