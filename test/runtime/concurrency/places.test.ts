/** Who gets a place, and when. */
import { expect } from 'chai';
import { createPlaces, type Places } from '../../../src/runtime/concurrency/places.ts';

describe('places', () => {
  const tick = async (): Promise<void> => {
    for (let i = 0; i < 10; i += 1) await Promise.resolve();
  };

  /** Works in a place until it is told to end. */
  function worker(places: Places, log: string[]) {
    const ends = new Map<string, () => void>();
    const take = (id: string, ...names: string[]): Promise<void> =>
      places.take(names, async () => {
        log.push(id);
        await new Promise<void>((resolve) => ends.set(id, resolve));
      });
    const end = async (id: string): Promise<void> => {
      ends.get(id)!();
      await tick();
    };
    return { take, end };
  }

  it('lets nobody have more than its number, however many are free', async () => {
    const started: string[] = [];
    const { take, end } = worker(createPlaces({ places: 3, each: 2 }), started);
    for (const id of ['a1', 'a2', 'a3', 'a4']) void take(id, 'a');
    await tick();
    expect(started).to.deep.equal(['a1', 'a2']);
    void take('b1', 'b');
    await tick();
    expect(started).to.deep.equal(['a1', 'a2', 'b1']);
    await end('b1');
    expect(started, 'the third place stays free').to.have.length(3);
    await end('a2');
    expect(started.at(-1)).to.equal('a3');
  });

  it('gives the next place to who has fewest, then to who had none for longest', async () => {
    const started: string[] = [];
    const { take, end } = worker(createPlaces({ places: 2, each: 2 }), started);
    for (const id of ['a1', 'a2', 'a3', 'a4', 'a5']) void take(id, 'a');
    for (const id of ['b1', 'b2', 'b3']) void take(id, 'b');
    void take('c1', 'c');
    await tick();
    expect(started).to.deep.equal(['a1', 'a2']);
    for (const id of ['a1', 'a2', 'b1', 'c1', 'a3', 'b2', 'a4']) await end(id);
    expect(started).to.deep.equal(['a1', 'a2', 'b1', 'c1', 'a3', 'b2', 'a4', 'b3', 'a5']);
  });

  it('counts work in each of its names', async () => {
    const started: string[] = [];
    const { take, end } = worker(createPlaces({ places: 3, each: 1 }), started);
    void take('one', 'consumer 1', 'token x');
    void take('two', 'consumer 2', 'token x');
    void take('three', 'consumer 1', 'token y');
    void take('four', 'consumer 2', 'token y');
    await tick();
    expect(started).to.deep.equal(['one', 'four']);
    await end('one');
    expect(started).to.deep.equal(['one', 'four']);
    await end('four');
    expect(started).to.deep.equal(['one', 'four', 'two', 'three']);
  });

  it('passes on results and failures, and frees the place either way', async () => {
    const places = createPlaces({ places: 1, each: 1 });
    const failed = places.take(['a'], async () => await Promise.reject(new Error('no')));
    const done = places.take(['a'], async () => 7);
    expect(await failed.catch((error: Error) => error.message)).to.equal('no');
    expect(await done).to.equal(7);
    expect(await places.take(['b'], async () => 8)).to.equal(8);
  });
});
