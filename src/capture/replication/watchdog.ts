/**
 * Is the other end of a stream still there? A quiet source is asked for a sign of life, which it gives at once, but for one that is
 * busy with what it will send: that may take it as long as its own wal_sender_timeout allows, and longer. So the server is asked on
 * another connection what it is doing, and one that is waiting, and has not answered, is not heard any more.
 */
import { isFull, isUnanswered, isUnheard } from '../../model/sqlstate.ts';
import { within } from '../../runtime/concurrency/within.ts';
import type { Way } from '../method.ts';
import type { ReplicationStream } from './connection.ts';
import type { Hearing } from './hearing.ts';
import type { CaptureSession } from './session.ts';

/** The server looks after what it has kept of the slot first. */
const START_MS = 60_000;

/** Throws what the server says, and that it says nothing. */
export async function untilStarted({ started }: ReplicationStream, startMs = START_MS): Promise<void> {
  const begun = started.then(() => true);
  if (!(await within(startMs, begun))) throw new Error(`no answer within ${startMs} ms to the request for the stream`);
}

export interface Watched {
  way: Pick<Way, 'isIdle'>;
  session: Pick<CaptureSession, 'confirm' | 'paused'>;
  hearing: Pick<Hearing, 'lastHeard'>;
  /** The server's wal_sender_timeout: it wants to hear of us in that time. */
  timeoutMs: number;
  /** After so long the server is asked what it is doing. */
  silentMs: number;
}

/** Looks; to be called four times in the shorter of the two times. Throws when the connection is dead. */
export function openWatchdog({ way, session, hearing, timeoutMs, silentMs }: Watched): () => Promise<void> {
  let asking = false;
  const silence = (): number => performance.now() - hearing.lastHeard;
  const dead = (): Error =>
    new Error(`the source has been silent for ${Math.round(silence() / 1000)} s: the connection is dead`);
  return async () => {
    // What we do not read we cannot miss.
    if (session.paused) hearing.lastHeard = performance.now();
    if (silence() > 2 * timeoutMs) throw dead();
    session.confirm(silence() > silentMs / 2);
    if (asking || silence() <= silentMs) return;
    asking = true;
    const isDead = await isIdle(way).finally(() => {
      asking = false;
    });
    if (isDead && silence() > silentMs) throw dead();
  };
}

/** Throws what else the server says: it ends the stream too. */
async function isIdle(way: Watched['way']): Promise<boolean> {
  try {
    return await way.isIdle();
  } catch (error) {
    if (isUnheard(error)) return true;
    if (isUnanswered(error) || isFull(error)) return false;
    throw error;
  }
}
