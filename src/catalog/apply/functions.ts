/** Writes functions that differ. */
import type { Transaction } from '../../db/pool.ts';
import { statement } from '../../db/statement.ts';
import type { FunctionSettings } from '../../model/declared.ts';
import { type Summary, sameJson } from './summary.ts';

const listFunctions = statement('catalog/list-functions');
const putFunction = statement('catalog/put-function');

export async function applyFunctions(
  tx: Transaction,
  declared: readonly FunctionSettings[],
  summary: Summary,
): Promise<void> {
  const { rows } = await tx.query<{ name: string; settings: FunctionSettings }>(listFunctions);
  const existing = new Map(rows.map((row) => [row.name, row.settings]));
  for (const settings of declared) {
    const found = existing.get(settings.name);
    const same = sameJson(found, settings);
    if (!summary.add(`function ${settings.name}`, found !== undefined, same)) continue;
    await tx.query(putFunction, [settings.name, JSON.stringify(settings)]);
  }
}
