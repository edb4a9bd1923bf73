/**
 * Test Connection of a sink or a change retention, of one that is stored or of one that is only a draft: a search for no hits, a
 * request that says it is a test, the catalogs of a database; nothing is delivered.
 */
import type { RequestedSink } from '../catalog/declare/requested-sink.ts';
import { entryOf, kindOf, tryDestination } from '../catalog/open-sink.ts';
import { type Catalog, loadCatalog } from '../catalog/store.ts';
import { checkCircuit } from '../checks/circuit.ts';
import { type Answered, byHand, type Finding, fault, passed } from '../checks/finding.ts';
import { MillraceError, messageOf } from '../model/errors.ts';
import { createLog } from '../runtime/log.ts';
import { DestinationDown, type SinkEntry, type SinkKind } from '../sinks/contract.ts';
import { type Check, checksOf, worstFirst } from './doctor/check.ts';
import { findSink, type SinkList } from './find-sink.ts';
import type { OutsideDeps } from './outside.ts';
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
  return await tried(on, { kind: kindOf(sink), entry: entryOf(sink, catalog), catalog }, signal);
}

export async function testDraftSink(
  on: OutsideDeps,
  { settings, kind, secret }: RequestedSink,
  signal: AbortSignal,
): Promise<Check[]> {
  const catalog = await loadCatalog(on.db, on.keys, on.privateAllowed);
  const { name } = settings;
  const entry = { ...NOWHERE, name, settings, sourceId: NOWHERE.id, secret: () => secret, reach: reachOf(on) };
  return await tried(on, { kind, entry, catalog }, signal);
}

interface Tried {
  kind: SinkKind;
  entry: SinkEntry;
  catalog: Catalog;
}

async function tried({ messages }: OutsideDeps, sink: Tried, signal: AbortSignal): Promise<Check[]> {
  const { entry, kind } = sink;
  const findings = await tryDestination({ messages, log: QUIET }, sink, signal).catch(asFindings);
  const nothing = [passed('destination', `${kind.title} connects to nothing: its clients connect to this service`)];
  const about = {
    subject: { kind: 'sink', name: entry.name } as const,
    destination: kind.writesInto?.(entry.settings.destination).database,
  };
  return worstFirst(checksOf(about, findings ?? nothing));
}

function asFindings(error: unknown): (Finding | Answered)[] {
  if (error instanceof DestinationDown) return [checkCircuit(error.circuit)];
  if (!(error instanceof MillraceError)) throw error;
  return [fault('bad_destination', messageOf(error), byHand(error.remedy ?? 'Correct its destination.'))];
}
