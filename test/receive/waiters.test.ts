/** Who waits, who looks, and when: with a clock of the test's and tries that answer when they are told to. */
import { expect } from 'chai';
import type { Lease, Leased } from '../../src/receive/lease.ts';
import { createWaiters, type Waiters } from '../../src/receive/waiters.ts';
import { until } from '../support/until.ts';

const lease = (name: string): Lease => ({ messages: name, count: 1, ackIds: () => [name] });
const nothing: Leased = { lease: undefined, more: false, dueInMs: null };

interface Try {
  client: string;
  answer(leased: Leased): void;
  fail(error: Error): void;
}

describe('receive: those who wait', () => {
  let waiters: Waiters;
  let tries: Try[];
  let returned: string[];
  let results: [string, string | undefined][];
  const never = new AbortController().signal;

  function start(pollMs = 60_000): void {
    tries = [];
    returned = [];
    results = [];
    waiters = createWaiters(
      {
        now: () => performance.now(),
        giveBack: async (given) => {
          returned.push(String(given.messages));
        },
      },
      { pollMs },
    );
  }
  beforeEach(() => start());
  afterEach(() => waiters.close());

  const attempt = (client: string) => async (): Promise<Leased> => {
    const { promise, resolve, reject } = Promise.withResolvers<Leased>();
    tries.push({ client, answer: resolve, fail: reject });
    return await promise;
  };

  function wait(
    client: string,
    options: { waitMs?: number; dueInMs?: number | null; signal?: AbortSignal } = {},
  ): void {
    const before = { news: waiters.news, dueInMs: options.dueInMs ?? null, more: false };
    waiters.wait({ attempt: attempt(client), waitMs: options.waitMs ?? 60_000, before }, options.signal ?? never).then(
      (got) => results.push([client, got && String(got.messages)]),
      (error: Error) => results.push([client, error.message]),
    );
  }

  const nextTry = async (count: number): Promise<Try> =>
    await until(`try ${count}`, () => (tries.length >= count ? tries[count - 1] : undefined));
  const over = async (ms: number): Promise<void> => {
    const end = performance.now() + ms;
    await until('the time is over', () => performance.now() > end);
  };
  const settled = async (count: number): Promise<void> => {
    await until(`${count} results`, () => results.length >= count);
  };

  it('looks when there is news, for the one who came first, and then for the next one', async () => {
    wait('a');
    wait('b');
    expect(waiters.waiting).to.equal(2);
    expect(tries).to.deep.equal([]);
    waiters.wake();
    const first = await nextTry(1);
    expect(first.client).to.equal('a');
    first.answer({ lease: lease('1'), more: false, dueInMs: null });
    const second = await nextTry(2);
    expect(second.client).to.equal('b');
    second.answer(nothing);
    await settled(1);
    expect(results).to.deep.equal([['a', '1']]);
    expect(waiters.waiting).to.equal(1);
    expect(tries).to.have.lengthOf(2);
  });

  it('looks again when news came during a try, or since the one before the wait', async () => {
    wait('a');
    waiters.wake();
    const first = await nextTry(1);
    waiters.wake();
    first.answer(nothing);
    (await nextTry(2)).answer({ lease: lease('1'), more: false, dueInMs: null });
    await settled(1);
    const before = { news: waiters.news, dueInMs: null, more: false };
    waiters.wake();
    void waiters.wait({ attempt: attempt('b'), waitMs: 60_000, before }, never);
    expect((await nextTry(3)).client).to.equal('b');
  });

  it('goes on at once when a try had to pass over many rows', async () => {
    wait('a');
    waiters.wake();
    (await nextTry(1)).answer({ lease: undefined, more: true, dueInMs: null });
    (await nextTry(2)).answer({ lease: lease('1'), more: false, dueInMs: null });
    await settled(1);
    expect(results).to.deep.equal([['a', '1']]);
  });

  it('looks when something is due, and sooner when it is planned sooner', async () => {
    wait('a', { dueInMs: 20 });
    (await nextTry(1)).answer({ lease: undefined, more: false, dueInMs: 30_000 });
    await until('asleep', () => waiters.waiting === 1);
    waiters.plan(20);
    (await nextTry(2)).answer(nothing);
    wait('b', { dueInMs: 20 });
    expect((await nextTry(3)).client).to.equal('a');
  });

  it('looks twice for what is overdue, then not again before the poll', async () => {
    start(100);
    wait('a', { dueInMs: -5 });
    const startedAt = performance.now();
    (await nextTry(1)).answer({ lease: undefined, more: false, dueInMs: -6 });
    await nextTry(2);
    expect(performance.now() - startedAt).to.be.at.least(95);
  });

  it('polls when there is no news', async () => {
    start(30);
    wait('a');
    (await nextTry(1)).answer(nothing);
    (await nextTry(2)).answer({ lease: lease('1'), more: false, dueInMs: null });
    await settled(1);
  });

  it('ends a wait when its time is over; a try under way decides', async () => {
    wait('a', { waitMs: 10 });
    await settled(1);
    expect(results).to.deep.equal([['a', undefined]]);
    wait('b', { waitMs: 30 });
    waiters.wake();
    const running = await nextTry(1);
    await over(40);
    expect(results).to.have.lengthOf(1);
    running.answer({ lease: lease('1'), more: false, dueInMs: null });
    await settled(2);
    expect(results[1]).to.deep.equal(['b', '1']);
    wait('c', { waitMs: 30 });
    waiters.wake();
    const empty = await nextTry(2);
    await over(40);
    empty.answer(nothing);
    await settled(3);
    expect(results[2]).to.deep.equal(['c', undefined]);
  });

  it('gives back what was leased for one who has left, and looks for the next one', async () => {
    const client = new AbortController();
    wait('a', { signal: client.signal });
    wait('b');
    waiters.wake();
    const first = await nextTry(1);
    client.abort();
    await settled(1);
    expect(results).to.deep.equal([['a', undefined]]);
    first.answer({ lease: lease('1'), more: false, dueInMs: null });
    const second = await nextTry(2);
    expect(returned).to.deep.equal(['1']);
    expect(second.client).to.equal('b');
  });

  it('lets all fail when a try fails, and serves those who come after', async () => {
    wait('a');
    wait('b');
    waiters.wake();
    (await nextTry(1)).fail(new Error('gone'));
    await settled(2);
    expect(results).to.deep.equal(
      [
        ['b', 'gone'],
        ['a', 'gone'],
      ].sort(),
    );
    wait('c');
    waiters.wake();
    (await nextTry(2)).answer({ lease: lease('1'), more: false, dueInMs: null });
    await settled(3);
    expect(results[2]).to.deep.equal(['c', '1']);
  });

  it('sends all away when it is closed, also those who come later', async () => {
    wait('a');
    wait('b');
    waiters.close();
    wait('c');
    await settled(3);
    expect(results.map(([, got]) => got)).to.deep.equal([undefined, undefined, undefined]);
    expect(waiters.closed).to.equal(true);
    expect(tries).to.deep.equal([]);
  });

  it('looks for twice as many at once as long as all find something', async () => {
    for (const client of ['a', 'b', 'c', 'd', 'e', 'f']) wait(client);
    waiters.wake();
    (await nextTry(1)).answer({ lease: lease('1'), more: false, dueInMs: null });
    await nextTry(3);
    for (const each of tries.slice(1)) each.answer({ lease: lease(each.client), more: false, dueInMs: null });
    await nextTry(6);
    expect(tries.map(({ client }) => client)).to.deep.equal(['a', 'b', 'c', 'd', 'e', 'f']);
    tries[3]!.answer({ lease: lease('d'), more: false, dueInMs: null });
    for (const each of tries.slice(4)) each.answer(nothing);
    await settled(4);
    expect(waiters.waiting).to.equal(2);
    waiters.wake();
    expect((await nextTry(7)).client).to.equal('e');
  });
});
