/** Something that is being made outlives a reload in this tab. */
import { useEffect, useState } from 'react';

interface Kept<Draft> {
  /** Among all drafts: `sink`. */
  key: string;
  /** `found`: what was begun before; undefined: nothing. */
  begin: (found: Draft | undefined) => Draft;
  /** Without what may not be kept: secrets. */
  kept?: (draft: Draft) => Draft;
}

function read<Draft>(key: string): Draft | undefined {
  try {
    return (JSON.parse(sessionStorage.getItem(`millrace.${key}-draft`) ?? 'null') as Draft | null) ?? undefined;
  } catch {
    return undefined;
  }
}

function write(key: string, draft: object | null): void {
  try {
    if (draft === null) sessionStorage.removeItem(`millrace.${key}-draft`);
    else sessionStorage.setItem(`millrace.${key}-draft`, JSON.stringify(draft));
  } catch {}
}

const whole = <Draft>(draft: Draft): Draft => draft;

export function useStoredDraft<Draft extends object>({ key, begin, kept = whole }: Kept<Draft>) {
  const [draft, setDraft] = useState<Draft>(() => begin(read(key)));
  useEffect(() => write(key, kept(draft)), [key, draft, kept]);
  return {
    draft,
    setDraft,
    forget: () => write(key, null),
  };
}
