import { expect } from 'chai';
import { answerTo } from '../../bench/bulk-receiver.ts';
import { decodeBulk } from '../../src/sinks/search-index/decode.ts';
import { bulkBody, encode } from '../../src/sinks/search-index/encode.ts';
import { delivery } from '../support/fixtures/delivery.ts';

describe('the receiver of the benchmarks', () => {
  it('answers each operation, as the sink understands it', () => {
    const batch = [
      delivery(1, 'a'),
      delivery(2, 'b', { action: 'delete' }),
      delivery(3, 'c', { action: 'delete' }),
      delivery(4, 'd', { body: '{"delete":1}' }),
      delivery(5, 'e', { body: '' }),
    ];
    const sent = encode(batch, { indexName: 'products', versioning: 'external' }).operations.get('products') ?? [];
    const { text, operations } = answerTo(bulkBody(sent));
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
