/** What somebody has begun to write in this tab, for that person alone. */
import { parseKeeping, writeKeeping } from '../api/json-text.ts';

const PERSON = 'millrace.person';
const keyOf = (key: string): string => `millrace.${key}-draft`;

const NO_KEYS: ReadonlySet<string> = new Set();

/** With every digit that it was written with. */
export function readDraft<Draft>(key: string): Draft | undefined {
  try {
    return (parseKeeping(sessionStorage.getItem(keyOf(key)) ?? 'null', NO_KEYS) as Draft | null) ?? undefined;
  } catch {
    return undefined;
  }
}

/** Null: there is none any more. */
export function writeDraft(key: string, draft: object | null): void {
  try {
    if (draft === null) sessionStorage.removeItem(keyOf(key));
    else sessionStorage.setItem(keyOf(key), writeKeeping(draft));
  } catch {}
}

/** Whoever is logged in now: what somebody else has begun here is gone. */
export function keepDraftsOf(person: string): void {
  try {
    if (sessionStorage.getItem(PERSON) === person) return;
    for (const key of Object.keys(sessionStorage)) if (key.startsWith('millrace.')) sessionStorage.removeItem(key);
    sessionStorage.setItem(PERSON, person);
  } catch {}
}
