/** A sink that is being made outlives a reload in this tab; its secrets do not. */
import { useStoredDraft } from '../../../parts/form/stored-draft.ts';
import { newEntry, type SinkEntry, withoutSecrets } from '../form/entry.ts';
import type { AllWritten } from '../form/uses.ts';

export interface Draft {
  entry: SinkEntry;
  /** Functions that are made with it. */
  functions: AllWritten;
}

const kept = (draft: Draft): Draft => ({ ...draft, entry: withoutSecrets(draft.entry) });

/** `asked`: what the address wants counts before what was begun. */
export function useDraft(asked: { database?: string | undefined; table?: string | undefined }) {
  const stored = useStoredDraft<Draft>({
    key: 'sink',
    kept,
    begin(found) {
      const entry = { ...newEntry(), ...found?.entry };
      const { database = entry.database, table } = asked;
      const isOther = database !== entry.database;
      const source = table === undefined ? (isOther ? newEntry().source : entry.source) : { include_tables: [table] };
      return { entry: { ...entry, database, source }, functions: found?.functions ?? {} };
    },
  });
  return { ...stored, startOver: () => stored.startOver({ entry: newEntry(), functions: {} }) };
}
