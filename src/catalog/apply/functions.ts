/** Decides what becomes of declared functions. */
import { statement } from '../../db/statement.ts';
import type { FunctionSettings } from '../../model/declared.ts';
import { functionEntry } from '../declare/written.ts';
import {
  type Decided,
  type ManagedBy,
  releasedNote,
  sameJson,
  standingAfter,
  type Taking,
  withStanding,
} from './step.ts';

const putFunction = statement('catalog/put-function');

export interface FunctionRow {
  id: string;
  name: string;
  settings: FunctionSettings;
  managed_by: ManagedBy;
  released: boolean;
  /** That of its entry in the file it was released from, where it has another name now. */
  entry_name: string | null;
  /** Rises with every change. */
  version: number;
  updated_by: string | null;
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
    const { isSame, ...entries } = withStanding(
      row && { entry: functionEntry(row.settings), standing: { managed_by: row.managed_by } },
      { entry: functionEntry(settings), standing: standingAfter(row, taking, true) },
    );
    decided.steps.push({
      type: 'function',
      name: settings.name,
      action: row === undefined ? 'create' : isSame && sameJson(row.settings, settings) ? 'keep' : 'update',
      ...entries,
      async write(tx) {
        await tx.query(putFunction, [settings.name, JSON.stringify(settings)]);
      },
    });
  }
}
