/**
 * A desk for each consumer: while a statement for it is under way, further requests gather, and the next statement is for all of
 * them, in one commit: one for receives, one for acknowledgements. Whether a client still wants it, and may have it, is asked
 * when its statement begins.
 */
import type { BytesQueryable, Queryable } from '../db/pool.ts';
import { statement } from '../db/statement.ts';
import {
  isCancelled,
  isLockTimeout,
  isMissingTable,
  isTransient,
  isUnavailable,
  type ServerError,
} from '../model/sqlstate.ts';
import { type Asked, createGather, type Gather } from '../runtime/concurrency/gather.ts';
import type { Named } from './ack-id.ts';
import { type AcknowledgedRow, type Answered, acknowledging, answeredBy, NONE_ANSWERED } from './acknowledge.ts';
import { answering } from './answering.ts';
import type { Consumer } from './consumer.ts';
import { type Leased, lease, NOTHING } from './lease.ts';

/** Who asks. */
export interface Client {
  /** In whose names it takes a place: its consumer's and its own. */
  names: readonly string[];
  /** It may still have something now. Throws: why it may not. */
  mayStill?: (() => Promise<boolean>) | undefined;
}

export interface LeaseRequest {
  consumer: Consumer;
  client: Client;
  /** It has hung up. */
  signal: AbortSignal;
  batchSize: number;
  /** Acknowledged before, in the same transaction. */
  acks: readonly Named[];
  /** How many bytes all answers of the consumer may have now. */
  maxBytes?: (() => number) | undefined;
}

export interface LeaseAnswer {
  leased: Leased;
  acked: Answered;
}

export interface AcknowledgeRequest {
  consumer: Consumer;
  client: Client;
  named: readonly Named[];
}

export interface Desk {
  lease: Gather<LeaseRequest, LeaseAnswer>;
  acknowledge: Gather<AcknowledgeRequest, Answered>;
}

export interface Desks {
  of(consumer: Pick<Consumer, 'no'>): Desk;
}

export interface DesksDependencies {
  db: BytesQueryable;
  /** Runs what is done in somebody's names when there is a connection for it; `runtime/concurrency/places.ts`. */
  take?: (names: readonly string[], work: () => Promise<void>) => Promise<void>;
}

const ACKNOWLEDGE = statement('receive/acknowledge');

/** Messages that one statement leases for several clients. */
const MOST_MESSAGES = 1_000;
/** Reading or deleting so many takes longer than all the rest of a statement: it need not wait for another, nor be shared. */
const MANY_MESSAGES = 100;
/** Leases that several clients acknowledge in one statement. */
const MOST_LEASES = 200;

export function openDesks(deps: DesksDependencies): Desks {
  const { db, take = (_, work) => work() } = deps;
  const desks = new Map<number, Desk>();
  const turn = (first: { client: Client }, call: () => Promise<void>): Promise<void> => take(first.client.names, call);
  const open = (): Desk => ({
    lease: createGather<LeaseRequest, LeaseAnswer>({
      turn,
      alone: ({ batchSize, acks }) => Math.max(batchSize, messagesOf(acks)) >= MANY_MESSAGES,
      fit: (requests) =>
        Math.min(
          fitting(requests, MOST_MESSAGES, ({ batchSize }) => batchSize),
          fitting(requests, MOST_LEASES, ({ acks }) => acks.length),
        ),
      beside: (requests) => requests.reduce((sum, { batchSize }) => sum + batchSize, 0) >= MANY_MESSAGES,
      run: async (asked) => await leaseFor(db, await stillAsking(asked, { leased: NOTHING, acked: NONE_ANSWERED })),
    }),
    acknowledge: createGather<AcknowledgeRequest, Answered>({
      turn,
      alone: ({ named }) => messagesOf(named) >= MANY_MESSAGES,
      fit: (requests) => fitting(requests, MOST_LEASES, ({ named }) => named.length),
      beside: () => false,
      run: async (asked) => await acknowledgeFor(db, await stillAsking(asked, NONE_ANSWERED)),
    }),
  });
  return {
    of({ no }) {
      const desk = desks.get(no) ?? open();
      desks.set(no, desk);
      return desk;
    },
  };
}

