/**
 * Hands on what a stream says. What it says before there is a session is kept for it, in its order. A change that was left
 * out because there was no publication ends the stream: it is a gap.
 */
import type { Position } from '../../messages/append.ts';
import { withoutPublication } from '../../model/sqlstate.ts';
import type { StreamHandlers } from './connection.ts';

/** Who hears it: a session. */
export interface Hearer extends Pick<StreamHandlers, 'onMessage' | 'onKeepAlive'> {
  /** Tables that have sent something. */
  readonly relations: Iterable<unknown>;
}

export interface Hearing {
  handlers: Required<StreamHandlers>;
  /** When something came last, be it a part of a message that takes long; on performance's clock. */
  lastHeard: number;
  /** From now on the session hears it, what came before included; `stored`: where it begins. */
  begin(session: Hearer, stored: Position): void;
}

export function openHearing(): Hearing {
  let hearer: { session: Hearer; stored: Position } | undefined;
  const early: (() => void)[] = [];
  const onWithoutPublication = (): void => {
    if (!hearer) return void early.push(onWithoutPublication);
    // What is older than all that was captured may be older than the publication.
    const isFirst = hearer.stored.commitIdx < 0 && [...hearer.session.relations].length === 0;
    if (!isFirst) throw withoutPublication();
  };
  const heard = (): void => {
    hearing.lastHeard = performance.now();
  };
  const hearing: Hearing = {
    lastHeard: 0,
    handlers: {
      onBytes: heard,
      onMessage(bytes) {
        heard();
        if (hearer) return hearer.session.onMessage(bytes);
        const kept = Buffer.from(bytes);
        early.push(() => hearer?.session.onMessage(kept));
      },
      onKeepAlive(walEnd, replyRequested) {
        heard();
        hearer?.session.onKeepAlive(walEnd, replyRequested);
      },
      onWithoutPublication,
    },
    begin(session, stored) {
      hearer = { session, stored };
      for (const tell of early.splice(0)) tell();
    },
  };
  return hearing;
}
