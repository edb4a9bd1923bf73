/** Who goes along with whom, and what each hears. */
import { expect } from 'chai';
import { type Asked, createGather, type GatherOptions } from '../../../src/runtime/concurrency/gather.ts';

describe('gather', () => {
  const tick = async (): Promise<void> => {
    for (let i = 0; i < 10; i += 1) await Promise.resolve();
  };

  /** Calls that end when they are told to. */
  function gathering(options: Partial<GatherOptions<string, string>> = {}) {
    const calls: { asked: readonly Asked<string, string>[]; end: (error?: Error) => void }[] = [];
    const heard: string[] = [];
    const gather = createGather<string, string>({
      turn: (_, call) => call(),
      alone: () => false,
      fit: (inputs) => inputs.length,
      beside: () => false,
      run: (asked) =>
        new Promise((resolve, reject) => {
          calls.push({ asked, end: (error) => (error === undefined ? resolve() : reject(error)) });
        }),
      ...options,
    });
    const ask = (input: string): void => {
      gather(input).then(
        (output) => heard.push(output),
        (error: Error) => heard.push(`${input}: ${error.message}`),
      );
    };
    const together = (): string[] => calls.map(({ asked }) => asked.map(({ input }) => input).join(''));
    const answer = async (call: number): Promise<void> => {
      for (const { input, resolve } of calls[call]!.asked) resolve(input.toUpperCase());
      calls[call]!.end();
      await tick();
    };
    return { calls, heard, ask, together, answer };
  }

  it('begins at once, and takes along whoever came meanwhile', async () => {
    const { ask, together, answer, heard } = gathering();
    for (const input of ['a', 'b', 'c']) ask(input);
    expect(together()).to.deep.equal(['a']);
    await answer(0);
    expect(together()).to.deep.equal(['a', 'bc']);
    ask('d');
    await answer(1);
    await answer(2);
    expect(together()).to.deep.equal(['a', 'bc', 'd']);
    expect(heard).to.deep.equal(['A', 'B', 'C', 'D']);
  });

  it('takes whoever comes until it has its turn, and no more than fit', async () => {
    const go: (() => Promise<void>)[] = [];
    const { ask, together, answer } = gathering({
      turn: async (_, call) => {
        await new Promise<void>((resolve) => go.push(() => call().then(resolve)));
      },
      fit: () => 2,
    });
    for (const input of ['a', 'b', 'c']) ask(input);
    expect(go).to.have.length(1);
    void go[0]!();
    await tick();
    expect(together()).to.deep.equal(['ab']);
    await answer(0);
    void go[1]!();
    await tick();
    expect(together()).to.deep.equal(['ab', 'c']);
  });

  it('begins a second call beside the first where it may, and never a third', async () => {
    const { ask, together, answer } = gathering({ beside: (inputs) => inputs.includes('b') });
    for (const input of ['a', 'b', 'b', 'c']) ask(input);
    await tick();
    expect(together()).to.deep.equal(['a', 'b']);
    await answer(0);
    expect(together()).to.deep.equal(['a', 'b', 'bc']);
  });

  it('gives those who ask for much a call of their own at once, and whom a call sends there', async () => {
    const { calls, ask, together, answer, heard } = gathering({ alone: (input) => input.startsWith('l') });
    for (const input of ['a', 'b', 'l1', 'c', 'l2']) ask(input);
    expect(together()).to.deep.equal(['a', 'l1', 'l2']);
    await answer(2);
    expect(together()).to.deep.equal(['a', 'l1', 'l2']);
    await answer(0);
    expect(together()).to.deep.equal(['a', 'l1', 'l2', 'bc']);
    for (const each of calls[3]!.asked) each.retryAlone();
    calls[3]!.end();
    await tick();
    expect(together()).to.deep.equal(['a', 'l1', 'l2', 'bc', 'b', 'c']);
    calls[4]!.end(new Error('own'));
    await answer(5);
    expect(heard).to.deep.equal(['L2', 'A', 'C', 'b: own']);
  });

  it('lets whoever got no answer in a call of its own go along with the others', async () => {
    const { calls, ask, together, answer, heard } = gathering({ alone: (input) => input.startsWith('l') });
    for (const input of ['a', 'b', 'l']) ask(input);
    calls[1]!.end();
    await tick();
    expect(together()).to.deep.equal(['a', 'l']);
    await answer(0);
    await answer(2);
    expect(together()).to.deep.equal(['a', 'l', 'lb']);
    expect(heard).to.deep.equal(['A', 'L', 'B']);
  });

  it('lets those who got no answer go first in the next call', async () => {
    const { ask, together, calls, answer, heard } = gathering();
    for (const input of ['a', 'b', 'c']) ask(input);
    await answer(0);
    ask('d');
    calls[1]!.asked[0]!.resolve('B');
    calls[1]!.end();
    await tick();
    expect(together()).to.deep.equal(['a', 'bc', 'cd']);
    await answer(2);
    expect(heard).to.deep.equal(['A', 'B', 'C', 'D']);
  });

  it('tells a failure to those who were in it and have no answer, and goes on', async () => {
    const { ask, calls, answer, heard } = gathering();
    for (const input of ['a', 'b', 'c']) ask(input);
    await answer(0);
    ask('d');
    calls[1]!.asked[1]!.resolve('C');
    calls[1]!.end(new Error('gone'));
    await tick();
    await answer(2);
    expect(heard).to.have.members(['A', 'C', 'b: gone', 'D']);
  });
});
