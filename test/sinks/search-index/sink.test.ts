/** Every row of the table of answers, over the wire, against the scripted engine. */
import { expect } from 'chai';
import type { Delivery, Outcome, SendResult, Sink } from '../../../src/model/sink.ts';
import type { SearchDestination } from '../../../src/sinks/search-index/section.ts';
import { type BulkServer, startBulkServer } from '../../support/engines/bulk-server.ts';
import { NEVER, type OpenOptions, openTestSearchSink, searchDestination } from '../../support/engines/search-sink.ts';
import { delivery, foldDeliveries } from '../../support/fixtures/delivery.ts';
import { until } from '../../support/until.ts';

const DONE: Outcome = { kind: 'done' };
const rows = (count: number, options: Partial<Delivery> = {}): Delivery[] =>
  Array.from({ length: count }, (_, i) => delivery(i + 1, `k${i + 1}`, options));
const kinds = ({ outcomes }: SendResult): string[] => outcomes.map(({ kind }) => kind);

describe('the search-index sink', () => {
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

  describe('delivering', () => {
    it('sends one request for a batch and settles each delivery', async () => {
      const batch = [...rows(3), delivery(4, 'k1', { action: 'delete' }), delivery(5, 'k9', { action: 'delete' })];
      expect(await open().send(batch, NEVER)).to.deep.equal({ outcomes: Array(5).fill(DONE) });
      expect(server.requests.map(({ method, path }) => `${method} ${path}`)).to.deep.equal(['POST /products/_bulk']);
      expect(server.requests[0]?.headers['content-type']).to.equal('application/x-ndjson');
      expect(server.engine.documents('products')).to.deep.equal(foldDeliveries(batch));
    });

    it('sends nothing for an empty batch', async () => {
      expect(await open().send([], NEVER)).to.deep.equal({ outcomes: [] });
      expect(server.requests).to.deep.equal([]);
    });

    it('a batch that comes again, or late, changes nothing and is done', async () => {
      const sink = open();
      const older = rows(3);
      const newer = [delivery(10, 'k1', { body: '{"new":1}' }), delivery(11, 'k2', { action: 'delete' })];
      for (const batch of [older, newer, older, newer]) {
        expect(kinds(await sink.send(batch, NEVER))).to.deep.equal(batch.map(() => 'done'));
      }
      expect(server.engine.documents('products')).to.deep.equal(foldDeliveries([...older, ...newer]));
    });

    it('cuts a batch by bytes, every document in one request', async () => {
      const batch = rows(40, { body: JSON.stringify({ text: 'x'.repeat(1000) }) });
      expect(kinds(await open({ batch_bytes: 5000 }).send(batch, NEVER))).to.deep.equal(batch.map(() => 'done'));
      expect(server.bulks()).to.have.length(10);
      expect(server.bulks().every(({ body }) => Buffer.byteLength(body) <= 5000)).to.equal(true);
      expect(server.engine.documents('products').size).to.equal(40);
    });

    it('has two requests under way, never more and never with the same document', async () => {
      server.fail({ kind: 'hang' }, { times: 100 });
      const controller = new AbortController();
      const batch = [...rows(6), ...rows(6, { indexName: 'products' })];
      const sending = open({ batch_bytes: 1 }).send(batch, controller.signal);
      await until('two requests', () => server.bulks().length === 2);
      controller.abort();
      await sending;
      expect(server.bulks()).to.have.length(2);
      expect(server.bulks()[0]?.body).to.not.equal(server.bulks()[1]?.body);
    });

    it('compresses when asked', async () => {
      const batch = rows(50);
      expect(kinds(await open({ compression: 'gzip' }).send(batch, NEVER))).to.deep.equal(batch.map(() => 'done'));
      expect(server.requests[0]?.headers['content-encoding']).to.equal('gzip');
      expect(Number(server.requests[0]?.headers['content-length'])).to.be.lessThan(server.requests[0]!.body.length);
      expect(server.engine.documents('products').size).to.equal(50);
    });

    it('uses versions of its own when versioning is none: none', async () => {
      await open({ versioning: 'none' }).send(rows(1), NEVER);
      expect(server.requests[0]?.body).to.not.contain('version');
    });

    it('refuses an index name at once', () => {
      expect(() => open({ index_name: '_all' })).to.throw('index_name starts with _');
    });
  });

  describe('items that fail', () => {
    it('parks the mapping conflict, sends again what was rejected, and the others are done', async () => {
      const mapping = { type: 'mapper_parsing_exception', reason: 'failed to parse field [price]' };
      const rejected = { type: 'es_rejected_execution_exception', reason: 'queue is full' };
      server.fail({
        kind: 'items',
        decide: ({ id }) => {
          if (id === 'k2') return { status: 400, error: mapping };
          return id === 'k3' ? { status: 429, error: rejected } : undefined;
        },
      });
      const { outcomes } = await open().send([...rows(4), delivery(5, 'k2')], NEVER);
      const parked = { kind: 'park', error: JSON.stringify(mapping), answer: { status: 400, type: mapping.type } };
      const answer = { status: 429, type: rejected.type };
      const again = { kind: 'retry', error: JSON.stringify(rejected), answer };
      expect(outcomes).to.deep.equal([DONE, parked, again, DONE, parked]);
    });

    it('sends smaller requests after a failure, and larger ones again as they pass', async () => {
      const sink = open({ batch_size: 100 });
      server.fail({ kind: 'status', status: 429, headers: { 'retry-after': '2' } }, { times: 3 });
      for (let i = 0; i < 2; i += 1) {
        const { circuit } = await sink.send(rows(100), NEVER);
        expect(circuit).to.include({ reason: 'overloaded', isPassing: true, retryAfterMs: 2000 });
      }
      const sizes = (): number[] => server.bulks().map(({ body }) => body.trimEnd().split('\n').length / 2);
      expect(sizes()).to.deep.equal([100, 50, 50]);
      const before = sizes().length;
      for (let i = 0; i < 3; i += 1) await sink.send(rows(100), NEVER);
      expect(sizes()[before]).to.equal(25);
      expect(sizes().at(-1)).to.equal(100);
      expect(sink.batchSize).to.equal(100);
    });

    it('a delete from a missing index opens the circuit', async () => {
      server.engine.deleteIndex('products');
      const result = await open().send([delivery(1, 'a', { action: 'delete' })], NEVER);
      expect(result.outcomes).to.deep.equal([]);
      expect(result.circuit).to.have.property('reason', 'index_missing');
      expect(result.circuit?.error).to.contain('no such index [products]');
    });

    it('403 for every document opens the circuit', async () => {
      server.fail({ kind: 'items', decide: () => ({ status: 403, error: { type: 'security_exception' } }) });
      const result = await open().send(rows(2), NEVER);
      expect(result).to.deep.equal({
        outcomes: [],
        circuit: { reason: 'auth_failed', error: '{"type":"security_exception"}' },
      });
    });
  });

  describe('answers that settle nothing', () => {
    for (const [status, reason] of [
      [429, 'overloaded'],
      [503, 'overloaded'],
      [500, 'unreachable'],
      [502, 'unreachable'],
      [504, 'unreachable'],
      [204, 'bad_destination'],
    ] as const) {
      it(`HTTP ${status}: ${reason} for now, no message is touched`, async () => {
        const text = status === 204 ? '' : 'try later';
        server.fail({ kind: 'status', status, text, headers: { 'retry-after': '3' } });
        const error = status === 204 ? 'HTTP 204 with an empty answer' : text;
        expect(await open().send(rows(2), NEVER)).to.deep.equal({
          outcomes: [],
          circuit: { reason, error, isPassing: true, retryAfterMs: 3000 },
        });
      });
    }

    it('Retry-After as a date', async () => {
      const headers = { 'retry-after': 'Thu, 01 Jan 2026 00:00:10 GMT' };
      server.fail({ kind: 'status', status: 503, text: 'x', headers });
      const sink = open({}, { now: () => Date.parse('2026-01-01T00:00:04Z') });
      expect((await sink.send(rows(1), NEVER)).circuit).to.include({ retryAfterMs: 6000 });
    });

    for (const [fault, shown] of [
      [{ kind: 'text', text: '' }, 'empty answer'],
      [{ kind: 'text', text: '<html>hello</html>', applied: true }, '<html>hello</html>'],
      [{ kind: 'short' }, '"items"'],
    ] as const) {
      it(`200 with ${JSON.stringify(fault)}: shown, and no message is touched`, async () => {
        const sink = open();
        server.fail(fault);
        const { outcomes, circuit } = await sink.send(rows(2), NEVER);
        expect([outcomes, circuit?.reason, circuit?.isPassing]).to.deep.equal([[], 'bad_destination', true]);
        expect(circuit?.error).to.contain(shown);
        expect(kinds(await sink.send(rows(2), NEVER))).to.deep.equal(['done', 'done']);
      });
    }

    for (const fault of [
      { kind: 'truncate', applied: true },
      { kind: 'close' },
      { kind: 'close', applied: true },
    ] as const) {
      it(`${JSON.stringify(fault)}: unreachable for now`, async () => {
        const sink = open();
        server.fail(fault);
        const { outcomes, circuit } = await sink.send(rows(2), NEVER);
        expect([outcomes, circuit?.reason, circuit?.isPassing]).to.deep.equal([[], 'unreachable', true]);
        expect(kinds(await sink.send(rows(2), NEVER))).to.deep.equal(['done', 'done']);
        expect(server.engine.documents('products').size).to.equal(2);
      });
    }

    it('silence: unreachable after the deadline', async () => {
      server.fail({ kind: 'hang' });
      const { circuit } = await open({}, { answerTimeoutMs: 100 }).send(rows(1), NEVER);
      expect(circuit?.reason).to.equal('unreachable');
      expect(circuit?.error).to.match(/timeout|no complete answer/i);
    });

    it('an engine that is silent twice is not asked for the rest of the batch', async () => {
      server.fail({ kind: 'status', status: 503 }, { times: 100 });
      expect((await open({ batch_bytes: 1 }).send(rows(20), NEVER)).circuit?.reason).to.equal('overloaded');
      expect(server.bulks().length).to.be.lessThan(4);
    });

    it('when others were answered: those come back together and uncounted, in smaller requests', async () => {
      const sink = open({ batch_size: 10 });
      server.fail({ kind: 'status', status: 503, text: 'busy' });
      const result = await sink.send([...rows(20), delivery(99, 'other')], NEVER);
      expect(result.circuit).to.equal(undefined);
      const waiting = result.outcomes.filter(({ kind }) => kind === 'wait');
      expect(waiting).to.deep.equal(Array(10).fill({ kind: 'wait', error: 'busy', retryAfterMs: 1000 }));
    });

    it('a document that no request survives is found, tried by itself and counted; the others go on', async () => {
      const sink = open({ batch_size: 8 });
      const batch = rows(8);
      const kill = (): void => server.fail({ kind: 'close' }, { body: /"k5"/, times: 100 });
      kill();
      let last: SendResult = { outcomes: [] };
      for (let sends = 0; sends < 8 && last.outcomes[4]?.kind !== 'retry'; sends += 1)
        last = await sink.send(batch, NEVER);
      expect(kinds(last)).to.deep.equal(batch.map((_, i) => (i === 4 ? 'retry' : 'done')));
      // From here on it travels alone.
      const more = rows(40).slice(4);
      const before = server.bulks().length;
      last = await sink.send(more, NEVER);
      expect(kinds(last)).to.deep.equal(more.map((_, i) => (i === 0 ? 'retry' : 'done')));
      const withIt = server
        .bulks()
        .slice(before)
        .filter(({ body }) => body.includes('"k5"'));
      expect(withIt.map(({ body }) => body.trimEnd().split('\n').length)).to.deep.equal([2]);
    });

    it('alone, it is the engine’s fault until the engine has answered for another one', async () => {
      const sink = open();
      server.fail({ kind: 'close' }, { body: /"k1"/, times: 100 });
      for (let i = 0; i < 3; i += 1) expect((await sink.send(rows(1), NEVER)).circuit?.reason).to.equal('unreachable');
      expect(kinds(await sink.send([delivery(7, 'k7')], NEVER))).to.deep.equal(['done']);
      expect(kinds(await sink.send(rows(1), NEVER))).to.deep.equal(['retry']);
      expect((await sink.send(rows(1), NEVER)).circuit?.reason).to.equal('unreachable');
    });
  });
});
