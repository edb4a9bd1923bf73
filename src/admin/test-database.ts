/**
 * Test Connection of a database: the doctor's checks of it, made now, of one that is stored or of one that is only a draft.
 * Catalogs are read, and nothing is made or changed.
 */
import { findThing } from '../catalog/apply/change-thing.ts';
import { readCurrent } from '../catalog/apply/current.ts';
import { addressOf, keptAddress } from '../catalog/apply/databases.ts';
import { entryOf, isSource } from '../catalog/apply/stored.ts';
import { merged } from '../catalog/declare/merge.ts';
import { databaseKeys, type RequestedDatabase, readDatabase } from '../catalog/declare/requested-database.ts';
import type { Entry } from '../catalog/declare/written.ts';
import type { CatalogDatabase } from '../catalog/store.ts';
import { checkReach } from '../checks/reach.ts';
import { DECLARED_DATABASE } from '../model/connection-fault.ts';
import { MillraceError } from '../model/errors.ts';
import { isKey } from '../model/section.ts';
import type { PrivateAllowed } from '../runtime/addresses.ts';
import type { Reach } from '../runtime/checked-lookup.ts';
import { aboutDatabase, type Check, checksOf, worstFirst } from './doctor/check.ts';
import { lookAtSource } from './doctor/look-at-source.ts';
import { type LookedAt, lookedAt } from './doctor/parts-of-source.ts';
import { NoAnswer, within } from './doctor/within.ts';
import { findDatabase, type OutsideDeps, PATIENCE_MS } from './outside.ts';

/** Of a database that is stored nowhere: nothing is known of it. */
export const NOWHERE = { id: '00000000-0000-0000-0000-000000000000', no: 0 };

/** `privateOk`: somebody who runs the machine has said that it may be in a private network. */
export function reachOf(
  { privateAllowed, resolver }: Pick<OutsideDeps, 'privateAllowed' | 'resolver'>,
  privateOk = false,
): Reach {
  const allowed: PrivateAllowed = privateAllowed === 'declared' ? privateOk : privateAllowed;
  return resolver === undefined ? { allowed } : { allowed, resolver };
}

/** By name or id. @throws MillraceError not_found */
export async function testStoredDatabase(on: OutsideDeps, ref: string): Promise<Check[]> {
  const { catalog, database } = await findDatabase(on, ref);
  return await looked(on, { ...lookedAt(catalog, database), state: null, reason: null });
}

/**
 * As it would be once these keys are merged with what is stored. @throws MillraceError not_found, invalid; secret_required: its
 * password is not told to another server.
 */
export async function testEditedDatabase(on: OutsideDeps, ref: string, body: Entry): Promise<Check[]> {
  const current = await on.db.transaction(async (tx) => await readCurrent(tx));
  const { id, name } = findThing(current, { type: 'database', ref });
  const row = current.databases.find((one) => one.id === id)!;
  const entry = merged(entryOf(current, name, { type: 'database', keys: on.keys }), databaseKeys(body), isKey);
  const draft = readDatabase(entry);
  const before = addressOf(on.keys, row);
  const address = keptAddress(draft.address, before);
  if (address === undefined)
    throw new MillraceError('secret_required', 'The stored password was given for another host or port', {
      faults: [{ field: 'password', message: 'is needed for another host or port', remedy: 'Send it along.' }],
    });
  const isThere = before?.host === address.host && before.port === address.port;
  const readers = current.sinks.filter(({ database_name }) => database_name === name);
  const changed = { ...draft, address, isSource: draft.isSource && isSource(draft.settings, readers) };
  return await testDraftDatabase(on, changed, isThere && row.private_ok);
}

export async function testDraftDatabase(
  on: OutsideDeps,
  draft: RequestedDatabase,
  privateOk = false,
): Promise<Check[]> {
  const { settings, address, isSource } = draft;
  const database: CatalogDatabase = { ...NOWHERE, settings, address: () => address, reach: reachOf(on, privateOk) };
  const checks = await looked(on, { database, sinks: [], state: null, reason: null, isSource });
  // Capture reads it once a sink does.
  return checks.filter(({ id, status }) => id !== 'slot_inactive' || status === 'error');
}

async function looked({ db, patienceMs = PATIENCE_MS }: OutsideDeps, at: LookedAt): Promise<Check[]> {
  const { name } = at.database.settings;
  const { findings } = await within(patienceMs, NEVER, () => lookAtSource(db, { ...at, whole: true })).catch(
    (error: unknown) => {
      if (!(error instanceof NoAnswer)) throw error;
      return { findings: [checkReach(error, DECLARED_DATABASE, { what: `database ${name}`, isPooled: false })] };
    },
  );
  return worstFirst(checksOf(aboutDatabase(name), findings));
}

const NEVER = new AbortController().signal;
