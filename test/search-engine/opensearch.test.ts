/** The search sink on a real OpenSearch: the conformance suite, and what only a real engine can prove. */
import { expect } from 'chai';
import type { Delivery, Sink } from '../../src/model/sink.ts';
import { type Condition, type SinkHarness, sinkConformance } from '../conformance/sink-conformance.ts';
import { converges } from '../support/engines/converging.ts';
import type { SearchEngine } from '../support/engines/engine-process.ts';
import { createIndex, type EngineIndex, newIndexName } from '../support/engines/index-tools.ts';
import { openSearchObstacle, startOpenSearch } from '../support/engines/opensearch.ts';
import { readsBack } from '../support/engines/reading.ts';
import { startEngineRelay } from '../support/engines/relay.ts';
import { NEVER, openTestSearchSink, searchDestination } from '../support/engines/search-sink.ts';
import { delivery, foldDeliveries } from '../support/fixtures/delivery.ts';

describe('OpenSearch 2.19.1', function () {
  this.timeout(120_000);
  let engine: SearchEngine;

  before(async function () {
    this.timeout(700_000);
    const obstacle = await openSearchObstacle();
    if (obstacle !== undefined) {
      console.log(obstacle);
      this.skip();
    }
    engine = await startOpenSearch();
  });

  after(async () => {
    await engine?.stop();
  });

  sinkConformance('the search index', (condition) => makeHarness(engine, condition));

  readsBack(() => ({ access: engine, auth: { auth_type: 'none', auth_value: null } }));

  converges(() => ({
    url: engine.url,
    auth: { auth_type: 'none', auth_value: null },
    createIndex: () => createIndex(engine, newIndexName()),
  }));

  describe('seen on the real engine', () => {
    let index: EngineIndex;
    let sink: Sink;

    beforeEach(async () => {
      index = await createIndex(engine, newIndexName());
      const changed = { index_name: index.name, batch_size: 10_000, batch_bytes: 64 * 1024 * 1024 };
      sink = openTestSearchSink(searchDestination(engine.url, changed));
    });

    afterEach(async () => {
      await sink.close();
      await index.drop();
    });

    async function kinds(batch: readonly Delivery[]): Promise<string[]> {
      const { outcomes, circuit } = await sink.send(batch, NEVER);
      expect(circuit, circuit?.error).to.equal(undefined);
      return outcomes.map(({ kind }) => kind);
    }

    it('a mapping conflict carries the engine’s words', async () => {
      const bad = delivery(1, 'a', { body: '{"price":"expensive"}' });
      const { outcomes } = await sink.send([bad, delivery(2, 'b')], NEVER);
      expect(outcomes.map(({ kind }) => kind)).to.deep.equal(['park', 'done']);
      const error: unknown = JSON.parse(outcomes[0]?.kind === 'park' ? outcomes[0].error : '');
      expect(error).to.have.property('type', 'mapper_parsing_exception');
      expect(error).to.have.nested.property('caused_by.type');
    });

    it('a body that is no document, and one that is no JSON, spoil only themselves', async () => {
      const batch = ['[1]', '"text"', '{"a":', '', '{"a":1} {"delete":{"_id":"d0"}}'].flatMap((body, i) => [
        delivery(2 * i + 1, `bad${i}`, { body }),
        delivery(2 * i + 2, `d${i}`),
      ]);
      const found = await kinds(batch);
      expect(found).to.deep.equal(batch.map(({ recordPks }) => (recordPks[0]?.startsWith('bad') ? 'park' : 'done')));
      expect([...(await index.documents()).keys()].toSorted()).to.deep.equal(['d0', 'd1', 'd2', 'd3', 'd4']);
    });

    it('an _id beyond 512 bytes spoils the whole request, and is found', async () => {
      const batch = Array.from({ length: 20 }, (_, i) => delivery(i + 1, i === 11 ? 'x'.repeat(513) : `k${i}`));
      expect(await kinds(batch)).to.deep.equal(batch.map((_, i) => (i === 11 ? 'park' : 'done')));
      expect((await index.documents()).size).to.equal(19);
    });

    it('deleting what is not there is done', async () => {
      expect(await kinds([delivery(1, 'nobody', { action: 'delete' })])).to.deep.equal(['done']);
    });

    it('deleting from an index that is not there is not', async () => {
      const missing = openTestSearchSink(searchDestination(engine.url, { index_name: newIndexName() }));
      const { outcomes, circuit } = await missing.send([delivery(1, 'a', { action: 'delete' })], NEVER);
      await missing.close();
      expect(outcomes).to.deep.equal([]);
      expect(circuit?.reason).to.equal('index_missing');
      expect(circuit?.error).to.contain('index_not_found_exception');
    });

    it('a missing routed index is not made up, although the engine would', async () => {
      const name = `auto-${newIndexName()}`;
      const batch = [delivery(1, 'a', { indexName: name }), delivery(2, 'b')];
      const { outcomes } = await sink.send(batch, NEVER);
      expect(outcomes.map(({ kind }) => kind)).to.deep.equal(['wait', 'done']);
      expect((await fetch(`${engine.url}/${name}`)).status).to.equal(404);
    });

    it('a name of an index that the engine refuses parks its message', async () => {
      const [outcome] = (await sink.send([delivery(1, 'a', { indexName: 'UPPER' })], NEVER)).outcomes;
      expect(outcome).to.have.property('kind').that.is.oneOf(['park', 'wait']);
      expect(outcome).to.have.property('error').that.contains('UPPER');
    });

    it('an older version never overwrites a newer one, nor brings a deleted document back', async () => {
      const newer = [delivery(20, 'a', { action: 'update' }), delivery(21, 'b', { action: 'delete' })];
      const older = [delivery(10, 'a'), delivery(11, 'b')];
      for (const batch of [newer, older, newer]) expect(await kinds(batch)).to.deep.equal(['done', 'done']);
      expect(await index.documents()).to.deep.equal(foldDeliveries([...older, ...newer]));
    });

    it('10,000 documents a batch', async () => {
      const batch = Array.from({ length: 10_000 }, (_, i) => delivery(i + 1, `k${i}`));
      expect(new Set(await kinds(batch))).to.deep.equal(new Set(['done']));
      expect(await index.documents()).to.deep.equal(foldDeliveries(batch));
    });

    it('a document of 5 MB, compressed and not', async () => {
      const body = JSON.stringify({ text: Array.from({ length: 5000 }, () => 'words '.repeat(170)) });
      expect(body.length).to.be.greaterThan(5_000_000);
      expect(await kinds([delivery(1, 'large', { body }), delivery(2, 'small')])).to.deep.equal(['done', 'done']);
      const changed = { index_name: index.name, compression: 'gzip' as const };
      const compressing = openTestSearchSink(searchDestination(engine.url, changed));
      const { outcomes } = await compressing.send([delivery(3, 'zipped', { body })], NEVER);
      await compressing.close();
      expect(outcomes).to.deep.equal([{ kind: 'done' }]);
      expect((await index.documents()).size).to.equal(3);
    });

    it('a request beyond the engine’s limit is split, and a document beyond it is parked alone', async () => {
      const batch = Array.from({ length: 30 }, (_, i) =>
        delivery(i + 1, `k${i}`, { body: JSON.stringify({ text: 'x '.repeat(i === 17 ? 5_000_000 : 250_000) }) }),
      );
      const settled = await deliverAll(sink, batch);
      expect(settled.map(({ kind }) => kind)).to.deep.equal(batch.map((_, i) => (i === 17 ? 'park' : 'done')));
      expect((await index.documents()).size).to.equal(29);
    });

    it('ends with exactly the expected documents after a random history with repetitions', async () => {
      const history = Array.from({ length: 3000 }, (_, i) => {
        const key = String((i * 7919) % 400);
        return delivery(i + 1, '', {
          recordPks: [key, 'x'],
          action: i % 5 === 0 ? 'delete' : 'update',
          body: JSON.stringify({ price: i, name: `n${i}` }),
        });
      });
      for (let from = 0; from < history.length; from += 250) {
        await kinds(history.slice(from, from + 250));
        await kinds(history.slice(Math.max(0, from - 300), from + 100));
      }
      expect(await index.documents()).to.deep.equal(foldDeliveries(history));
    });
  });
});

