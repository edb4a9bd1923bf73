/**
 * Ends what waits with a token that is no longer good for it, however that came about: revoked or changed by SQL or by a
 * file. All tokens with which somebody waits are looked up twice a second, in one statement, and at once when Postgres says
 * that tokens have changed.
 */
import type { KnownToken } from '../catalog/tokens.ts';
import type { MillraceError } from '../model/errors.ts';
import { type Caller, type FindToken, findAgain, refusalOf } from './auth.ts';

export interface Revoked {
  /** Until `end`. `stop` is called with a MillraceError when the caller may not consume any more. */
  watch(caller: Caller, consumerName: string, stop: (refusal: MillraceError) => void): Watch;
  /** Looks now. */
  look(): void;
  close(): void;
}

export interface Watch {
  /** As of a second ago at most. Calls `stop` before it resolves to false. Throws what the look-up throws. */
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
  stop: (refusal: MillraceError) => void;
}

export function createRevoked(deps: { findToken: FindToken }, options: RevokedOptions = {}): Revoked {
  const watched = new Set<Watched>();
  let timer: NodeJS.Timeout | undefined;

  const judge = (known: KnownToken | undefined, { consumerName, stop }: Watched): boolean => {
    const refusal = refusalOf(known, consumerName);
    if (refusal !== undefined) stop(refusal);
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
    watch(caller, consumerName, stop) {
      const entry: Watched = { caller, consumerName, stop };
      watched.add(entry);
      timer ??= setInterval(look, options.everyMs ?? 500);
      return {
        mayStill: async () => judge(await findAgain(deps.findToken, caller), entry),
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
