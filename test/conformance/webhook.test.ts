/** The webhook sink, a request for each message and in batches, on a scripted endpoint. */
import { expect } from 'chai';
import type { Delivery } from '../../src/model/sink.ts';
import { delivery } from '../support/fixtures/delivery.ts';
import { type Endpoint, startEndpoint } from '../support/webhook/endpoint.ts';
import { openTestWebhookSink, webhookDestination } from '../support/webhook/sink.ts';
import { type Condition, type SinkHarness, sinkConformance } from './sink-conformance.ts';

const SECRET = 'c2VjcmV0LXRva2Vu';
const POISON = 'refused for good';

/** Every message arrived, nothing else did, and those of one group in their order, whatever is sent again. */
function expectReceived(endpoint: Endpoint, delivered: readonly Delivery[]): void {
  const arrived = endpoint.taken.flatMap(({ body }) => {
    const { data, ...message } = JSON.parse(body);
    return data ?? [message];
  });
  const messages = delivered.map(({ record, changes, action, metadata }) => ({
    record: JSON.parse(record),
    changes: changes === null ? null : JSON.parse(changes),
    action,
    metadata: JSON.parse(metadata),
  }));
  const sorted = (list: readonly unknown[]): string[] => [...new Set(list.map((one) => JSON.stringify(one)))].sort();
  expect(sorted(arrived)).to.deep.equal(sorted(messages));
  const first = (list: { record: { id: string } }[], id: string): string[] => [
    ...new Set(list.filter(({ record }) => record.id === id).map((one) => JSON.stringify(one))),
  ];
  for (const { recordPks } of delivered) {
    expect(first(arrived, recordPks[0]!)).to.deep.equal(first(messages as typeof arrived, recordPks[0]!));
  }
}

const makeHarness =
  (batch: boolean) =>
  async (condition: Condition): Promise<SinkHarness> => {
    const endpoint = await startEndpoint();
    let mood = condition;
    endpoint.answer = ({ headers, body }) => {
      if (mood === 'missing') return { status: 404, text: 'no such hook' };
      if (mood === 'refused') return { status: 401, text: `${headers.authorization} is not known` };
      if (mood === 'lost') return { close: true, taken: true };
      return body.includes(POISON) ? { status: 422, text: `no ${POISON}, ${headers.authorization}` } : undefined;
    };
    if (condition === 'down') await endpoint.leave();
    const sink = openTestWebhookSink(webhookDestination(endpoint.url, { batch }), {
      encrypted_headers: { Authorization: `Bearer ${SECRET}` },
    });
    return {
      sink,
      send: (deliveries, signal) => sink.send(deliveries, signal),
      holds: async (delivered) => expectReceived(endpoint, delivered),
      poison: (id) => delivery(id, `k${id}`, { record: JSON.stringify({ id: `k${id}`, note: POISON }) }),
      repeats: true,
      missing: 'bad_destination',
      // Whether it takes messages shows with the next one: a probe must not look like a message.
      tests: 'connection',
      secret: SECRET,
      async fix() {
        mood = 'ready';
        if (condition === 'down') await endpoint.comeBack();
      },
      close: () => endpoint.close(),
    };
  };

sinkConformance('the webhook', makeHarness(false));
sinkConformance('the webhook in batches', makeHarness(true));
