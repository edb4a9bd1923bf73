import { expect } from 'chai';
import type { Queryable } from '../../src/db/pool.ts';
import { obstacleOf, type PassedDeps, persistedUpTo, type SinkProgress, untilPassed } from '../../src/verify/passed.ts';
import { refusal } from '../support/fixtures/verification.ts';

const well: SinkProgress = {
  status: 'active',
  circuit: null,
  circuit_error: null,
  state: 'streaming',
  reason: null,
  remedy: null,
  confirmed_lsn: '1/10',
  next_id: 900,
  first_id: null,
  first_error: null,
};
const MARK = 0x1_0000_0010n;

describe('verify/passed', () => {
  it('knows up to which id there are messages of that time, once capture is that far', () => {
    expect(persistedUpTo(well, MARK)).to.equal(900);
    expect(persistedUpTo({ ...well, confirmed_lsn: '1/F' }, MARK)).to.equal(undefined);
    expect(persistedUpTo({ ...well, confirmed_lsn: null, next_id: null }, MARK)).to.equal(undefined);
    expect(persistedUpTo({ ...well, state: 'starting' }, MARK), 'a position of before a gap').to.equal(undefined);
  });

  const asked = (answers: Partial<SinkProgress>[]) => {
    const polls: number[] = [];
    let at = 0;
    const database = (answer: () => object): Queryable => ({
      query: async <Row>() => ({ rows: [answer() as Row], rowCount: 1 }),
    });
    const deps: PassedDeps = {
      source: database(() => ({ lsn: '1/10' })),
      messages: database(() => ({ ...well, ...(answers[polls.length] ?? answers.at(-1)) })),
      sleep: async (ms) => {
        polls.push(ms);
        at += ms;
      },
      now: () => at,
    };
    const sink = { no: 1, name: 's' };
    return { polls, passed: () => untilPassed(deps, { sink, signal: AbortSignal.any([]) }, { patienceMs: 1_000 }) };
  };

  it('waits for the messages of that time, and for no later ones', async () => {
    const one = asked([
      { confirmed_lsn: '1/1', first_id: 5 },
      { confirmed_lsn: '1/20', next_id: 10, first_id: 9 },
      { confirmed_lsn: '1/30', next_id: 30, first_id: 10 },
    ]);
    await one.passed();
    expect(one.polls.length).to.equal(2);
    const idle = asked([{}]);
    await idle.passed();
    expect(idle.polls).to.deep.equal([]);
  });

  it('gives up what no longer moves, and nothing that does', async () => {
    const moving = asked(Array.from({ length: 200 }, (_, n) => ({ first_id: n + 1, next_id: 200 })));
    await moving.passed();
    const error = await refusal(asked([{ first_id: 3, first_error: 'busy' }]).passed());
    expect(error.message).to.equal('sink s has made no progress for 1 s: message 3 waits: busy');
    const starting = await refusal(asked([{ state: 'starting', confirmed_lsn: null }]).passed());
    expect(starting.message).to.match(/is not captured: it is starting/);
  });

  for (const [what, progress, message, remedy] of [
    ['a paused sink', { status: 'paused' }, /sink s is paused/, /millrace.resume\('s'\)/],
    ['a disabled sink', { status: 'disabled' }, /sink s is disabled/, /active/],
    ['an open circuit', { circuit: 'auth_failed', circuit_error: 'no!' }, /\(auth_failed\): no!/, /Fix that first/],
    ['a gap', { state: 'needs_resync', reason: 'gone', remedy: 'do this' }, /needs_resync\): gone/, /^do this$/],
    ['a source in error', { state: 'error', reason: 'no slot' }, /\(error\): no slot/, /database_status/],
  ] as const) {
    it(`${what} is said at once, with what to do`, () => {
      const obstacle = obstacleOf('s', { ...well, ...progress });
      expect(obstacle?.message).to.match(message);
      expect(obstacle?.remedy).to.match(remedy);
    });
  }

  it('what passes by itself is waited for', () => {
    for (const state of ['streaming', 'starting', 'standby', null]) {
      expect(obstacleOf('s', { ...well, state })).to.equal(undefined);
    }
  });
});
