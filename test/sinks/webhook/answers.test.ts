/** What each answer means: done, again, parked, or the whole endpoint's. */
import { expect } from 'chai';
import type { Sink } from '../../../src/model/sink.ts';
import type { WebhookDestination } from '../../../src/sinks/webhook/section.ts';
import { answers, deliveries, idsOf, kinds } from '../../support/webhook/batches.ts';
import { type Endpoint, startEndpoint } from '../../support/webhook/endpoint.ts';
import { NEVER, type OpenOptions, openTestWebhookSink, webhookDestination } from '../../support/webhook/sink.ts';

describe('what an answer of a webhook means', () => {
  let endpoint: Endpoint;
  let sink: Sink | undefined;

  beforeEach(async () => {
    endpoint = await startEndpoint();
  });
  afterEach(async () => {
    await sink?.close();
    await endpoint.close();
  });

  const open = (changed: Partial<WebhookDestination> = {}, options: OpenOptions = {}): Sink => {
    sink = openTestWebhookSink(webhookDestination(endpoint.url, changed), options);
    return sink;
  };
  for (const status of [200, 201, 202, 204, 299])
    it(`HTTP ${status} is done`, async () => {
      answers(endpoint, { 1: { status } });
      expect(await open().send(deliveries('1a'), NEVER)).to.deep.equal({ outcomes: [{ kind: 'done' }] });
    });

  for (const status of [400, 406, 409, 413, 418, 422, 451])
    it(`HTTP ${status} parks the message, with the answer`, async () => {
      answers(endpoint, { 1: status });
      const { outcomes } = await open().send(deliveries('1a'), NEVER);
      expect(outcomes).to.deep.equal([{ kind: 'park', error: `HTTP ${status}: no ${status}`, answer: { status } }]);
    });

  for (const status of [408, 425, 429, 500, 502, 503, 504, 599])
    it(`HTTP ${status} for one message of several is tried again, as soon as it wishes`, async () => {
      answers(endpoint, { 1: { status, text: 'later', headers: { 'retry-after': '7' } } });
      const { outcomes } = await open().send(deliveries('1a 2b'), NEVER);
      expect(outcomes).to.deep.equal([
        { kind: 'retry', error: `HTTP ${status}: later`, retryAfterMs: 7000, answer: { status } },
        { kind: 'done' },
      ]);
    });

  const REFUSED: [number, string][] = [
    [401, 'auth_failed'],
    [403, 'auth_failed'],
    [404, 'bad_destination'],
    [405, 'bad_destination'],
    [302, 'bad_destination'],
    [308, 'bad_destination'],
  ];
  for (const [status, reason] of REFUSED) {
    it(`HTTP ${status} for every message is the circuit ${reason}, and blames none`, async () => {
      endpoint.answer = () => ({ status, text: 'no' });
      const result = await open().send(deliveries('1a 2b 3c'), NEVER);
      expect(result.circuit?.reason).to.equal(reason);
      expect(result.circuit).to.not.have.property('isPassing');
      expect(kinds(result)).to.equal('untried untried untried');
    });

    it(`HTTP ${status} for one parks it when the endpoint takes a later one`, async () => {
      answers(endpoint, { 1: status });
      expect(kinds(await open({ parallel: 1 }).send(deliveries('1a 2b'), NEVER))).to.equal('park done');
    });
  }

  it('a credential that is revoked on the way parks nothing: what was taken is done, the rest waits', async () => {
    let count = 0;
    endpoint.answer = () => (++count > 3 ? { status: 401 } : undefined);
    const result = await open({ parallel: 1 }).send(deliveries('1- 2- 3- 4- 5- 6-'), NEVER);
    expect(kinds(result)).to.equal('done done done untried untried untried');
    expect(result.circuit?.reason).to.equal('auth_failed');
  });

  it('HTTP 410 says that it is gone: nothing more is sent', async () => {
    answers(endpoint, { 2: 410 });
    const result = await open({ parallel: 1 }).send(deliveries('1- 2- 3-'), NEVER);
    expect(result.circuit).to.include({ isGone: true, error: 'HTTP 410: no 410' });
    expect(kinds(result)).to.equal('done untried untried');
    expect(idsOf(endpoint.requests)).to.equal('1 2');
  });

  it('Retry-After may be a date, and an hour counts at most', async () => {
    const now = Date.parse('2026-01-01T00:00:00Z');
    answers(endpoint, {
      1: { status: 503, headers: { 'retry-after': 'Thu, 01 Jan 2026 00:30:00 GMT' } },
      2: { status: 503, headers: { 'retry-after': '999999' } },
    });
    const { outcomes } = await open({ parallel: 1 }, { now: () => now }).send(deliveries('1a 2b 3c'), NEVER);
    expect(outcomes.map((one) => 'retryAfterMs' in one && one.retryAfterMs)).to.deep.equal([
      1_800_000,
      3_600_000,
      false,
    ]);
  });
});
