import { expect } from 'chai';
import { answerTo, messagesIn } from '../../bench/bulk-receiver.ts';
import { decodeBulk } from '../../src/sinks/search-index/decode.ts';
import { bulkBody, encode } from '../../src/sinks/search-index/encode.ts';
import { bodyOf } from '../../src/sinks/webhook/encode.ts';
import { delivery } from '../support/fixtures/delivery.ts';

describe('the receiver of the benchmarks', () => {
  it('counts the messages of a webhook, alone and in a batch', () => {
    const metadata = '{"idempotency_key":"7"}';
    const load = [1, 2, 3].map((id) => delivery(id, 'a', { metadata }));
    expect(messagesIn(bodyOf(load, { batch: true, transformed: false }))).to.equal(3);
    expect(messagesIn(bodyOf(load.slice(1), { batch: false, transformed: false }))).to.equal(1);
  });

  it('answers each operation, as the sink understands it', () => {
    const batch = [
      delivery(1, 'a'),
      delivery(2, 'b', { action: 'delete' }),
      delivery(3, 'c', { action: 'delete' }),
      delivery(4, 'd', { body: '{"delete":1}' }),
      delivery(5, 'e', { body: '' }),
    ];
    const sent = encode(batch, { indexName: 'products', versioning: 'external' }).operations.get('products') ?? [];
    const { text, operations } = answerTo(bulkBody(sent, 'external'));
    expect(operations).to.equal(5);
    const reply = {
      kind: 'answer',
      status: 200,
      text,
      mask: String,
      retryAfterMs: undefined,
      location: undefined,
    } as const;
    expect(decodeBulk(reply, sent, 'external')).to.deep.equal({
      kind: 'items',
      outcomes: Array(5).fill({ kind: 'done' }),
      pushedBack: false,
    });
  });
});