/** How many of the first ones have no more than `most` together. */
function fitting<Request>(requests: readonly Request[], most: number, sizeOf: (request: Request) => number): number {
  let sum = 0;
  const over = requests.findIndex((request) => {
    sum += sizeOf(request);
    return sum > most;
  });
  return over < 0 ? requests.length : over;
}

/** Answers those who have gone or may not go on, and returns the others. */
async function stillAsking<Request extends { client: Client; signal?: AbortSignal }, Answer>(
  asked: readonly Asked<Request, Answer>[],
  nothing: Answer,
): Promise<Asked<Request, Answer>[]> {
  const may = async ({ input, resolve, reject }: Asked<Request, Answer>): Promise<boolean> => {
    try {
      const still = (await input.client.mayStill?.()) !== false && input.signal?.aborted !== true;
      if (!still) resolve(nothing);
      return still;
    } catch (error) {
      reject(error);
      return false;
    }
  };
  const still = await Promise.all(asked.map(may));
  return asked.filter((_, i) => still[i]);
}

const messagesOf = (named: readonly Named[]): number => named.reduce((sum, { count }) => sum + count, 0);

async function leaseFor(db: BytesQueryable, asked: readonly Asked<LeaseRequest, LeaseAnswer>[]): Promise<void> {
  const first = asked[0]?.input;
  if (first === undefined) return;
  try {
    const wanted = asked.map(({ input }) => input);
    const given = await lease(db, first.consumer, { wanted, maxBytes: first.maxBytes?.() });
    for (const [i, { leased, acked }] of given.entries()) {
      const { input, resolve } = asked[i]!;
      if (leased !== undefined) resolve({ leased, acked });
      // What it has acknowledged is done; it goes again for messages.
      else if (input.acks.length > 0) resolve({ leased: { ...NOTHING, more: true }, acked });
    }
  } catch (error) {
    if (isConsumerGone(error)) return answerAll(asked, { leased: NOTHING, acked: NONE_ANSWERED });
    const acknowledgers = asked.filter(({ input }) => input.acks.length > 0);
    if (acknowledgers.length === 0 || !isAboutOne(error, asked)) throw error;
    // Those who only receive go first: who waits for what it acknowledges keeps the consumer's turn meanwhile.
    await leaseFor(
      db,
      asked.filter((each) => !acknowledgers.includes(each)),
    );
    for (const each of acknowledgers) each.retryAlone();
  }
}

async function acknowledgeFor(db: Queryable, asked: readonly Asked<AcknowledgeRequest, Answered>[]): Promise<void> {
  const first = asked[0]?.input;
  if (first === undefined) return;
  const request = acknowledging(asked.map(({ input }) => input.named));
  try {
    const values = [first.consumer.no, request.tokens, request.ids];
    const { rows } = await answering(() => db.query<AcknowledgedRow>(ACKNOWLEDGE, values));
    for (const [i, answered] of answeredBy(request, rows[0], asked.length).entries()) asked[i]!.resolve(answered);
  } catch (error) {
    if (isConsumerGone(error)) return answerAll(asked, NONE_ANSWERED);
    if (!isAboutOne(error, asked)) throw error;
    for (const each of asked) each.retryAlone();
  }
}

function answerAll<Request, Answer>(asked: readonly Asked<Request, Answer>[], answer: Answer): void {
  for (const { resolve } of asked) resolve(answer);
}

/** What a shared statement failed for may be about one of them, and only that one is to hear of it. */
const isAboutOne = (error: unknown, { length }: readonly unknown[]): boolean =>
  length > 1 && !isAway(error) && !isConsumerLocked(error);
const isConsumerGone = (error: unknown): boolean => isMissingTable(error) && isAboutLock(error);
const isConsumerLocked = (error: unknown): boolean => isLockTimeout(error) && isAboutLock(error);
/** Said of a lock of the consumer itself: its statement stands in the error, in every language. */
const isAboutLock = (error: ServerError): boolean => error.where?.includes('lock table millrace_private.') === true;

/** The server cannot be had, which is about nobody. */
const isAway = (error: unknown): boolean => isUnavailable(error) && !isTransient(error) && !isCancelled(error);
