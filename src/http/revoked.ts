/**
 * Ends what waits with a token that is no longer good for it, however that came about: revoked or changed by SQL or by a
 * file. All tokens with which somebody waits are looked up twice a second, in one statement. Who waits is also sent away when the
 * consumer that it asked for is not there any more, or another one has its name: it would wait for messages that go elsewhere.
 */
import type { MillraceError } from '../model/errors.ts';
import type { Consumer, Consumers } from '../receive/consumer.ts';
import { type Caller, type FindToken, refusalOf } from './auth.ts';

/** What somebody asked for, and what that was. */
export interface AskedConsumer {
  nameOrId: string;
  consumer: Consumer;
}

/** Why, as an error; undefined: it may ask again, for what there is now. */
export type Stop = (refusal?: MillraceError) => void;

export interface Revoked {
  /** Until `end`. `stop` is called when the caller may not consume any more, or the consumer is not what it was. */
  watch(caller: Caller, asked: AskedConsumer, stop: Stop): Watch;
  close(): void;
}

export interface Watch {
  /**
   * The token as of a second ago at most, the consumer as of the last change of the catalog. Calls `stop` before it resolves to
   * false. Throws what the look-ups throw.
   */
  mayStill(): Promise<boolean>;
  end(): void;
}

export interface RevokedOptions {
  /** 500. */
  everyMs?: number;
}

interface Watched {
  caller: Caller;
  asked: AskedConsumer;
  stop: Stop;
}

export function createRevoked(
  { findToken, consumers }: { findToken: FindToken; consumers: Pick<Consumers, 'find'> },
  options: RevokedOptions = {},
): Revoked {
  const watched = new Set<Watched>();
  let timer: NodeJS.Timeout | undefined;

  /** What has changed; undefined: nothing that matters. */
  const changeOf = async (
    { caller, asked }: Watched,
    how: { fresh: boolean },
  ): Promise<{ refusal: MillraceError | undefined } | undefined> => {
    const known = await findToken(caller.hash ?? caller.token, how);
    const now = await consumers.find(asked.nameOrId, how);
    const refusal = refusalOf(known, now);
    return refusal === undefined && now?.no === asked.consumer.no ? undefined : { refusal };
  };
  const mayStill = async (one: Watched): Promise<boolean> => {
    // A rename changes a consumer and the tokens for it together, but what is remembered of them not at the same moment.
    const change = (await changeOf(one, { fresh: false })) && (await changeOf(one, { fresh: true }));
    if (change !== undefined) one.stop(change.refusal);
    return change === undefined;
  };
  const check = async (token: string, all: Watched[]): Promise<void> => {
    const known = await findToken(token, { fresh: true });
    const doubtful = all.filter(({ asked }) => refusalOf(known, asked.consumer) !== undefined);
    await Promise.all(doubtful.map(mayStill));
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
    watch(caller, asked, stop) {
      const entry: Watched = { caller, asked, stop };
      watched.add(entry);
      timer ??= setInterval(look, options.everyMs ?? 500);
      return {
        mayStill: () => mayStill(entry),
        end() {
          watched.delete(entry);
          if (watched.size === 0) close();
        },
      };
    },
    close,
  };
}
