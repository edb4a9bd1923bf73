import { expect } from 'chai';
import fc from 'fast-check';
import type { Prepared } from '../../src/deliver/prepare.ts';
import { batches, send, upToLastTried } from '../../src/deliver/send.ts';
import type { Delivery } from '../../src/model/sink.ts';
import { delivery } from '../support/fixtures/delivery.ts';

const prepared = (bodies: readonly string[][]): Prepared[] =>
  bodies.map((texts, id) => ({
    row: { id } as Prepared['row'],
    deliveries: texts.map((body) => delivery(id, String(id), { body })),
  }));

const now = (): number => 0;

describe('sending in batches', () => {
  it('cuts every message into exactly one batch, within the limits unless one alone is larger', () => {
    const bodies = fc.array(fc.array(fc.string({ maxLength: 30 }), { maxLength: 2 }), { maxLength: 40 });
    fc.assert(
      fc.property(
        bodies,
        fc.integer({ min: 1, max: 9 }),
        fc.integer({ min: 1, max: 60 }),
        (texts, batchSize, batchBytes) => {
          const all = prepared(texts);
          const ranges = batches(all, { batchSize, batchBytes });
          expect(ranges.flatMap(([from, to]) => all.slice(from, to))).to.deep.equal(all);
          for (const [from, to] of ranges) {
            const sent = all.slice(from, to).flatMap((message) => message.deliveries);
            const bytes = sent.reduce((sum, one) => sum + one.body.length, 0);
            if (to - from > 1) expect(sent.length <= batchSize && bytes <= batchBytes).to.equal(true);
          }
        },
      ),
    );
  });

  it('takes the worst outcome of a message that is two deliveries', async () => {
    const all = prepared([['a', 'b'], ['c'], []]);
    all[2]!.verdict = { kind: 'done' };
    const result = await send(
      async (batch) => ({
        outcomes: batch.map((one) =>
          one.body === 'a' ? { kind: 'retry' as const, error: 'x' } : { kind: 'done' as const },
        ),
      }),
      all,
      { batchSize: 10, batchBytes: 100, now },
    );
    expect(result.verdicts.map((verdict) => verdict.kind)).to.deep.equal(['retry', 'done', 'done']);
  });

  it('names the stage of each error: the index that a message was routed to, else sending', async () => {
    const wait = { kind: 'wait' as const, error: 'no such index', retryAfterMs: 1 };
    const { verdicts } = await send(
      async () => ({ outcomes: [{ kind: 'park', error: 'x' }, wait, { ...wait, isForIndex: true }] }),
      prepared([['a'], ['b'], ['c']]),
      { batchSize: 3, batchBytes: 100, now },
    );
    expect(verdicts.map((verdict) => 'stage' in verdict && verdict.stage)).to.deep.equal(['send', 'send', 'index']);
  });

  it('stops at a circuit: what was not sent has no verdict', async () => {
    const seen: Delivery[][] = [];
    const result = await send(
      async (batch) => {
        seen.push([...batch]);
        if (seen.length === 2) return { outcomes: [], circuit: { reason: 'unreachable', error: 'refused' } };
        return { outcomes: batch.map(() => ({ kind: 'done' as const })) };
      },
      prepared([['a'], ['b'], ['c'], ['d'], ['e']]),
      { batchSize: 2, batchBytes: 100, now },
    );
    expect(result.verdicts).to.have.length(2);
    expect(result.circuit?.reason).to.equal('unreachable');
    expect(seen).to.have.length(2);
  });

  it('keeps what is known of the batch in which a circuit opens', async () => {
    const result = await send(
      async () => ({
        outcomes: [{ kind: 'done' }, { kind: 'untried' }],
        circuit: { reason: 'unreachable', error: 'refused' },
      }),
      prepared([['a'], ['b'], ['c']]),
      { batchSize: 2, batchBytes: 100, now },
    );
    expect(result.verdicts.map(({ kind }) => kind)).to.deep.equal(['done', 'untried']);
    expect(result.circuit?.reason).to.equal('unreachable');
  });

  it('sends no other batch after one that was not sent to its end', async () => {
    let calls = 0;
    const result = await send(
      async (batch) => {
        calls += 1;
        return { outcomes: batch.map((_, place) => ({ kind: place === 0 ? 'done' : 'untried' })) };
      },
      prepared([['a'], ['b'], ['c'], ['d']]),
      { batchSize: 2, batchBytes: 100, now },
    );
    expect(calls).to.equal(1);
    expect(result.verdicts.map(({ kind }) => kind)).to.deep.equal(['done', 'untried']);
  });

  it('what was not tried at the end is left out; before something that was tried, it is told apart', () => {
    const kinds = (text: string) =>
      upToLastTried(text.split(' ').map((kind) => ({ kind }) as { kind: 'done' | 'untried' | 'held' })).map(
        ({ kind }) => kind,
      );
    expect(kinds('done untried untried')).to.deep.equal(['done']);
    expect(kinds('untried done untried')).to.deep.equal(['untried', 'done']);
    expect(kinds('untried untried')).to.deep.equal([]);
    expect(kinds('done held')).to.deep.equal(['done', 'held']);
  });
});
