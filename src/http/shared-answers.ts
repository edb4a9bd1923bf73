/**
 * What a route answers, as text. Tabs ask the same again and again: whoever says that an answer some seconds old will do
 * (`Cache-Control: max-age=2`) is given one that was made for somebody with the same scopes, while there is one. Others have it made
 * anew, so whoever has changed something sees that in whatever is read next.
 */
import { textOf } from '../api/raw-json.ts';
import { type Reply, replyOf } from '../api/reply.ts';
import type { ApiDeps, Asking, Route } from '../api/route.ts';
import { Signed } from '../api/signed.ts';
import { SCOPES } from '../model/scope.ts';
import { rememberedBy } from './remembered.ts';

export interface Answered extends Omit<Reply, 'body'> {
  text: string;
  /** The cursor of the next page; null: there is none, or it is no list. */
  next: string | null;
  /** What a session's cookie holds from now on; null: nothing; absent: what it did. */
  signed?: string | null;
  /** Of `performance.now()`: it was true then, or since. */
  askedAt: number;
}

export interface Question {
  route: Route;
  input: unknown;
  asking: Asking;
}

/** @throws what the route throws. */
export async function answerOf(deps: ApiDeps, { route, input, asking }: Question): Promise<Answered> {
  const askedAt = performance.now();
  const result = await route.run(deps, input, asking);
  const { body, ...reply } = replyOf(route, result);
  return {
    ...{ ...reply, askedAt, text: textOf(body), next: nextOf(body) },
    ...(result instanceof Signed && { signed: result.value }),
  };
}

function nextOf(body: unknown): string | null {
  if (typeof body !== 'object' || body === null || !('next_cursor' in body)) return null;
  return typeof body.next_cursor === 'string' ? body.next_cursor : null;
}

/** Answers at a time, and characters of one. */
const MOST = 64;
const LONGEST = 400_000;

/** For routes that are shared. Of who asks they see the scopes alone (`Permitted`). */
export const sharedAnswers = (deps: ApiDeps) =>
  rememberedBy((question: Question) => answerOf(deps, question), {
    ...{ keepMs: 0, most: MOST },
    keyOf: ({ route, input, asking }) =>
      JSON.stringify([route.method, route.path, input, SCOPES.filter((scope) => asking.may(scope))]),
    isKept: ({ text }) => text.length <= LONGEST,
  });

const MAX_AGE = /(?:^|,)\s*max-age=(\d{1,9})\s*(?:,|$)/i;
const MOST_SECONDS = 10;

/** How old an answer may be, as the header `Cache-Control` of a request has it, within bounds; 0: not at all. */
export function acceptedMs(header: string | undefined): number {
  const seconds = Number(MAX_AGE.exec(header ?? '')?.[1] ?? 0);
  return Math.min(seconds, MOST_SECONDS) * 1_000;
}

/** Whole seconds since it was asked for. */
export const ageOf = ({ askedAt }: Answered): number => Math.floor((performance.now() - askedAt) / 1_000);
