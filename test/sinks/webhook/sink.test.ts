/** Order, who is at fault, and when a call ends. */
import { expect } from 'chai';
import type { Sink } from '../../../src/model/sink.ts';
import type { WebhookDestination } from '../../../src/sinks/webhook/section.ts';
import { until } from '../../support/until.ts';
import { answers, deliveries, idsOf, kinds } from '../../support/webhook/batches.ts';
import { type Endpoint, startEndpoint } from '../../support/webhook/endpoint.ts';
import { NEVER, type OpenOptions, openTestWebhookSink, webhookDestination } from '../../support/webhook/sink.ts';

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
      answers(endpoint, { 1: 500, 4: 422 });
      expect(kinds(await open().send(deliveries('1a 2b 3a 4b 5b 6a 7-'), NEVER))).to.equal(
        'retry done held park done held done',
      );
      expect(idsOf(endpoint.requests).split(' ').sort()).to.deep.equal(['1', '2', '4', '5', '7']);
    });

    it('a message of two groups waits for both, and what follows it in either waits for it', async () => {
      const [one, other, both, ...later] = deliveries('1a 2b 3a 4a 5b 6c');
      const batch = [one!, other!, { ...both!, groups: [...one!.groups, ...other!.groups] }, ...later];
      answers(endpoint, { 1: 500 });
      expect(kinds(await open().send(batch, NEVER))).to.equal('retry done held held held done');
    });

    it('messages without a group wait for nobody', async () => {
      answers(endpoint, { 1: 500 });
      expect(kinds(await open({ parallel: 1 }).send(deliveries('1- 2- 3-'), NEVER))).to.equal('retry done done');
    });

    it('in batches: of one group never two requests at a time, and what follows a failed one stays behind', async () => {
      answers(endpoint, { 2: 503 });
      const result = await open({ batch: true, batch_size: 2 }).send(deliveries('1a 2b 3c 4b 5d 6d'), NEVER);
      expect(kinds(result)).to.equal('retry retry done held done done');
      expect(idsOf(endpoint.requests))
        .to.match(/^1\+2 .*\b3\b/)
        .and.not.contain('4');
    });
  });

  describe('who is at fault', () => {
    it('one message that fails alone is tried again by itself', async () => {
      answers(endpoint, { 1: 500 });
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
        answer: { status: 503 },
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
      expect((await sink!.send(deliveries(many), NEVER)).circuit?.isPassing).to.equal(true);
      endpoint.answer = () => undefined;
      expect(kinds(await sink!.send(deliveries(many), NEVER))).to.equal(Array(50).fill('done').join(' '));
    });

    it('a connection that cannot be made is the endpoint at once', async () => {
      await endpoint.leave();
      const result = await open().send(deliveries('1a'), NEVER);
      expect(result.circuit).to.include({ reason: 'unreachable' }).and.not.have.property('isPassing');
    });

    it('in a batch, one that is refused for good is found by halves', async () => {
      answers(endpoint, { 5: 422 });
      const result = await open({ batch: true }).send(deliveries('1a 2b 3c 4d 5e 6f 7g 8h'), NEVER);
      expect(kinds(result)).to.equal('done done done done park done done done');
      expect(idsOf(endpoint.taken).replaceAll('+', ' ').split(' ').map(Number)).to.deep.equal([1, 2, 3, 4, 6, 7, 8]);
    });

    it('so is one that gets a 404, when others are taken', async () => {
      answers(endpoint, { 2: 404 });
      const result = await open({ batch: true, batch_size: 4, parallel: 1 }).send(deliveries('1a 2b 3c 4d 5e'), NEVER);
      expect(kinds(result)).to.equal('done park done done done');
    });

    it('nothing of a group is sent any more where something of it was passed over meanwhile', async () => {
      answers(endpoint, { 2: 404 });
      const result = await open({ batch: true, batch_size: 2, parallel: 1 }).send(
        deliveries('1a 2b 3a 4c 5a 6d'),
        NEVER,
      );
      expect(kinds(result)).to.equal('done park untried done untried done');
      expect(idsOf(endpoint.taken)).to.equal('4 1 6');
    });

    it('nor while something of it is found by halves', async () => {
      const [third, first] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      endpoint.answer = (request) => {
        const ids = idsOf([request]);
        if (ids === '1') return { hold: first.promise, status: 200 };
        if (ids === '3+4') return { hold: third.promise, status: 200 };
        return /\b2\b/.test(ids) ? { status: 404 } : undefined;
      };
      const batch = deliveries('1a 2b 3c 4d 5e 6f 7a 8g');
      const sending = open({ batch: true, batch_size: 2, parallel: 2 }).send(batch, NEVER);
      await until('the first one is under way by itself', () => idsOf(endpoint.requests).endsWith(' 1'));
      third.resolve();
      await until('the last one has come', () => /\b8\b/.test(idsOf(endpoint.requests)));
      expect(idsOf(endpoint.requests)).not.to.match(/\b7\b/);
      first.resolve();
      expect(kinds(await sending)).to.equal('done park done done done done untried done');
    });

    it('in a batch, one that no request survives stands alone in the end, and the others go on', async () => {
      answers(endpoint, { 3: 500 });
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
