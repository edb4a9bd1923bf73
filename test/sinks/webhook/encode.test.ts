import { expect } from 'chai';
import { bodyOf, cut, idOf } from '../../../src/sinks/webhook/encode.ts';
import { delivery } from '../../support/fixtures/delivery.ts';

const ids = (loads: readonly (readonly { id: number }[])[]): number[][] =>
  loads.map((load) => load.map(({ id }) => id));

describe('the requests of a webhook', () => {
  it('carry the message, byte for byte, or what the transform made of it', () => {
    const record = '{"price":12.50,"big":9007199254740993}';
    const one = delivery(7, 'a', {
      record,
      body: '[1, 2]',
      action: 'update',
      changes: '{"price":1}',
      metadata: '{"x":1}',
    });
    const message = `{"record":${record},"changes":{"price":1},"action":"update","metadata":{"x":1}}`;
    expect(bodyOf([one], { batch: false, transformed: false }).toString()).to.equal(message);
    expect(bodyOf([one], { batch: false, transformed: true }).toString()).to.equal('[1, 2]');
    expect(bodyOf([one, one], { batch: true, transformed: false }).toString()).to.equal(
      `{"data":[${message},${message}]}`,
    );
    expect(bodyOf([one, one], { batch: true, transformed: true }).toString()).to.equal('{"data":[[1, 2],[1, 2]]}');
  });

  it('have the id of their message, or of a batch one that stands for all of its ids', () => {
    const [a, b, c] = [delivery(7, 'a'), delivery(8, 'b'), delivery(9, 'c')];
    expect(idOf([a], { batch: false })).to.equal('7');
    const id = idOf([a, b], { batch: true });
    expect(id).to.match(/^batch_[\w-]{32}$/);
    expect(idOf([a, b], { batch: true })).to.equal(id);
    for (const other of [[a], [b, a], [a, c], [a, b, c]]) expect(idOf(other, { batch: true })).to.not.equal(id);
  });

  it('are one for each message, or batches within the limits of messages and bytes', () => {
    const all = [1, 2, 3, 4, 5].map((id) => delivery(id, 'a'));
    expect(ids(cut(all, { batch: false, batchSize: 100 }))).to.deep.equal([[1], [2], [3], [4], [5]]);
    expect(ids(cut(all, { batch: true, batchSize: 2 }))).to.deep.equal([[1, 2], [3, 4], [5]]);
    all[2] = delivery(3, 'a', { body: 'x'.repeat(2 * 1024 * 1024) });
    expect(ids(cut(all, { batch: true, batchSize: 100 }))).to.deep.equal([[1, 2], [3], [4, 5]]);
    expect(cut([], { batch: true, batchSize: 2 })).to.deep.equal([]);
  });

  it('carry alone what failed before', () => {
    const all = [1, 2, 3, 4].map((id) => delivery(id, 'a', { attempts: id === 2 ? 1 : 0 }));
    expect(ids(cut(all, { batch: true, batchSize: 100 }))).to.deep.equal([[1], [2], [3, 4]]);
  });
});
