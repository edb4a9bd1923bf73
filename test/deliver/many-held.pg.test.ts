/** Hundreds of messages of a few groups are held at once, with statistics of a sink that held nothing before. */
import { expect } from 'chai';
import { addPullSink, appendMessages } from '../support/fixtures/fixtures.ts';
import { type MessageDatabase, messageDatabase } from '../support/postgres/message-database.ts';

describe('a lane ordered by groups that holds hundreds of messages', () => {
  let m: MessageDatabase;
  before(async () => {
    m = await messageDatabase();
  });
  after(async () => await m.drop());

  it('settles them long before its statement is ended', async () => {
    const { no } = await addPullSink(m.db, { name: 'held', lanes: 1 });
    await m.db.query('update millrace_private.sinks set receivable = false where no = $1', [no]);
    await m.db.query(
      `insert into millrace_private.lanes (sink_no, lane, owner, until) values ($1, 0, 'us', now() + interval '1 hour')`,
      [no],
    );
    await m.db.query('analyze millrace_private.messages');
    await m.db.query('analyze millrace_private.delivery_states');
    const messages = Array.from({ length: 1_000 }, (_, i) => ({
      group: 1 + (i % 60),
      ...(i % 7 === 0 ? { group2: 1 + ((i * 3) % 60) } : {}),
    }));
    const ids = await appendMessages(m.db, no, messages);
    for (let more = 0; more < 7; more += 1) await appendMessages(m.db, no, messages);
    const kept = ids.filter((_, i) => i % 2 === 0).map((id) => ({ id, state: 'held', attempts: 0, delay_ms: 0 }));
    await m.db.transaction(async (tx) => {
      await tx.query(`set local statement_timeout = '5s'`);
      await tx.query(`select millrace_private.settle($1, 0, 'us', 0, $2, '{}'::bigint[], $3::jsonb, '{}'::bigint[])`, [
        no,
        ids.at(-1),
        JSON.stringify(kept),
      ]);
    });
    const { rows } = await m.db.query<{ stays: number }>(
      'select count(*)::integer as stays from millrace_private.delivery_states where sink_no = $1',
      [no],
    );
    expect(rows).to.deep.equal([{ stays: 500 }]);
  });
});
