/**
 * Removes a database. Capture goes on for up to half a minute after the last sink of a database is gone, and what it reads cannot
 * be dropped: it is asked for again until capture has let go, as the API says, or until somebody gives up.
 */
import { useEffect, useRef, useState } from 'react';
import type { Answer, ApiError } from '../../api/client.ts';
import { useCall } from '../../api/queries.ts';
import { settingsOf } from './edited.ts';
import type { Database } from './use-database.ts';

/** The API itself waits for some seconds each time. */
const AGAIN_MS = 2_000;
/** Whoever still reads then is somebody else. */
const LET_GO_MS = 60_000;

const isStillRead = (error: ApiError): boolean => error.status === 503 && typeof error.body.pid === 'number';

type Removed = Answer<'/api/postgres_databases/{database}', 'delete'>;

/** `isOpen`: nobody has given up. */
export function useRemoval(database: Database, isOpen: boolean, onDone: (removed: Removed) => void) {
  const remove = useCall('delete', '/api/postgres_databases/{database}');
  // Capture still reads, as was found last.
  const [isHeld, setHeld] = useState(false);
  const since = useRef(0);
  const { slot, publication } = settingsOf(database);
  // What was made for it is listed where it is asked whether it may go.
  const isAgreed =
    database.capture === 'triggers' || slot.create_if_not_exists === true || publication.create_if_not_exists === true;
  const mayStay = remove.error?.code === 'needs_force';
  const run = (): void =>
    remove.mutate(
      {
        path: { database: database.name },
        query: {
          ...(isAgreed || mayStay ? { force: 'true' as const } : {}),
          ...(database.managed_by === 'file' ? { release: 'true' as const } : {}),
        },
        version: database.version,
      },
      {
        onSuccess: onDone,
        onError: (error) => setHeld(isStillRead(error) && Date.now() - since.current < LET_GO_MS),
      },
    );
  const latest = useRef(run);
  latest.current = run;
  const isWaiting = isOpen && isHeld;
  const isDue = isWaiting && !remove.isPending;
  useEffect(() => {
    if (!isDue) return;
    const timer = setTimeout(() => latest.current(), AGAIN_MS);
    return () => clearTimeout(timer);
  }, [isDue]);
  return {
    start(): void {
      since.current = Date.now();
      run();
    },
    reset(): void {
      setHeld(false);
      remove.reset();
    },
    /** Something stays in the source if it is removed now. */
    mayStay,
    /** For capture to let go. */
    isWaiting,
    isBusy: remove.isPending || isWaiting,
    error: isWaiting ? null : remove.error,
  };
}
