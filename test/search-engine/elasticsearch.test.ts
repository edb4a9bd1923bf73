/** The search sink on a real Elasticsearch with security: the conformance suite, and what a refused credential looks like. */
import { expect } from 'chai';
import type { Sink } from '../../src/model/sink.ts';
import type { SearchDestination } from '../../src/sinks/search-index/section.ts';
import { type Condition, type SinkHarness, sinkConformance } from '../conformance/sink-conformance.ts';
import { converges } from '../support/engines/converging.ts';
import {
  basic,
  elasticsearchObstacle,
  type SecuredEngine,
  startElasticsearch,
} from '../support/engines/elasticsearch.ts';
import { createIndex, type EngineAccess, type EngineIndex, newIndexName } from '../support/engines/index-tools.ts';
import { readsBack } from '../support/engines/reading.ts';
import { startEngineRelay } from '../support/engines/relay.ts';
import { NEVER, openTestSearchSink, searchDestination } from '../support/engines/search-sink.ts';
import { delivery, foldDeliveries } from '../support/fixtures/delivery.ts';

describe('Elasticsearch 8.19.7 with security', function () {
  this.timeout(120_000);
  let engine: SecuredEngine;

  before(async function () {
    this.timeout(700_000);
    const obstacle = await elasticsearchObstacle();
    if (obstacle !== undefined) {
      console.log(obstacle);
      this.skip();
    }
    engine = await startElasticsearch();
  });

  after(async () => {
    await engine?.stop();
  });

  sinkConformance('the search index', (condition) => makeHarness(engine, condition));

  readsBack(() => ({ access: asAdmin(engine), auth: { auth_type: 'basic', auth_value: engine.users.writer } }));

  converges(() => ({
    url: engine.url,
    auth: { auth_type: 'basic', auth_value: engine.users.writer },
    createIndex: () => createIndex(asAdmin(engine), newIndexName()),
  }));

  describe('credentials', () => {
    const opened: Sink[] = [];
    const indexes: EngineIndex[] = [];

    afterEach(async () => {
      for (const sink of opened.splice(0)) await sink.close();
      for (const index of indexes.splice(0)) await index.drop();
    });

    async function make(name: string): Promise<string> {
      indexes.push(await createIndex(asAdmin(engine), name));
      return name;
    }

    function open(index: string, authType: SearchDestination['auth_type'], authValue: string): Sink {
      const changed = { index_name: index, auth_type: authType };
      const sink = openTestSearchSink(searchDestination(engine.url, changed), { authValue });
      opened.push(sink);
      return sink;
    }

    it('an unknown API key and a made-up token are refused, and not shown', async () => {
      const index = await make(newIndexName());
      const key = Buffer.from('VuaCfGcBCdbkQm-e5aOx:ui2lp2axTNmsyakw9tvNnw').toString('base64');
      for (const [authType, value] of [
        ['api_key', key],
        ['bearer', 'AAEAAWVsYXN0aWMvZmxlZXQtc2VydmVyL3g6eA'],
      ] as const) {
        const sink = open(index, authType, value);
        const tested = await sink.test(NEVER);
        const { outcomes, circuit } = await sink.send([delivery(1, 'a')], NEVER);
        expect(outcomes).to.deep.equal([]);
        for (const one of [tested, circuit]) {
          expect(one?.reason).to.equal('auth_failed');
          expect(one?.error).to.contain('security_exception').and.not.contain(value);
        }
      }
    });

    it('an index outside the role: 403 for each document stops the sink, and as a route only its messages', async () => {
      const outside = await make(`other-${newIndexName()}`);
      const inside = await make(newIndexName());
      const sink = open(outside, 'basic', engine.users.writer);
      expect((await sink.test(NEVER))?.reason).to.equal('auth_failed');
      const { circuit } = await sink.send([delivery(1, 'a'), delivery(2, 'b')], NEVER);
      expect(circuit?.reason).to.equal('auth_failed');
      expect(circuit?.error).to.contain('is unauthorized for user [writer]');
      const routed = [delivery(1, 'a', { indexName: outside }), delivery(2, 'b')];
      const { outcomes } = await open(inside, 'basic', engine.users.writer).send(routed, NEVER);
      expect(outcomes.map(({ kind }) => kind)).to.deep.equal(['wait', 'done']);
    });

    it('a role that may not delete: deletes wait, the rest is delivered', async () => {
      const sink = open(await make(newIndexName()), 'basic', engine.users.adder);
      expect(await sink.test(NEVER)).to.equal(undefined);
      const batch = [delivery(1, 'a'), delivery(2, 'b', { action: 'delete' }), delivery(3, 'c')];
      const { outcomes } = await sink.send(batch, NEVER);
      expect(outcomes.map(({ kind }) => kind)).to.deep.equal(['done', 'wait', 'done']);
      const alone = await sink.send([delivery(4, 'b', { action: 'delete' })], NEVER);
      expect(alone.circuit).to.equal(undefined);
    });

    it('a missing index and a role that may not make one: the engine says 403, and Test Connection what is missing', async () => {
      const sink = open(newIndexName(), 'basic', engine.users.adder);
      const { outcomes, circuit } = await sink.send([delivery(1, 'a')], NEVER);
      expect(outcomes).to.deep.equal([]);
      expect(circuit?.reason).to.equal('auth_failed');
      expect(circuit?.error).to.contain('auto_create');
      expect((await sink.test(NEVER))?.reason).to.equal('index_missing');
    });

    it('a bearer token that may write and not search: it delivers, and Test Connection says 403', async () => {
      const sink = open(await make(`logs-${newIndexName()}`), 'bearer', engine.serviceToken);
      expect((await sink.test(NEVER))?.reason).to.equal('auth_failed');
      const { outcomes } = await sink.send([delivery(1, 'a')], NEVER);
      expect(outcomes).to.deep.equal([{ kind: 'done' }]);
    });

    it('a mapping conflict is parked with the words of this engine', async () => {
      const sink = open(await make(newIndexName()), 'basic', engine.users.writer);
      const bad = delivery(1, 'a', { body: '{"price":"expensive"}' });
      const { outcomes } = await sink.send([bad, delivery(2, 'b')], NEVER);
      expect(outcomes.map(({ kind }) => kind)).to.deep.equal(['park', 'done']);
      expect(outcomes[0]).to.have.property('error').that.contains('document_parsing_exception');
    });
  });
});

