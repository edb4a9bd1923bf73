/** Frames between the sandbox and its process: whatever pieces they are written and read in, the texts are the same. */
import { Writable } from 'node:stream';
import { expect } from 'chai';
import { type Frame, FrameReader, FrameWriter, KEPT_BYTES } from '../../../src/transform/protocol/frame.ts';

/** What a writer writes, at once, or with `held` when it is taken from `waiting`; `end` takes all. */
function pipe({ held = false } = {}) {
  const written: Buffer[] = [];
  const waiting: (() => void)[] = [];
  const writable = new Writable({
    highWaterMark: 1e9,
    writev: (chunks, done) => {
      const take = () => {
        for (const { chunk } of chunks) written.push(Buffer.from(chunk));
        done();
      };
      if (held) waiting.push(take);
      else take();
    },
  });
  const end = () => {
    for (let take = waiting.shift(); take !== undefined; take = waiting.shift()) take();
  };
  return { writer: new FrameWriter(writable), written, waiting, end };
}

function read(reader: FrameReader, bytes: Buffer, size: number): Frame[] {
  const frames: Frame[] = [];
  // Like a pipe's, the memory is another frame's afterwards.
  const memory = Buffer.alloc(size);
  for (let at = 0; at < bytes.length; at += size) {
    const count = bytes.copy(memory, 0, at);
    frames.push(...reader.push(memory.subarray(0, count)));
    memory.fill(0xff);
  }
  return frames;
}

const PIECES = [
  ['[', '[0,"insert",', '{"a":"naïve ☂ 💧 \u2028"}', ',null,null]', ']'],
  [],
  ['x'.repeat(23), 'é'.repeat(24), '💧'.repeat(40), '\0', 'the last one, which is longer than a short one'],
];

describe('a frame', () => {
  it('is read as it was written, in whatever pieces it comes', async () => {
    const { writer, written } = pipe();
    const large = ['y'.repeat(KEPT_BYTES), '☂'.repeat(KEPT_BYTES)];
    const sent = [...PIECES, large, ...PIECES];
    for (const [at, pieces] of sent.entries()) writer.write({ kind: 'part', id: at, name: 'é' }, pieces);
    const bytes = Buffer.concat(written);
    const expected = sent.map((pieces, id) => ({ message: { kind: 'part', id, name: 'é' }, text: pieces.join('') }));
    for (const size of [7, 65_536, KEPT_BYTES, bytes.length]) {
      expect(read(new FrameReader(), bytes, size)).to.deep.equal(expected);
    }
    const small = Buffer.concat(written.slice(0, 3));
    expect(read(new FrameReader(), small, 1)).to.deep.equal(expected.slice(0, 3));
  });

  it('stays as it is until it has left, while others are written', () => {
    const { writer, written, waiting, end } = pipe({ held: true });
    for (let id = 0; id < 9; id += 1) writer.write({ id }, [`text ${id}`]);
    // The first one has left: its memory alone may be used again.
    waiting.shift()!();
    for (let id = 9; id < 12; id += 1) writer.write({ id }, [`text ${id}`]);
    end();
    const frames = new FrameReader().push(Buffer.concat(written));
    expect(frames).to.deep.equal(frames.map((_frame, id) => ({ message: { id }, text: `text ${id}` })));
    expect(frames).to.have.length(12);
  });

  it('is refused when it is larger than any that can come, before it has come', () => {
    const bytes = Buffer.alloc(8);
    bytes.writeUInt32LE(10, 0);
    bytes.writeUInt32LE(1_000, 4);
    expect(() => new FrameReader(1_017).push(bytes)).to.throw('1018 bytes');
    expect(new FrameReader(1_018).push(bytes)).to.deep.equal([]);
  });

  it('is refused without a message', () => {
    for (const head of ['null', '1', '{', '']) {
      const bytes = Buffer.from(`\0\0\0\0\0\0\0\0${head}`);
      bytes.writeUInt32LE(head.length, 0);
      expect(() => new FrameReader().push(bytes), head).to.throw();
    }
  });
});
