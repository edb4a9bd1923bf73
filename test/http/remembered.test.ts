/** Answers that many are given: how old they are, and who gets one of its own. */
import { expect } from 'chai';
import { remembered, rememberedBy } from '../../src/http/remembered.ts';

/** Questions that are answered one by one, by their place. */
function asker() {
  const asked: PromiseWithResolvers<number>[] = [];
  return {
    asked,
    read: () => (asked[asked.push(Promise.withResolvers<number>()) - 1] as PromiseWithResolvers<number>).promise,
    async answer(place: number): Promise<void> {
      asked[place]!.resolve(place);
      await asked[place]!.promise;
    },
  };
}

describe('http: remembered answers', () => {
  it('are as old as whoever asks accepts, from when they came; one under way is joined however long it takes', async () => {
    let now = 0;
    const { asked, read, answer } = asker();
    const ask = remembered(read, { keepMs: 1_000, now: () => now });
    const first = ask();
    now = 5_000;
    const joined = ask({ acceptMs: 1 });
    await answer(0);
    expect([await first, await joined]).to.deep.equal([0, 0]);
    now = 5_999;
    expect(await ask()).to.equal(0);
    now = 6_500;
    expect(await ask({ acceptMs: 2_000 })).to.equal(0);
    void ask();
    expect(asked.length).to.equal(2);
  });

  it('are made anew for who accepts none, beside what is under way, and given to the others from then on', async () => {
    let now = 0;
    const { read, answer } = asker();
    const ask = remembered(read, { keepMs: 1_000, now: () => now });
    const before = ask();
    const own = ask({ acceptMs: 0 });
    const after = ask();
    await answer(1);
    expect([await own, await after]).to.deep.equal([1, 1]);
    now = 500;
    await answer(0);
    expect(await before).to.equal(0);
    expect(await ask(), 'not the older one that came later').to.equal(1);
    now = 1_000;
    const next = ask();
    await answer(2);
    expect(await next).to.equal(2);
  });

  it('that are failures are kept for a second at most', async () => {
    let now = 0;
    const times: string[] = [];
    const ask = remembered(() => Promise.reject(new Error(`no ${times.push('')}`)), { keepMs: 9_000, now: () => now });
    const said = () => ask().catch(({ message }: Error) => message);
    expect([await said(), await said()]).to.deep.equal(['no 1', 'no 1']);
    now = 1_000;
    expect(await said()).to.equal('no 2');
  });

  it('of many questions are forgotten, those first that were asked for longest ago, and those that are not worth keeping', async () => {
    const read: string[] = [];
    const ask = rememberedBy(
      async (question: string) => {
        read.push(question);
        return question;
      },
      { keyOf: (question) => question, keepMs: 60_000, most: 2, isKept: (answer) => answer !== 'large' },
    );
    for (const question of ['a', 'b', 'a', 'c', 'a', 'b', 'large', 'large']) await ask(question);
    expect(read).to.deep.equal(['a', 'b', 'c', 'b', 'large', 'large']);
  });
});
