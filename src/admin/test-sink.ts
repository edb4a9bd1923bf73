/**
 * Test Connection of a sink or a change retention, of one that is stored or of one that is only a draft: a search for no hits, a
 * request that says it is a test, the catalogs of a database; nothing is delivered.
 */
import { findThing } from '../catalog/apply/change-thing.ts';
import { readCurrent } from '../catalog/apply/current.ts';
import { keptSecret } from '../catalog/apply/kept-secret.ts';
import { secretOf } from '../catalog/apply/sinks.ts';
import { entryOf } from '../catalog/apply/stored.ts';
import { merged } from '../catalog/declare/merge.ts';
import { type RequestedSink, readSinkDraft, sinkKeys } from '../catalog/declare/requested-sink.ts';
import type { Entry } from '../catalog/declare/written.ts';
import { kindOf, entryOf as opened, tryDestination } from '../catalog/open-sink.ts';
import { type Catalog, loadCatalog } from '../catalog/store.ts';
import { checkCircuit } from '../checks/circuit.ts';
import { type Answered, byHand, type Finding, fault, passed } from '../checks/finding.ts';
import { MillraceError, messageOf } from '../model/errors.ts';
import { isKey } from '../model/section.ts';
import { createLog } from '../runtime/log.ts';
import { DestinationDown, type SinkEntry, type SinkKind } from '../sinks/contract.ts';
import { type Check, checksOf, worstFirst } from './doctor/check.ts';
import { NoAnswer, within } from './doctor/within.ts';
import { findSink, type SinkList } from './find-sink.ts';
import { type OutsideDeps, PATIENCE_MS } from './outside.ts';
import { NOWHERE, reachOf } from './test-database.ts';

/** What is found is the answer. */
const QUIET = createLog({ level: 'silent' });

/** @throws MillraceError not_found */
export async function testStoredSink(
  on: OutsideDeps,
  { list, ref }: { list: SinkList; ref: string },
  signal: AbortSignal,
): Promise<Check[]> {
  const { no } = await findSink(on.db, ref, list);
  const catalog = await loadCatalog(on.db, on.keys, on.privateAllowed);
  const sink = catalog.sinks.find((one) => one.no === no);
  if (sink === undefined) throw new MillraceError('not_found', `there is no sink ${ref}`);
  return await tried(on, { kind: kindOf(sink), entry: opened(sink, catalog), catalog }, signal);
}

/**
 * As it would be once these keys are merged with what is stored. @throws MillraceError not_found, invalid; secret_required: its
 * credential is not told to another server.
 */
export async function testEditedSink(
  on: OutsideDeps,
  { list, ref, body }: { list: SinkList; ref: string; body: Entry },
  signal: AbortSignal,
): Promise<Check[]> {
  const type = list === 'sinks' ? 'sink' : 'change_retention';
  const current = await on.db.transaction(async (tx) => await readCurrent(tx));
  const { id, name } = findThing(current, { type, ref });
  const row = current.sinks.find((one) => one.id === id)!;
  const entry = merged(entryOf(current, name, { type, keys: on.keys }), sinkKeys(body), isKey);
  const draft = readSinkDraft(list, entry);
  const stored = { ...row.settings, secret: secretOf(on.keys, row) };
  const kept = keptSecret({ ...draft.settings, secret: draft.secret }, stored);
  if ('faults' in kept) {
    const faults = kept.faults.map((fault) => ({
      ...fault,
      field: fault.field.replace(`${draft.settings.name}.`, ''),
    }));
    throw new MillraceError('secret_required', 'The stored secret was given for another server', { faults });
  }
  const server = draft.kind.server?.(draft.settings.destination);
  const isThere = server !== undefined && server === draft.kind.server?.(row.settings.destination);
  return await testDraftSink(on, { ...draft, ...kept, privateOk: isThere && row.private_ok }, signal);
}

export async function testDraftSink(
  on: OutsideDeps,
  draft: RequestedSink & { privateOk?: boolean },
  signal: AbortSignal,
): Promise<Check[]> {
  const { settings, kind, secret, privateOk } = draft;
  const catalog = await loadCatalog(on.db, on.keys, on.privateAllowed);
  const { name } = settings;
  const entry = {
    ...NOWHERE,
    name,
    settings,
    sourceId: NOWHERE.id,
    secret: () => secret,
    reach: reachOf(on, privateOk),
  };
  return await tried(on, { kind, entry, catalog }, signal);
}

interface Tried {
  kind: SinkKind;
  entry: SinkEntry;
  catalog: Catalog;
}

async function tried(on: OutsideDeps, sink: Tried, signal: AbortSignal): Promise<Check[]> {
  const { entry, kind } = sink;
  const { messages, patienceMs = PATIENCE_MS } = on;
  const test = within(patienceMs, signal, (own) => tryDestination({ messages, log: QUIET }, sink, own));
  const findings = await test.catch(asFindings);
  const nothing = [passed('destination', `${kind.title} connects to nothing: its clients connect to this service`)];
  const about = {
    subject: { kind: 'sink', name: entry.name } as const,
    destination: kind.writesInto?.(entry.settings.destination).database,
  };
  return worstFirst(checksOf(about, findings ?? nothing));
}

function asFindings(error: unknown): (Finding | Answered)[] {
  if (error instanceof NoAnswer) return [checkCircuit({ reason: 'unreachable', error: messageOf(error) })];
  if (error instanceof DestinationDown) return [checkCircuit(error.circuit)];
  if (!(error instanceof MillraceError)) throw error;
  return [fault('bad_destination', messageOf(error), byHand(error.remedy ?? 'Correct its destination.'))];
}
