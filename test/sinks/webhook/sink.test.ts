/** Order, who is at fault, and when a call ends. */
import { expect } from 'chai';
import type { Delivery, SendResult, Sink } from '../../../src/model/sink.ts';
import type { WebhookDestination } from '../../../src/sinks/webhook/destination.ts';
import { delivery } from '../../support/fixtures/delivery.ts';
import { until } from '../../support/until.ts';
import { type Answer, type Endpoint, type Received, startEndpoint } from '../../support/webhook/endpoint.ts';
import { NEVER, type OpenOptions, openTestWebhookSink, webhookDestination } from '../../support/webhook/sink.ts';

/** `1a 2a 3b`: ids with their groups; `4-`: in none. */
function deliveries(text: string, options: Partial<Delivery> = {}): Delivery[] {
  return text.split(' ').map((one) => {
    const group = one.at(-1)!;
    return delivery(Number(one.slice(0, -1)), group, { groupKey: group === '-' ? 0 : group.charCodeAt(0), ...options });
  });
}
const kinds = ({ outcomes }: SendResult): string => outcomes.map(({ kind }) => kind).join(' ');
const idsOf = (requests: readonly Received[]): string =>
  requests.map(({ records }) => records.map(({ at }) => at).join('+')).join(' ');

describe('the webhook sink', () => {
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
  /** Answers by the ids of a request's messages; 204 where nothing is said. */
  const answers = (byId: Record<number, number | Answer>): void => {
    endpoint.answer = ({ records }) => {
      const answer = records.map(({ at }) => byId[Number(at)]).find((one) => one !== undefined);
      return typeof answer === 'number' ? { status: answer, text: `no ${answer}` } : answer;
    };
  };

  describe('order', () => {
    it('one request of a group is under way, others beside it, up to the limit', async () => {
      let release = (): void => undefined;
      const held = new Promise<void>((resolve) => {
        release = resolve;
      });
      endpoint.answer = () => ({ hold: held, status: 200 });
      const sending = open({ parallel: 3 }).send(deliveries('1a 2a 3b 4c 5d 6a'), NEVER);
      await until('three are under way', () => endpoint.underWay().now === 3);
      expect(idsOf(endpoint.requests).split(' ').sort()).to.deep.equal(['1', '3', '4']);
      release();
      expect(kinds(await sending)).to.equal('done done done done done done');
      expect(endpoint.underWay().most).to.equal(3);
      const ofGroup = endpoint.requests.filter(({ records }) => records[0]!.id === 'a');
      expect(idsOf(ofGroup)).to.equal('1 2 6');
    });

    it('what is to be retried holds back its group, and nobody else; what is parked holds back nothing', async () => {
      answers({ 1: 500, 4: 422 });
      expect(kinds(await open().send(deliveries('1a 2b 3a 4b 5b 6a 7-'), NEVER))).to.equal(
        'retry done held park done held done',
      );
      expect(idsOf(endpoint.requests).split(' ').sort()).to.deep.equal(['1', '2', '4', '5', '7']);
    });

    it('messages without a group wait for nobody', async () => {
      answers({ 1: 500 });
      expect(kinds(await open({ parallel: 1 }).send(deliveries('1- 2- 3-'), NEVER))).to.equal('retry done done');
    });

    it('in batches: of one group never two requests at a time, and what follows a failed one stays behind', async () => {
      answers({ 2: 503 });
      const result = await open({ batch: true, batch_size: 2 }).send(deliveries('1a 2b 3c 4b 5d 6d'), NEVER);
      expect(kinds(result)).to.equal('retry retry done held done done');
      expect(idsOf(endpoint.requests))
        .to.match(/^1\+2 .*\b3\b/)
        .and.not.contain('4');
    });
  });

  describe('what an answer means', () => {
    for (const status of [200, 201, 202, 204, 299])
      it(`HTTP ${status} is done`, async () => {
        answers({ 1: { status } });
        expect(await open().send(deliveries('1a'), NEVER)).to.deep.equal({ outcomes: [{ kind: 'done' }] });
      });

    for (const status of [400, 406, 409, 413, 418, 422, 451])
      it(`HTTP ${status} parks the message, with the answer`, async () => {
        answers({ 1: status });
        const { outcomes } = await open().send(deliveries('1a'), NEVER);
        expect(outcomes).to.deep.equal([{ kind: 'park', error: `HTTP ${status}: no ${status}` }]);
      });

    for (const status of [408, 425, 429, 500, 502, 503, 504, 599])
      it(`HTTP ${status} for one message of several is tried again, as soon as it wishes`, async () => {
        answers({ 1: { status, text: 'later', headers: { 'retry-after': '7' } } });
        const { outcomes } = await open().send(deliveries('1a 2b'), NEVER);
        expect(outcomes).to.deep.equal([
          { kind: 'retry', error: `HTTP ${status}: later`, retryAfterMs: 7000 },
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
        answers({ 1: status });
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
      answers({ 2: 410 });
      const result = await open({ parallel: 1 }).send(deliveries('1- 2- 3-'), NEVER);
      expect(result.circuit).to.include({ isGone: true, error: 'HTTP 410: no 410' });
      expect(kinds(result)).to.equal('done untried untried');
      expect(idsOf(endpoint.requests)).to.equal('1 2');
    });

    it('Retry-After may be a date, and an hour counts at most', async () => {
      const now = Date.parse('2026-01-01T00:00:00Z');
      answers({
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

  describe('who is at fault', () => {
    it('one message that fails alone is tried again by itself', async () => {
      answers({ 1: 500 });
      const sink = open();
      for (const attempts of [0, 1, 2]) {
        expect(kinds(await sink.send(deliveries('1a', { attempts }), NEVER))).to.equal('retry');
      }
    });

    it('two that fail, and none that is taken, are the endpoint: a circuit that may pass at any moment', async () => {
      endpoint.answer = () => ({ status: 503, text: 'busy', headers: { 'retry-after': '2' } });
      const sink = open();
      const result = await sink.send(deliveries('1a 2b'), NEVER);
      expect(kinds(result)).to.equal('untried untried');
      expect(result.circuit).to.deep.equal({
        reason: 'overloaded',
        error: 'HTTP 503: busy',
        isPassing: true,
        retryAfterMs: 2000,
      });
      endpoint.answer = () => undefined;
      expect(kinds(await sink.send(deliveries('1a 2b'), NEVER))).to.equal('done done');
    });

    it('so are two calls with one each', async () => {
      endpoint.answer = () => ({ status: 500 });
      const sink = open();
      expect(kinds(await sink.send(deliveries('1a'), NEVER))).to.equal('retry');
      expect((await sink.send(deliveries('2b'), NEVER)).circuit?.reason).to.equal('unreachable');
    });

    it('messages that failed before tell nothing of it, until they are ten', async () => {
      endpoint.answer = () => ({ status: 500 });
      const sink = open();
      const nine = deliveries('1a 2b 3c 4d 5e 6f 7g 8h 9i', { attempts: 1 });
      expect(kinds(await sink.send(nine, NEVER))).to.equal(Array(9).fill('retry').join(' '));
      expect((await sink.send(deliveries('10j', { attempts: 1 }), NEVER)).circuit?.reason).to.equal('unreachable');
    });

    it('after ten failures in a row nothing more is tried', async () => {
      endpoint.answer = () => ({ status: 500 });
      const many = Array.from({ length: 50 }, (_, i) => `${i + 1}-`).join(' ');
      const { circuit } = await open({ parallel: 1 }).send(deliveries(many), NEVER);
      expect(circuit?.isPassing).to.equal(true);
      expect(endpoint.requests).to.have.length(10);
    });

    it('a connection that cannot be made is the endpoint at once', async () => {
      await endpoint.leave();
      const result = await open().send(deliveries('1a'), NEVER);
      expect(result.circuit).to.include({ reason: 'unreachable' }).and.not.have.property('isPassing');
    });

    it('in a batch, one that is refused for good is found by halves', async () => {
      answers({ 5: 422 });
      const result = await open({ batch: true }).send(deliveries('1a 2b 3c 4d 5e 6f 7g 8h'), NEVER);
      expect(kinds(result)).to.equal('done done done done park done done done');
      expect(idsOf(endpoint.taken).replaceAll('+', ' ').split(' ').map(Number)).to.deep.equal([1, 2, 3, 4, 6, 7, 8]);
    });

    it('so is one that gets a 404, when others are taken', async () => {
      answers({ 2: 404 });
      const result = await open({ batch: true, batch_size: 4, parallel: 1 }).send(deliveries('1a 2b 3c 4d 5e'), NEVER);
      expect(kinds(result)).to.equal('done park done done done');
    });

    it('in a batch, one that no request survives stands alone in the end, and the others go on', async () => {
      answers({ 3: 500 });
      const sink = open({ batch: true });
      const attempts = new Map<number, number>();
      let left = deliveries('1a 2b 3c 4d 5e 6f 7g 8h');
      for (let round = 0; round < 8 && left.length > 1; round += 1) {
        const { outcomes } = await sink.send(left, NEVER);
        left = left.flatMap((one, place) => {
          const { kind } = outcomes[place]!;
          if (kind === 'retry') attempts.set(one.id, one.attempts + 1);
          return kind === 'done' ? [] : [{ ...one, attempts: attempts.get(one.id) ?? 0 }];
        });
      }
      expect(left.map(({ id }) => id)).to.deep.equal([3]);
    });
  });

  describe('when a call ends', () => {
    it('begins nothing more after its time, and leaves the rest as it was', async () => {
      let nowMs = 0;
      endpoint.answer = () => {
        nowMs += 400;
        return undefined;
      };
      const sink = open({ parallel: 1 }, { now: () => nowMs, beginMs: 1_000 });
      expect(kinds(await sink.send(deliveries('1- 2- 3- 4- 5-'), NEVER))).to.equal('done done done untried untried');
      expect(kinds(await sink.send(deliveries('4- 5-'), NEVER))).to.equal('done done');
    });

    it('waits at a stop for what is under way, so that it is not sent twice', async () => {
      let release = (): void => undefined;
      endpoint.answer = () => ({
        hold: new Promise<void>((resolve) => {
          release = resolve;
        }),
        status: 200,
      });
      const stop = new AbortController();
      const sending = open({ parallel: 1 }).send(deliveries('1- 2-'), stop.signal);
      await until('one is under way', () => endpoint.underWay().now === 1);
      stop.abort();
      release();
      expect(kinds(await sending)).to.equal('done untried');
      expect(endpoint.requests).to.have.length(1);
    });

    it('but not for long', async () => {
      endpoint.answer = () => ({ hold: new Promise(() => undefined), status: 200 });
      const stop = new AbortController();
      const sending = open({ parallel: 1 }, { graceMs: 20 }).send(deliveries('1- 2-'), stop.signal);
      await until('one is under way', () => endpoint.underWay().now === 1);
      stop.abort();
      expect(await sending).to.deep.equal({ outcomes: [{ kind: 'untried' }, { kind: 'untried' }] });
    });

    it('closing ends what is under way', async () => {
      endpoint.answer = () => ({ hold: new Promise(() => undefined), status: 200 });
      const opened = open();
      const sending = opened.send(deliveries('1- 2-'), NEVER);
      await until('both are under way', () => endpoint.underWay().now === 2);
      await opened.close();
      expect(kinds(await sending)).to.equal('untried untried');
    });
  });
});
