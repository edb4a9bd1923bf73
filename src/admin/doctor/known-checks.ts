/** What is known of one sink or database without a look at it, as checks. */
import { checkSinkAlone } from '../../checks/delivery.ts';
import type { ListedDatabase } from '../list-databases.ts';
import type { ListedSink } from '../list-sinks.ts';
import { aboutDatabase, type Check, checksOf } from './check.ts';
import { deliveryFactsOf } from './delivery-facts.ts';
import { sourceFindings } from './source-findings.ts';

export function knownOfSink(sink: ListedSink): Check[] {
  const about = { subject: { kind: 'sink', name: sink.name } as const, source: sink.database };
  return checksOf(about, checkSinkAlone(deliveryFactsOf(sink)));
}

export const knownOfDatabase = (database: ListedDatabase): Check[] =>
  checksOf(aboutDatabase(database.name), sourceFindings(database, undefined));
