/** What every role has in common. */
import type { Waiting } from '../db/message-database.ts';
import { MillraceError } from '../model/errors.ts';
import type { Service } from '../runtime/service.ts';
import type { Settings } from '../runtime/settings.ts';

/** What a role is made of; `close` frees what is no service, after all services have ended. */
export interface Parts {
  services: Service[];
  close(): Promise<void>;
}

/** Builds a role, once the message database can be reached. */
export type OpenParts = (settings: Settings, waiting: Waiting) => Promise<Parts>;

/**
 * A role with another SECRET_KEY than the others could open nothing, and would stand in their way: it ends at once. What
 * else goes wrong here is tried again by whoever needs the catalog.
 * @throws MillraceError bad_setting
 */
export async function refuseWrongKey(load: () => Promise<unknown>): Promise<void> {
  await load().catch((error: unknown) => {
    if (error instanceof MillraceError && error.code === 'bad_setting') throw error;
  });
}
