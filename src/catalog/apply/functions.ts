/** Decides what becomes of declared functions. */
import { statement } from '../../db/statement.ts';
import type { FunctionSettings } from '../../model/declared.ts';
import { functionEntry } from '../declare/written.ts';
import { type Decided, type ManagedBy, releasedNote, sameJson, type Taking, withManager } from './step.ts';

const putFunction = statement('catalog/put-function');

export interface FunctionRow {
  name: string;
  settings: FunctionSettings;
  managed_by: ManagedBy;
  released: boolean;
}

export function decideFunctions(
  rows: readonly FunctionRow[],
  declared: readonly FunctionSettings[],
  { taking, decided }: { taking: Taking; decided: Decided },
): void {
  const existing = new Map(rows.map((row) => [row.name, row]));
  for (const settings of declared) {
    const row = existing.get(settings.name);
    if (row && taking.isReleased('function', row)) {
      decided.notes.push(releasedNote('function', row.name));
      continue;
    }
    const taken = row !== undefined && taking.managedBy === 'file' && row.managed_by !== 'file';
    decided.steps.push({
      type: 'function',
      name: settings.name,
      action: row === undefined ? 'create' : sameJson(row.settings, settings) && !taken ? 'keep' : 'update',
      old: row ? withManager(functionEntry(row.settings), row.managed_by, taken) : null,
      new: withManager(functionEntry(settings), taking.managedBy, taken),
      async write(tx) {
        await tx.query(putFunction, [settings.name, JSON.stringify(settings)]);
      },
    });
  }
}
