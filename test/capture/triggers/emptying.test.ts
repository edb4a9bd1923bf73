import { expect } from 'chai';
import { openEmptying } from '../../../src/capture/triggers/emptying.ts';

describe('the removal of what was read', () => {
  it('says how it failed, and nothing once it has been stopped, whatever is still under way or comes later', async () => {
    const asked: string[] = [];
    const said: unknown[] = [];
    let fail: (error: Error) => void = () => undefined;
    const open = () =>
      openEmptying(
        (snapshot) => {
          asked.push(snapshot);
          return new Promise((_resolve, reject) => {
            fail = reject;
          });
        },
        { warn: (fields: unknown) => said.push(fields) },
      );
    const settled = () => new Promise((resolve) => setImmediate(resolve));
    const first = open();
    first.read('a');
    fail(new Error('lost'));
    await settled();
    expect([asked, said.length]).to.deep.equal([['a'], 1]);
    first.stop();
    const second = open();
    second.read('b');
    second.stop();
    fail(new Error('the pool is closed'));
    await settled();
    const third = open();
    third.stop();
    third.read('c');
    expect([asked, said.length]).to.deep.equal([['a', 'b'], 1]);
  });

  for (const [why, first] of [
    ['what was locked', () => Promise.resolve({ locked: [0] })],
    ['what the database refused just then', () => Promise.reject(new Error('lost'))],
  ] as const)
    it(`is tried again for ${why}, though nothing more is read`, async () => {
      const { promise, resolve } = Promise.withResolvers<void>();
      const asked: string[] = [];
      const emptying = openEmptying(
        (snapshot) => {
          asked.push(snapshot);
          if (asked.length < 3) return first();
          resolve();
          return Promise.resolve({ locked: [] });
        },
        { warn: () => undefined },
        1,
      );
      emptying.read('a');
      await promise;
      emptying.stop();
      expect(asked).to.deep.equal(['a', 'a', 'a']);
    });
});
