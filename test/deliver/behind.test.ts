import { expect } from 'chai';
import { type LaneDatabase, limited } from '../../src/deliver/behind.ts';

/** A database whose statements take until they are told to end. */
function held(): { db: LaneDatabase; running: string[]; end(which: string, error?: Error): void } {
  const ends = new Map<string, PromiseWithResolvers<unknown>>();
  const running: string[] = [];
  const run = async (which: string): Promise<never> => {
    const gate = Promise.withResolvers<unknown>();
    ends.set(which, gate);
    running.push(which);
    await gate.promise.finally(() => running.splice(running.indexOf(which), 1));
    return undefined as never;
  };
  const db: LaneDatabase = {
    query: (statement) => run(String(statement)),
    transaction: (work) => work({} as never).then((which) => run(String(which))),
  };
  return {
    db,
    running,
    end: (which, error) => (error ? ends.get(which)!.reject(error) : ends.get(which)!.resolve(undefined)),
  };
}

const turn = async (): Promise<void> => {
  await new Promise((resolve) => setImmediate(resolve));
};

describe('the database of lanes that are far behind', () => {
  it('runs so many at once, whatever they are, and the next in the order they came', async () => {
    const { db, running, end } = held();
    const few = limited(db, 2);
    const all = [
      few.query('a'),
      few.transaction(() => Promise.resolve('b')),
      few.query('c'),
      few.transaction(() => Promise.resolve('d')),
    ];
    await turn();
    expect(running).to.deep.equal(['a', 'b']);
    end('b');
    await turn();
    expect(running).to.deep.equal(['a', 'c']);
    for (const which of ['a', 'c']) end(which);
    await turn();
    expect(running).to.deep.equal(['d']);
    end('d');
    await Promise.all(all);
  });

  it('gives a turn back that failed', async () => {
    const { db, running, end } = held();
    const few = limited(db, 1);
    const failing = few.query('a').catch((error: Error) => error.message);
    const next = few.query('b');
    await turn();
    end('a', new Error('gone'));
    expect(await failing).to.equal('gone');
    await turn();
    expect(running).to.deep.equal(['b']);
    end('b');
    await next;
  });
});
