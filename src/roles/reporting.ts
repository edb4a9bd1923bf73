/** What each role says of itself in the message database: that it is there, and what it has done. */
import type { Queryable } from '../db/pool.ts';
import { type CountersService, openCounters } from '../messages/counters.ts';
import { openProcessSign } from '../messages/processes.ts';
import type { Log } from '../runtime/log.ts';
import type { KeyRing } from '../runtime/secret-key.ts';
import type { Service } from '../runtime/service.ts';

export interface Reporting {
  counters: CountersService;
  /** Started first, so that they end last. */
  services: Service[];
}

export function openReporting(
  { db, log }: { db: Queryable; log: Pick<Log, 'warn'> },
  { role, keys }: { role: string; keys: KeyRing },
): Reporting {
  const onError = (error: unknown): void => log.warn({ err: error }, 'counters and signs of life could not be written');
  const counters = openCounters({ db, onError });
  return { counters, services: [counters, openProcessSign({ db, onError }, { role, keyId: keys.current.id })] };
}
