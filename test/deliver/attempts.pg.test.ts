/** What failed is written down with the settling, within bounds; what went well leaves no trace. */
import { expect } from 'chai';
import { messageAttempts } from '../../src/admin/list-attempts.ts';
import { trim } from '../../src/messages/trim.ts';
import { appendMessages } from '../support/fixtures/fixtures.ts';
import { scriptedLane, shapingLane } from '../support/fixtures/scripted-lane.ts';
import { type MessageDatabase, messageDatabase } from '../support/postgres/message-database.ts';

interface Row {
  id: number;
  attempt: number;
  stage: string;
  took_ms: number | null;
  status: number | null;
  type: string | null;
  text: string;
}

describe('attempts', () => {
  let m: MessageDatabase;
  before(async () => {
    m = await messageDatabase();
  });
  after(async () => await m?.drop());

  const fail = (fields: object): never => {
    throw new Error(JSON.stringify(fields));
  };
  const attempts = async (no: number): Promise<Row[]> =>
    (
      await m.db.query<Row>(
        `select id, attempt, stage, took_ms, status, type, text from millrace_private.attempts
          where sink_no = $1 order by seq`,
        [no],
      )
    ).rows;

  it('are written for a message that failed: the first and the last nine', async () => {
    const lane = await scriptedLane(m.db);
    const [well, again, never] = await appendMessages(m.db, lane.no, [{}, {}, {}]);
    lane.answer = ({ id }) => {
      if (id === well) return { kind: 'done' };
      if (id === never) return { kind: 'park', error: 'x'.repeat(3000), answer: { status: 400, type: 'mapping' } };
      return { kind: 'retry', error: `busy ${lane.sent.filter((one) => one === id).length}` };
    };
    await lane.run();
    const [first, parked, ...none] = await attempts(lane.no);
    expect(first).to.include({ id: again, attempt: 1, stage: 'send', status: null, type: null, text: 'busy 1' });
    expect(first!.took_ms).to.be.a('number').and.to.be.at.least(0);
    expect(parked).to.include({ id: never, attempt: 1, status: 400, type: 'mapping', text: 'x'.repeat(2000) });
    expect(none).to.deep.equal([]);
    for (let turn = 2; turn <= 32; turn += 1) {
      await lane.makeDue();
      await lane.run();
      const there = (await attempts(lane.no)).filter(({ id }) => id === again).length;
      expect(there).to.be.at.least(Math.min(turn, 10)).and.at.most(20);
      const nine = Array.from({ length: 9 }, (_, n) => turn - 8 + n);
      const texts = (await messageAttempts(m.db, lane.no, again!)).map(({ text }) => text);
      expect(texts).to.deep.equal([...new Set([1, ...nine.filter((one) => one > 1)])].map((one) => `busy ${one}`));
    }
  });

  it('are written for a function that failed', async () => {
    const lane = await shapingLane(m.db, new Map([[1, 'fail']]));
    const [id] = await lane.appendRaw([{ record: '{"no":1}' }, { record: '{"no":2}' }]);
    await lane.run();
    expect(await attempts(lane.no)).to.have.length(1);
    expect((await attempts(lane.no))[0]).to.include({ id, attempt: 1, stage: 'shape', text: 'f: no' });
  });

  it('go a day after their message, by the job that trims; those of a message that is there stay', async () => {
    const lane = await scriptedLane(m.db);
    const [stays, goes] = await appendMessages(m.db, lane.no, [{}, {}]);
    lane.answer = () => ({ kind: 'park', error: 'no' });
    await lane.run();
    await lane.discard(goes!);
    const signal = new AbortController().signal;
    const ids = async (): Promise<number[]> => (await attempts(lane.no)).map(({ id }) => id);
    const age = "update millrace_private.attempts set at = at - interval '23 h' where sink_no = $1";
    for (const left of [[stays, goes], [stays]]) {
      await m.db.query(age, [lane.no]);
      await trim({ db: m.db, log: { warn: fail } }, { signal });
      expect(await ids()).to.deep.equal(left);
    }
    const many = `insert into millrace_private.attempts (sink_no, id, attempt, stage, text)
                  select $1, n, 1, 'send', 'x' from generate_series(1, 10005) n`;
    await m.db.query(many, [lane.no]);
    await trim({ db: m.db, log: { warn: fail } }, { signal, chunk: 3 });
    expect(await ids())
      .to.have.length(10_000)
      .and.not.include(stays!)
      .and.not.include(5);
  });

  it('are the last 10,000 of a sink', async () => {
    const lane = await scriptedLane(m.db);
    const record = 'select millrace_private.record_attempts($1, $2)';
    const many = (from: number): string =>
      JSON.stringify(
        Array.from({ length: 1_000 }, (_, i) => ({
          id: from + i,
          attempts: 1,
          stage: 'send',
          error: 'x',
          failure: {},
        })),
      );
    for (let from = 1; from < 12_000; from += 1_000) await m.db.query(record, [lane.no, many(from)]);
    const left = await attempts(lane.no);
    expect([left[0]!.id, left.length]).to.deep.equal([2_001, 10_000]);
    await m.db.query(record, [lane.no, null]);
    expect(await attempts(lane.no)).to.have.length(10_000);
  });
});
