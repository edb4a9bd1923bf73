/** The search-index sink, on the scripted engine. */
import { expect } from 'chai';
import { startBulkServer } from '../support/engines/bulk-server.ts';
import { startEngineRelay } from '../support/engines/relay.ts';
import { openTestSearchSink, searchDestination } from '../support/engines/search-sink.ts';
import { delivery, foldDeliveries } from '../support/fixtures/delivery.ts';
import { type Condition, type SinkHarness, sinkConformance } from './sink-conformance.ts';

const SECRET = 'c2VjcmV0LWtleQ==';

async function makeHarness(condition: Condition): Promise<SinkHarness> {
  const server = await startBulkServer(condition === 'missing' ? {} : { indexes: ['products'] });
  const relay = await startEngineRelay(server.url);
  server.authorization = condition === 'refused' ? 'ApiKey another' : `ApiKey ${SECRET}`;
  if (condition === 'down') await relay.leave();
  relay.loseAnswers(condition === 'lost');
  const sink = openTestSearchSink(searchDestination(relay.url, { auth_type: 'api_key' }), { authValue: SECRET });
  return {
    sink,
    send: (batch, signal) => sink.send(batch, signal),
    async holds(delivered) {
      expect(server.engine.documents('products')).to.deep.equal(foldDeliveries(delivered));
      expect(server.strays()).to.deep.equal([]);
    },
    poison: (id) => delivery(id, `k${id}`, { body: '["not a document"]' }),
    repeats: true,
    secret: SECRET,
    async fix() {
      server.authorization = `ApiKey ${SECRET}`;
      server.engine.createIndex('products');
      relay.loseAnswers(false);
      if (condition === 'down') await relay.comeBack();
    },
    async close() {
      await relay.close();
      await server.close();
    },
  };
}

sinkConformance('the search index', makeHarness);
