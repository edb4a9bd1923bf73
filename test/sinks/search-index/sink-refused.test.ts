/** A destination that is away or refuses, and the end of a sink, over the wire, against the scripted engine. */
import { expect } from 'chai';
import type { Delivery, SendResult, Sink } from '../../../src/model/sink.ts';
import type { SearchDestination } from '../../../src/sinks/search-index/section.ts';
import { type BulkServer, startBulkServer } from '../../support/engines/bulk-server.ts';
import {
  NEVER,
  NOBODY,
  type OpenOptions,
  openTestSearchSink,
  searchDestination,
} from '../../support/engines/search-sink.ts';
import { delivery } from '../../support/fixtures/delivery.ts';
import { until } from '../../support/until.ts';

const rows = (count: number, options: Partial<Delivery> = {}): Delivery[] =>
  Array.from({ length: count }, (_, i) => delivery(i + 1, `k${i + 1}`, options));
const kinds = ({ outcomes }: SendResult): string[] => outcomes.map(({ kind }) => kind);

describe('the search-index sink, refused or stopped', () => {
  let server: BulkServer;
  let opened: Sink[];

  beforeEach(async () => {
    server = await startBulkServer({ indexes: ['products'] });
    opened = [];
  });

  afterEach(async () => {
    for (const sink of opened) await sink.close();
    await server.close();
    expect(server.strays()).to.deep.equal([]);
  });

  function open(changed: Partial<SearchDestination> = {}, options: OpenOptions = {}): Sink {
    const sink = openTestSearchSink(searchDestination(server.url, changed), options);
    opened.push(sink);
    return sink;
  }

  describe('a destination that is not there or refuses', () => {
    it('nobody listens: circuit', async () => {
      const sink = openTestSearchSink(searchDestination(NOBODY));
      opened.push(sink);
      const result = await sink.send(rows(2), NEVER);
      expect(result.outcomes).to.deep.equal([]);
      expect(result.circuit?.reason).to.equal('unreachable');
      expect(result.circuit?.error).to.contain('ECONNREFUSED');
    });

    it('a name that no DNS knows: circuit', async () => {
      const sink = openTestSearchSink(searchDestination('http://no-such-host.invalid:9200'));
      opened.push(sink);
      expect((await sink.send(rows(1), NEVER)).circuit?.reason).to.equal('unreachable');
    });

    for (const [status, reason] of [
      [401, 'auth_failed'],
      [403, 'auth_failed'],
      [404, 'index_missing'],
      [301, 'bad_destination'],
      [405, 'bad_destination'],
    ] as const) {
      it(`HTTP ${status}: circuit ${reason} with the answer unchanged`, async () => {
        server.fail({ kind: 'status', status, text: '{"error":"said so"}', headers: { location: `${server.url}/x` } });
        const result = await open().send(rows(2), NEVER);
        expect(result.outcomes).to.deep.equal([]);
        expect(result.circuit?.reason).to.equal(reason);
        if (status !== 301) expect(result.circuit?.error).to.equal('{"error":"said so"}');
        expect(server.requests).to.have.length(1);
      });
    }
  });

  describe('requests that are refused as a whole', () => {
    it('413: splits, remembers the limit, and parks the one document that is too large alone', async () => {
      const sink = open();
      server.maxBytes = 10_000;
      const batch = rows(30, { body: JSON.stringify({ text: 'x'.repeat(1000) }) });
      batch[7] = delivery(100, 'huge', { body: JSON.stringify({ text: 'x'.repeat(20_000) }) });
      const { outcomes } = await sink.send(batch, NEVER);
      expect(outcomes[7]).to.deep.equal({
        kind: 'park',
        error: '<html><h1>413 Request Entity Too Large</h1></html>',
      });
      expect(outcomes.filter(({ kind }) => kind === 'done')).to.have.length(29);
      expect(server.engine.documents('products').size).to.equal(29);
      const before = server.bulks().length;
      await sink.send(rows(30, { body: JSON.stringify({ text: 'y'.repeat(1000) }) }), NEVER);
      const later = server.bulks().slice(before);
      // Now and then a larger one is tried.
      expect(later.filter(({ body }) => Buffer.byteLength(body) > 10_000).length).to.be.at.most(1);
    });

    const malformed = (body: RegExp, error: object): void => {
      const text = JSON.stringify({ error, status: 400 });
      server.fail({ kind: 'status', status: 400, text }, { body, times: 1_000 });
    };

    it('a malformed payload: finds the guilty one and parks it', async () => {
      const batch = rows(50);
      const error = { type: 'action_request_validation_exception', reason: 'of the test' };
      malformed(/"(k14|k41)"/, error);
      const result = await open().send(batch, NEVER);
      const guilty = result.outcomes.flatMap(({ kind }, i) => (kind === 'done' ? [] : [`${i} ${kind}`]));
      expect(guilty).to.deep.equal(['13 park', '40 park']);
      expect(result.outcomes[13]).to.have.property('error').that.contains('of the test');
      expect(server.engine.documents('products').size).to.equal(48);
    });

    it('spends a bounded number of requests on finding them; the rest waits for the next send', async () => {
      malformed(/./, { type: 'parse_exception', reason: 'of the test' });
      const found = kinds(await open().send(rows(300), NEVER));
      expect(server.bulks().length).to.be.lessThan(110);
      expect(found.filter((kind) => kind === 'park').length).to.be.greaterThan(10);
      expect(found.filter((kind) => kind === 'wait').length).to.be.greaterThan(10);
      expect(found).to.not.include('done');
    });
  });

  describe('stopping', () => {
    it('an abort ends the request at once, and counts no attempt', async () => {
      server.fail({ kind: 'hang' });
      const controller = new AbortController();
      const sending = open().send(rows(2), controller.signal);
      await until('the request is there', () => server.requests.length === 1);
      controller.abort();
      const { outcomes, circuit } = await sending;
      expect(circuit).to.equal(undefined);
      expect(outcomes.map(({ kind }) => kind)).to.deep.equal(['untried', 'untried']);
    });

    it('closing ends what is under way, and closing twice is safe', async () => {
      server.fail({ kind: 'hang' });
      const sink = open();
      const sending = sink.send(rows(1), NEVER);
      await until('the request is there', () => server.requests.length === 1);
      await Promise.all([sink.close(), sink.close()]);
      expect(kinds(await sending)).to.deep.equal(['untried']);
      expect(kinds(await sink.send(rows(1), NEVER))).to.deep.equal(['untried']);
    });
  });
});
