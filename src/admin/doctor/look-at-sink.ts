/** A sink: its destination as it is now, where that can be seen without changing it, and what is known of its delivery. */
import { lookAtDestination } from '../../catalog/open-sink.ts';
import type { Catalog, CatalogSink } from '../../catalog/store.ts';
import { saidAnew } from '../../checks/change-table-findings.ts';
import { checkCircuit } from '../../checks/circuit.ts';
import { checkDelivery } from '../../checks/delivery.ts';
import { type Answered, byHand, type Finding, fault } from '../../checks/finding.ts';
import { RENEWAL_REFUSED } from '../../checks/triggers.ts';
import type { WantedTableFinding } from '../../checks/wanted-tables.ts';
import type { Database } from '../../db/pool.ts';
import { MillraceError } from '../../model/errors.ts';
import { withoutValues } from '../../model/refusal.ts';
import { FOUND_BY } from '../../notices/replace.ts';
import type { Log } from '../../runtime/log.ts';
import { DestinationDown } from '../../sinks/contract.ts';
import type { ListedSink } from '../list-sinks.ts';
import { deliveryFactsOf } from './delivery-facts.ts';

export interface SinkLookDeps {
  messages: Database;
  log: Log;
  catalog: Catalog;
}

/** Undefined: its kind cannot be looked at. Never throws. */
export async function lookAtSink(
  { catalog, ...deps }: SinkLookDeps,
  sink: CatalogSink,
  signal: AbortSignal,
): Promise<(Finding | Answered)[] | undefined> {
  try {
    return await lookAtDestination(deps, { sink, catalog }, signal);
  } catch (error) {
    if (error instanceof DestinationDown) return [checkCircuit(error.circuit)];
    const remedy = error instanceof MillraceError ? error.remedy : undefined;
    return [fault('bad_destination', withoutValues(error), byHand(remedy ?? 'Correct its destination.'))];
  }
}

/** `seen`: what was looked at just now replaces what was found before. */
export function findingsOf(
  sink: ListedSink,
  seen: { destination: (Finding | Answered)[] | undefined; tables: readonly WantedTableFinding[] | undefined },
): (Finding | Answered)[] {
  const { destination, tables } = seen;
  const isWrong = destination?.some(({ status }) => status === 'error');
  const looked = [...(destination ?? []), ...(tables ?? [])];
  const delivery = checkDelivery(deliveryFactsOf(sink), {
    notices: new Set([
      ...(tables ? FOUND_BY.publication.filter((code) => code !== RENEWAL_REFUSED) : []),
      ...(isLookedAt(destination) ? saidAnew(destination) : []),
    ]),
    destination: isLookedAt(destination) ? (isWrong ? 'wrong' : 'well') : undefined,
  });
  // That nothing else is wrong need not be said.
  const isWell = looked.every(({ status }) => status === 'ok');
  return [...looked, ...delivery.filter(({ status }) => isWell || status !== 'ok')];
}

const isLookedAt = (destination: (Finding | Answered)[] | undefined): destination is (Finding | Answered)[] =>
  destination !== undefined && !destination.some(({ status }) => status === 'skipped');
