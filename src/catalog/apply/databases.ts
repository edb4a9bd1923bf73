/** Writes databases that differ. Sealed addresses are compared opened: each sealing looks different. */
import { randomUUID } from 'node:crypto';
import type { Transaction } from '../../db/pool.ts';
import { statement } from '../../db/statement.ts';
import type { DatabaseSettings } from '../../model/declared.ts';
import type { KeyRing } from '../../runtime/secret-key.ts';
import type { Declared } from '../declare/declaration.ts';
import { addressPlace, opensTo, seal } from '../secrets.ts';
import { type Summary, sameJson } from './summary.ts';

const listDatabases = statement('catalog/list-databases');
const putDatabase = statement('catalog/put-database');

interface Row {
  id: string;
  name: string;
  settings: DatabaseSettings;
  address: string;
  hostname: string;
}

export async function applyDatabases(
  deps: { tx: Transaction; keys: KeyRing },
  declared: Declared['databases'],
  summary: Summary,
): Promise<void> {
  const { rows } = await deps.tx.query<Row>(listDatabases);
  const existing = new Map(rows.map((row) => [row.name, row]));
  for (const { settings, address } of declared) {
    const row = existing.get(settings.name);
    const text = JSON.stringify(address);
    const same =
      row !== undefined &&
      opensTo(deps.keys, addressPlace(row), { sealed: row.address, plain: text }) &&
      sameJson(row.settings, settings);
    if (!summary.add(`database ${settings.name}`, row !== undefined, same)) continue;
    const id = row?.id ?? randomUUID();
    const place = addressPlace({ id, name: settings.name, hostname: address.host });
    const sealed = seal(deps.keys, place, text);
    const values = [settings.name, JSON.stringify(settings), sealed, address.host, address.database, id];
    await deps.tx.query(putDatabase, values);
  }
}