function asAdmin(engine: SecuredEngine): EngineAccess {
  return { url: engine.url, authorization: basic(engine.users.admin) };
}

async function makeHarness(engine: SecuredEngine, condition: Condition): Promise<SinkHarness> {
  const name = newIndexName();
  let index = condition === 'missing' ? undefined : await createIndex(asAdmin(engine), name);
  const relay = await startEngineRelay(engine.url);
  if (condition === 'down') await relay.leave();
  relay.loseAnswers(condition === 'lost');
  relay.replaceCredential(condition === 'refused' ? basic('writer:another password') : undefined);
  const destination = searchDestination(relay.url, { index_name: name, auth_type: 'basic' });
  const sink = openTestSearchSink(destination, { authValue: engine.users.writer });
  return {
    sink,
    send: (batch, signal) => sink.send(batch, signal),
    async holds(delivered) {
      expect(await index?.documents()).to.deep.equal(foldDeliveries(delivered));
    },
    poison: (id) => delivery(id, `k${id}`, { body: '{"price":"no number"}' }),
    repeats: true,
    secret: engine.users.writer.split(':')[1],
    async fix() {
      relay.loseAnswers(false);
      relay.replaceCredential(undefined);
      if (condition === 'down') await relay.comeBack();
      index ??= await createIndex(asAdmin(engine), name);
    },
    async close() {
      await relay.close();
      await index?.drop();
    },
  };
}
