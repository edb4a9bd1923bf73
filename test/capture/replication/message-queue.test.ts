import { expect } from 'chai';
import { MessageQueue } from '../../../src/capture/replication/message-queue.ts';

describe('a message queue', () => {
  it('keeps the order while something is loaded, again and again, on bytes of its own', async () => {
    const handled: string[] = [];
    const loads: (() => void)[] = [];
    let rests = 0;
    const turns: MessageQueue = new MessageQueue({
      handle(bytes) {
        handled.push(bytes.toString());
        if (bytes.toString().startsWith('load')) turns.hold(() => new Promise<void>((resolve) => loads.push(resolve)));
      },
      rested: () => {
        rests += 1;
      },
      fail: (error) => {
        throw error;
      },
    });
    const wire = Buffer.from('load1');
    turns.take(wire);
    for (const text of ['a', 'load2', 'b']) {
      const bytes = Buffer.from(text);
      turns.take(bytes);
      bytes.fill('x');
    }
    expect(handled).to.deep.equal(['load1']);
    expect(turns.waiting).to.equal(7);
    loads.shift()?.();
    await new Promise(setImmediate);
    expect(handled).to.deep.equal(['load1', 'a', 'load2']);
    expect(turns.held).to.equal(true);
    loads.shift()?.();
    await new Promise(setImmediate);
    turns.take(Buffer.from('c'));
    expect(handled).to.deep.equal(['load1', 'a', 'load2', 'b', 'c']);
    expect([turns.waiting, turns.held, rests]).to.deep.equal([0, false, 2]);
  });

  it('tells of what goes wrong while loading, and of what goes wrong in a message that waited', async () => {
    const failures: unknown[] = [];
    const turns: MessageQueue = new MessageQueue({
      handle(bytes) {
        if (bytes.toString() === 'bad') throw new Error('bad');
        turns.hold(() => (bytes.toString() === 'lost' ? Promise.reject(new Error('lost')) : Promise.resolve()));
      },
      rested: () => undefined,
      fail: (error) => failures.push(error),
    });
    turns.take(Buffer.from('load'));
    turns.take(Buffer.from('bad'));
    await new Promise(setImmediate);
    turns.take(Buffer.from('lost'));
    await new Promise(setImmediate);
    expect(failures.map(String)).to.deep.equal(['Error: bad', 'Error: lost']);
  });

  it('does what comes between two messages when nothing is loaded, and handles first what it returns', async () => {
    const handled: string[] = [];
    let loaded: (error?: Error) => void = () => undefined;
    const turns: MessageQueue = new MessageQueue({
      handle(bytes) {
        handled.push(bytes.toString());
        if (bytes.toString() !== 'load') return;
        turns.hold(
          () =>
            new Promise((resolve, reject) => {
              loaded = (error) => (error ? reject(error) : resolve());
            }),
        );
      },
      rested: () => undefined,
      fail: (error) => handled.push(String(error)),
    });
    const two = () => ['1', '2'].map((text) => Buffer.from(text));
    await turns.between(two);
    await new Promise(setImmediate);
    expect(handled.splice(0)).to.deep.equal(['1', '2']);
    turns.take(Buffer.from('load'));
    turns.take(Buffer.from('a'));
    const between = turns.between(two);
    turns.take(Buffer.from('b'));
    expect(handled).to.deep.equal(['load']);
    loaded();
    await between;
    await new Promise(setImmediate);
    expect(handled.splice(0)).to.deep.equal(['load', '1', '2', 'a', 'b']);
    expect(turns.waiting).to.equal(0);
    turns.take(Buffer.from('load'));
    const never = turns.between(two).catch(String);
    loaded(new Error('lost'));
    expect(await never).to.equal('Error: lost');
    expect(await turns.between(two).catch(String)).to.equal('Error: lost');
    expect(handled).to.deep.equal(['load', 'Error: lost']);
  });
});
