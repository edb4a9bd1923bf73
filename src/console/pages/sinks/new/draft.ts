/** A sink that is being made outlives a reload in this tab; its secrets do not. */
import { useEffect, useState } from 'react';
import { newEntry, type SinkEntry, withoutSecrets } from '../form/entry.ts';
import type { Written } from '../form/function-part.tsx';

export interface Draft {
  entry: SinkEntry;
  written: Written | null;
}

const KEY = 'millrace.sink-draft';

function read(): Draft | null {
  try {
    const found = JSON.parse(sessionStorage.getItem(KEY) ?? 'null') as Draft | null;
    return found && { entry: { ...newEntry(), ...found.entry }, written: found.written };
  } catch {
    return null;
  }
}

function write(draft: Draft | null): void {
  try {
    if (draft === null) sessionStorage.removeItem(KEY);
    else sessionStorage.setItem(KEY, JSON.stringify({ ...draft, entry: withoutSecrets(draft.entry) }));
  } catch {}
}

/** `asked`: what the address wants counts before what was begun. */
export function useDraft(asked: { database?: string | undefined; table?: string | undefined }) {
  const [draft, setDraft] = useState<Draft>(() => {
    const { entry, written } = read() ?? { entry: newEntry(), written: null };
    const { database = entry.database, table } = asked;
    const isOther = database !== entry.database;
    const source = table === undefined ? (isOther ? newEntry().source : entry.source) : { include_tables: [table] };
    return { entry: { ...entry, database, source }, written };
  });
  useEffect(() => write(draft), [draft]);
  return {
    draft,
    setDraft,
    forget() {
      write(null);
    },
    startOver() {
      setDraft({ entry: newEntry(), written: null });
    },
  };
}
