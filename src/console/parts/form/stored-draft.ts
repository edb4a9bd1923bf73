/** Something that is being made, or changed, outlives a reload and other pages in this tab. */
import { useEffect, useState } from 'react';
import { readDraft, writeDraft } from '../../lib/drafts.ts';

interface Kept<Draft> {
  /** Among all drafts: `sink`. For another one the component has another key, too. */
  key: string;
  /** `found`: what was begun before; undefined: nothing. */
  begin: (found: Draft | undefined) => Draft;
  /** Without what may not be kept: secrets. Null: nothing is worth it. */
  kept?: (draft: Draft) => Draft | null;
}

const whole = <Draft>(draft: Draft): Draft => draft;

export function useStoredDraft<Draft extends object>({ key, begin, kept = whole }: Kept<Draft>) {
  const [draft, setDraft] = useState<Draft>(() => begin(readDraft<Draft>(key)));
  useEffect(() => writeDraft(key, kept(draft)), [key, draft, kept]);
  const [revision, setRevision] = useState(0);
  return {
    draft,
    setDraft,
    forget: () => writeDraft(key, null),
    /** How often somebody has started over: of its form nothing is left then, if this is its key. */
    revision,
    startOver(fresh: Draft) {
      setDraft(fresh);
      setRevision(revision + 1);
    },
  };
}
