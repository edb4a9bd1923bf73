/**
 * Who has acknowledged and wants to receive as well waits for its turn for a moment only, and must not be the reason that Postgres
 * sees a deadlock meanwhile: it would end a third one, who has waited for long and did nothing wrong.
 */
import { expect } from 'chai';
import { addPullSink, appendMessages } from '../support/fixtures/fixtures.ts';
import { type MessageDatabase, messageDatabase } from '../support/postgres/message-database.ts';
import { openSession, type Session, untilBlocked } from '../support/postgres/sessions.ts';
import { pullFrom } from '../support/pull/pull.ts';
import { until } from '../support/until.ts';

describe('receive: after an acknowledgement, while others wait', () => {
  let m: MessageDatabase;
  const sessions: Session[] = [];
  before(async () => {
    m = await messageDatabase();
  });
  after(async () => await m.drop());
  afterEach(async () => {
    for (const session of sessions.splice(0)) await session.close();
  });

  async function session(): Promise<Session> {
    const opened = await openSession(m.db);
    sessions.push(opened);
    await opened.query('begin');
    return opened;
  }

  /** Postgres looks for a deadlock when somebody has waited for a second. */
  const untilNearlyLooked = ({ pid }: Session): Promise<unknown> =>
    until('it has waited for 0.75 s', async () => {
      const { rows } = await m.db.query<{ ms: number | null }>(
        'select extract(epoch from clock_timestamp() - k.waitstart) * 1000 as ms from pg_locks k where k.pid = $1 and not k.granted',
        [pid],
      );
      return (rows[0]?.ms ?? 0) > 750;
    });

  for (const { who, isReceiver } of [
    { who: 'another receive', isReceiver: true },
    { who: 'a lane that makes a shaped message due', isReceiver: false },
  ]) {
    it(`ends nothing of ${who}`, async () => {
      const { no, name } = await addPullSink(m.db, { name: isReceiver ? 'received' : 'shaped' });
      await appendMessages(m.db, no, [{ group: 1 }, { group: 2 }]);
      const [first] = (await pullFrom(m.db, no).receive(1)).ackIds;
      const both = await session();
      await both.query('select millrace.ack($1, $2)', [name, [first]]);

      const receiver = await session();
      const waiting = isReceiver ? receiver : await session();
      await receiver.query(`select millrace_private.lock_consumer($1, 'turn')`, [no]);
      const waits = waiting.query(`select millrace_private.lock_consumer($1, 'alone')`, [no]);
      const ended = waits.then(
        () => 'has it',
        (error: { code?: string }) => error.code,
      );
      await untilBlocked(m.db, waiting, both);
      const behind = isReceiver
        ? undefined
        : receiver.query(`select millrace_private.lock_consumer($1, 'alone')`, [no]);
      if (!isReceiver) await untilBlocked(m.db, receiver, both);
      await untilNearlyLooked(waiting);
      expect((await both.query('select * from millrace.receive($1)', [name])).rows).to.deep.equal([]);
      await both.query('commit');
      expect(await ended).to.equal('has it');
      await waiting.query('commit');
      await behind;
    });
  }
});
