/**
 * Answers into verdicts: the one table of what each answer means (docs/webhook.md: "Answers").
 * Guarantees: nothing is done that was not answered with 2xx; what says nothing of the message (the credential, the address,
 * a redirect) never blames it by itself. No more of an answer is shown than 4,000 characters, with no secret in it.
 */
import { outsideText } from '../../model/outside-text.ts';
import { type AnswerFacts, type Circuit, noConnection } from '../../model/sink.ts';
import type { HttpReply } from '../../runtime/http-client.ts';

export type Verdict =
  | { kind: 'done' }
  /** It may be taken another time. `circuit`: what it is when nothing else is taken either. */
  | { kind: 'retry'; circuit: Circuit }
  /** Not about this message, unless others are taken. */
  | { kind: 'refused'; circuit: Circuit }
  /** It will never be taken; or, of a batch, some message in it. */
  | { kind: 'park'; error: string; answer?: AnswerFacts }
  /** Nothing can be sent at all: there is no connection, or the endpoint is gone. */
  | { kind: 'down'; circuit: Circuit }
  | { kind: 'aborted' };

type Answer = Extract<HttpReply, { kind: 'answer' }>;

const ERROR_CHARACTERS = 4_000;
/** About how a request is made, and so the same for every message. */
const REFUSED: Record<number, { reason: Circuit['reason']; remedy: string }> = {
  401: { reason: 'auth_failed', remedy: 'correct encrypted_headers or signing_secrets' },
  402: { reason: 'auth_failed', remedy: 'the endpoint wants to be paid' },
  403: {
    reason: 'auth_failed',
    remedy: 'correct encrypted_headers or signing_secrets, or let the endpoint accept this sender',
  },
  404: { reason: 'bad_destination', remedy: 'correct url' },
  405: { reason: 'bad_destination', remedy: 'correct method or url' },
  407: { reason: 'auth_failed', remedy: 'a proxy before the endpoint wants a credential' },
  415: { reason: 'bad_destination', remedy: 'correct the header content-type' },
  421: { reason: 'bad_destination', remedy: 'correct url' },
  426: { reason: 'bad_destination', remedy: 'the endpoint wants another protocol: correct url' },
};
const LATER = new Set([408, 425, 429]);

export function decode(reply: HttpReply): Verdict {
  switch (reply.kind) {
    case 'answer':
      return decodeAnswer(reply);
    case 'unreachable':
      return { kind: 'down', circuit: noConnection(reply) };
    case 'lost':
      return { kind: 'retry', circuit: { reason: 'unreachable', error: reply.error, isPassing: true } };
    case 'aborted':
      return reply;
  }
}

function decodeAnswer(reply: Answer): Verdict {
  const { status } = reply;
  if (status >= 200 && status < 300) return { kind: 'done' };
  if (status >= 300 && status < 400) {
    const target = reply.location === undefined ? '' : ` to ${reply.location}`;
    const error = `HTTP ${status}${target}; redirects are not followed: set url to the address itself`;
    return { kind: 'refused', circuit: { reason: 'bad_destination', error: capped(error), answer: { status } } };
  }
  const error = errorText(reply);
  if (status === 410) return { kind: 'down', circuit: { reason: 'bad_destination', error, isGone: true } };
  const refused = REFUSED[status];
  if (refused) {
    const { reason, remedy } = refused;
    return { kind: 'refused', circuit: { reason, error: capped(`${error}; ${remedy}`), answer: { status } } };
  }
  if (status < 500 && !LATER.has(status)) return { kind: 'park', error, answer: { status } };
  const reason = status === 429 || status === 503 ? 'overloaded' : 'unreachable';
  const { retryAfterMs } = reply;
  const later = retryAfterMs === undefined ? {} : { retryAfterMs };
  const circuit: Circuit = { reason, error, isPassing: true, ...later, answer: { status } };
  return { kind: 'retry', circuit };
}

/** Masked before it is cut: of half a secret nobody could tell that it is one. */
function errorText({ status, text, mask }: Answer): string {
  const said = mask(text.slice(0, 8 * ERROR_CHARACTERS)).trim();
  return capped(said === '' ? `HTTP ${status} with an empty answer` : `HTTP ${status}: ${said}`);
}

const capped = (text: string): string => outsideText(text, { max: ERROR_CHARACTERS });
