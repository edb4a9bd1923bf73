/**
 * Ends what waits with a token that is no longer good for it, however that came about: revoked or changed by SQL or by a
 * file. All tokens with which somebody waits are looked up twice a second, in one statement, and at once when Postgres says
 * that tokens have changed.
 */
import type { KnownToken } from '../catalog/tokens.ts';
import { type Caller, type FindToken, refusalOf } from './auth.ts';

export interface Revoked {
  /** Until `end`. */
  watch(caller: Caller, consumerName: string): Watch;
  /** Looks now. */
  look(): void;
  close(): void;
}

export interface Watch {
  /** Aborts, with a MillraceError as its reason, when the caller may not consume any more. */
  signal: AbortSignal;
  /** As of a second ago at most. Aborts `signal` before it resolves to false. Throws what the look-up throws. */
  mayStill(): Promise<boolean>;
  end(): void;
}

export interface RevokedOptions {
  /** 500. */
  everyMs?: number;
}

interface Watched {
  caller: Caller;
  consumerName: string;
  controller: AbortController;
}

export function createRevoked(deps: { findToken: FindToken }, options: RevokedOptions = {}): Revoked {
  const watched = new Set<Watched>();
  let timer: NodeJS.Timeout | undefined;

  const judge = (known: KnownToken | undefined, { consumerName, controller }: Watched): boolean => {
    const refusal = refusalOf(known, consumerName);
    if (refusal !== undefined) controller.abort(refusal);
    return refusal === undefined;
  };
  const check = async (token: string, all: Watched[]): Promise<void> => {
    const known = await deps.findToken(token, { fresh: true });
    for (const one of all) judge(known, one);
  };
  const look = (): void => {
    for (const [token, all] of Map.groupBy(watched, ({ caller }) => caller.token)) {
      // A database that does not answer hands out no messages either, and says so itself.
      check(token, all).catch(() => undefined);
    }
  };
  const close = (): void => {
    clearInterval(timer);
    timer = undefined;
  };

  return {
    watch(caller, consumerName) {
      const entry: Watched = { caller, consumerName, controller: new AbortController() };
      watched.add(entry);
      timer ??= setInterval(look, options.everyMs ?? 500);
      return {
        signal: entry.controller.signal,
        mayStill: async () => judge(await deps.findToken(caller.token), entry),
        end() {
          watched.delete(entry);
          if (watched.size === 0) close();
        },
      };
    },
    look,
    close,
  };
}
