/** Decides what becomes of declared databases. Sealed addresses are compared opened: each sealing looks different. */
import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { statement } from '../../db/statement.ts';
import type { DatabaseAddress, DatabaseSettings } from '../../model/declared.ts';
import { MASK } from '../../model/masked.ts';
import type { KeyRing } from '../../runtime/secret-key.ts';
import type { Declared } from '../declare/declaration.ts';
import { databaseEntry } from '../declare/written.ts';
import { addressPlace, openIfOurs, seal } from '../secrets.ts';
import {
  type Decided,
  type ManagedBy,
  releasedNote,
  type Step,
  sameJson,
  standingAfter,
  type Taking,
  withStanding,
} from './step.ts';

const putDatabase = statement('catalog/put-database');

export interface DatabaseRow {
  id: string;
  name: string;
  settings: DatabaseSettings;
  address: string;
  hostname: string;
  managed_by: ManagedBy;
  released: boolean;
  /** That of its entry in the file it was released from, where it has another name now. */
  entry_name: string | null;
  /** Rises with every change. */
  version: number;
  updated_by: string | null;
  private_ok: boolean;
}

/** Undefined: what is sealed is not ours to open. @throws MillraceError bad_setting: another SECRET_KEY. */
export function addressOf(
  keys: KeyRing,
  row: Pick<DatabaseRow, 'id' | 'name' | 'hostname' | 'address'>,
): DatabaseAddress | undefined {
  const text = openIfOurs(keys, addressPlace(row), row.address);
  return text === undefined ? undefined : JSON.parse(text);
}

/** @throws MillraceError bad_setting: another SECRET_KEY. */
export function decideDatabases(
  rows: readonly DatabaseRow[],
  declared: Declared['databases'],
  { taking, decided }: { taking: Taking; decided: Decided },
): void {
  const existing = new Map(rows.map((row) => [row.name, row]));
  for (const { settings, address } of declared) {
    const row = existing.get(settings.name);
    if (row && taking.isReleased('database', row)) {
      decided.notes.push(releasedNote('database', row.name));
      continue;
    }
    const before = row && addressOf(taking.keys, row);
    const kept = keptAddress(address, before);
    if (kept === undefined) {
      decided.faults.push(noPassword(settings.name, before));
      continue;
    }
    decided.steps.push(stepOf({ settings, address: kept }, row && { row, before }, taking));
  }
}

/** Undefined when there is no password to keep, or not for that server. */
export function keptAddress(
  address: DatabaseAddress,
  before: DatabaseAddress | undefined,
): DatabaseAddress | undefined {
  if (address.password !== MASK) return address;
  if (before?.host !== address.host || before.port !== address.port) return undefined;
  return { ...address, password: before.password };
}

const noPassword = (name: string, before: DatabaseAddress | undefined) => ({
  field: `${name}.password`,
  message:
    before === undefined
      ? `is ${MASK}, and no password is stored that it could keep`
      : `is ${MASK}, which keeps the stored password, and that was given for another host or port`,
  remedy: 'Write the password.',
  ...(before === undefined ? {} : { refusedAs: 'secret_required' as const }),
});

interface Stored {
  row: DatabaseRow;
  before: DatabaseAddress | undefined;
}

function stepOf(
  { settings, address }: Declared['databases'][number],
  stored: Stored | undefined,
  taking: Taking,
): Step {
  const { row, before } = stored ?? {};
  const standing = standingAfter(row, taking, before?.host === address.host && before.port === address.port);
  const { isSame, ...entries } = withStanding(row && { entry: databaseEntry(row.settings, before), standing: row }, {
    entry: databaseEntry(settings, address),
    standing,
  });
  const same = isSame && isDeepStrictEqual(before, address) && sameJson(row?.settings, settings);
  return {
    type: 'database',
    name: settings.name,
    action: row === undefined ? 'create' : same ? 'keep' : 'update',
    ...entries,
    server: { host: address.host, privateOk: standing.private_ok },
    async write(tx) {
      const id = row?.id ?? randomUUID();
      const place = addressPlace({ id, name: settings.name, hostname: address.host });
      const sealed = seal(taking.keys, place, JSON.stringify(address));
      const shown = [address.host, address.database];
      await tx.query(putDatabase, [
        ...[settings.name, JSON.stringify(settings), sealed, ...shown, id],
        standing.private_ok,
      ]);
    },
  };
}
