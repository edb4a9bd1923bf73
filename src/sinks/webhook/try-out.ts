/** Test Connection of a webhook: one signed request that says it is a test, and what the endpoint made of it. */
import { checkCircuit } from '../../checks/circuit.ts';
import { type Answered, byHand, notice, passed } from '../../checks/finding.ts';
import { outsideText } from '../../model/outside-text.ts';
import type { HttpReply } from '../../runtime/http-client.ts';
import { openWebhookClient, type WebhookClientSettings } from './client.ts';
import { decode } from './decode.ts';

const ANSWER_CHARACTERS = 4_000;

export async function tryOut(settings: WebhookClientSettings, signal: AbortSignal): Promise<Answered[]> {
  const client = openWebhookClient(settings);
  try {
    return [findingOf(await client.tryOut(signal), signal)];
  } finally {
    await client.close();
  }
}

/** An endpoint may refuse what holds no message: that it answers is what counts. */
function findingOf(reply: HttpReply, signal: AbortSignal): Answered {
  const verdict = decode(reply);
  if (verdict.kind === 'aborted') throw signal.reason ?? new Error('the client is closed');
  if (verdict.kind === 'park' && reply.kind === 'answer') {
    const remedy = 'An endpoint may refuse a test, which has no message in it: look at what it answers.';
    return {
      ...notice('test_refused', `it is there, and answers HTTP ${reply.status} to a test`, byHand(remedy)),
      answer: verdict.error,
    };
  }
  if (verdict.kind !== 'done' || reply.kind !== 'answer')
    return checkCircuit('circuit' in verdict ? verdict.circuit : { reason: 'unreachable', error: null });
  const said = outsideText(reply.mask(reply.text).trim(), { max: ANSWER_CHARACTERS });
  return { ...passed('webhook', `it answers HTTP ${reply.status}`), answer: said === '' ? null : said };
}
