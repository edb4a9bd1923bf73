import { expect } from 'chai';
import fc from 'fast-check';
import { decode } from '../../../src/capture/replication/decode.ts';
import { LargeMessages } from '../../../src/capture/replication/large-messages.ts';

function framed(type: string, body: Buffer): Buffer {
  const head = Buffer.alloc(5);
  head.write(type);
  head.writeUInt32BE(body.length + 4, 1);
  return Buffer.concat([head, body]);
}
/** XLogData. */
const sent = (bytes: Buffer): Buffer => framed('d', Buffer.concat([Buffer.from('w'), Buffer.alloc(24, 7), bytes]));
function logical(prefix: string, size: number): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(size);
  const head = Buffer.concat([Buffer.from([0x4d, 1]), Buffer.alloc(8, 9), Buffer.from(`${prefix}\0`), length]);
  return sent(Buffer.concat([head, Buffer.alloc(size, 0x78)]));
}

/** What comes, and what is left of it. */
const kept = (size: number) => fc.constant([logical('millrace:annotations', size), undefined] as const);
const PARTS = fc.oneof(
  ...[0, 1, 40, 65_536, 65_537].map(kept),
  fc.constantFrom(131_072, 200_000, 1_000_000).map((size) => [logical('x', size), logical('', 0)] as const),
  fc.constant([logical('x'.repeat(140_000), 3), logical('', 0)] as const),
  // Rows, a keep-alive, and what else a server says.
  fc.constantFrom(0, 3, 200_000).map((size) => [sent(Buffer.from(`I${'M'.repeat(size)}`)), undefined] as const),
  fc.constant([framed('d', Buffer.from(`k${'M'.repeat(17)}`)), undefined] as const),
  fc.constantFrom(0, 50, 150_000).map((size) => [framed('N', Buffer.alloc(size, 0x4d)), undefined] as const),
);

describe('logical messages that are larger than any of ours', () => {
  it('are empty, and all else is as it came, wherever what comes is cut', () => {
    const cuts = fc.array(fc.constantFrom(1, 2, 4, 5, 6, 39, 40, 41, 100, 65_536, 300_000), {
      minLength: 1,
      maxLength: 9,
    });
    fc.assert(
      fc.property(fc.array(PARTS, { maxLength: 9 }), cuts, (parts, sizes) => {
        const large = new LargeMessages();
        const all = Buffer.concat(parts.map(([came]) => came));
        const out: Buffer[] = [];
        for (let at = 0, n = 0; at < all.length; n += 1) {
          // The first bytes one by one, so that every place of a small one is a cut too.
          const size = at < 500 ? sizes[n % sizes.length]! : Math.max(sizes[n % sizes.length]!, 1_000);
          out.push(...[...large.pass(all.subarray(at, at + size))].map((piece) => Buffer.from(piece)));
          at += size;
        }
        const wanted = Buffer.concat(parts.map(([came, left]) => left ?? came));
        for (const piece of out) expect(piece.length).to.be.at.least(1);
        expect(Buffer.concat(out).equals(wanted)).to.equal(true);
      }),
      { numRuns: 300 },
    );
  });

  it('are read as messages of nobody', () => {
    const [piece] = new LargeMessages().pass(logical('millrace:annotations', 200_000));
    const message = decode(piece!.subarray(30));
    expect(message).to.deep.include({ tag: 'message', transactional: true, prefix: '' });
  });
});
