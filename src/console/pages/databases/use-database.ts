/** The database of a page: asked by its frame each two seconds, for all its tabs. */
import { createContext, useContext } from 'react';
import type { Schemas } from '../../api/client.ts';

export type Database = Schemas['Database'];

export const DatabaseContext = createContext<Database | null>(null);

/** In a tab of a database: it is known there. */
export function useDatabase(): Database {
  const database = useContext(DatabaseContext);
  if (database === null) throw new Error('useDatabase outside of the frame of a database');
  return database;
}

interface Judged {
  health: string;
  /** As capture says it; null: no sink reads from it. */
  state: string | null;
}

/** In one word. A state that nobody has confirmed is never told as good. */
export function stateOf({ health, state }: Judged): string {
  if (state === null) return 'not_captured';
  if (['needs_resync', 'starting', 'unknown'].includes(state)) return state;
  return health === 'healthy' && state === 'error' ? 'failing' : health;
}

/** Codes of what is wrong that the word for the state does not say itself. */
export const codeOf = ({ state }: Judged, reasons: readonly string[]): string | null =>
  reasons.find((reason) => reason !== state && reason !== 'error') ?? null;
