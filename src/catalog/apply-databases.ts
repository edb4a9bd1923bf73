/** Writes databases that differ. Sealed addresses are compared opened: each sealing looks different. */
import type { Transaction } from '../db/pool.ts';
import { statement } from '../db/statement.ts';
import type { DatabaseSettings } from '../model/declared.ts';
import type { Declared } from './schemas.ts';
import { seal } from './secrets.ts';
import { openAddress } from './store.ts';
import { type Summary, sameJson } from './summary.ts';

const listDatabases = statement('catalog/list-databases');
const putDatabase = statement('catalog/put-database');

interface Row {
  name: string;
  settings: DatabaseSettings;
  address: string;
}

export async function applyDatabases(
  deps: { tx: Transaction; secretKey: string },
  declared: Declared['databases'],
  summary: Summary,
): Promise<void> {
  const { rows } = await deps.tx.query<Row>(listDatabases);
  const existing = new Map(rows.map((row) => [row.name, row]));
  for (const { settings, address } of declared) {
    const row = existing.get(settings.name);
    const same =
      row !== undefined &&
      sameJson(openAddress(deps.secretKey, row.address), address) &&
      sameJson(row.settings, settings);
    if (!summary.add(`database ${settings.name}`, row !== undefined, same)) continue;
    const sealed = seal(deps.secretKey, JSON.stringify(address));
    const values = [settings.name, JSON.stringify(settings), sealed, address.host, address.database];
    await deps.tx.query(putDatabase, values);
  }
}