/** What deliver/ does with `retry` and `wait`: those come again. */
async function deliverAll(sink: Sink, batch: readonly Delivery[]): Promise<{ kind: string }[]> {
  const settled = new Map<Delivery, { kind: string }>();
  for (let round = 0; round < 20 && settled.size < batch.length; round += 1) {
    const open = batch.filter((one) => !settled.has(one));
    const { outcomes } = await sink.send(open, NEVER);
    for (const [i, outcome] of outcomes.entries()) {
      if (outcome.kind === 'done' || outcome.kind === 'park') settled.set(open[i]!, outcome);
    }
  }
  return batch.map((one) => settled.get(one) ?? { kind: 'open' });
}

async function makeHarness(engine: SearchEngine, condition: Condition): Promise<SinkHarness | undefined> {
  if (condition === 'refused') return undefined;
  const name = newIndexName();
  let index = condition === 'missing' ? undefined : await createIndex(engine, name);
  const relay = await startEngineRelay(engine.url);
  if (condition === 'down') await relay.leave();
  relay.loseAnswers(condition === 'lost');
  const sink = openTestSearchSink(searchDestination(relay.url, { index_name: name }));
  return {
    sink,
    send: (batch, signal) => sink.send(batch, signal),
    async holds(delivered) {
      expect(await index?.documents()).to.deep.equal(foldDeliveries(delivered));
    },
    poison: (id) => delivery(id, `k${id}`, { body: '{"price":"no number"}' }),
    repeats: true,
    secret: undefined,
    async fix() {
      relay.loseAnswers(false);
      if (condition === 'down') await relay.comeBack();
      index ??= await createIndex(engine, name);
    },
    async close() {
      await relay.close();
      await index?.drop();
    },
  };
}
