/** What a rebuild still waits for: parked messages are not waited for, however many they are. */
import { expect } from 'chai';
import { statement } from '../../src/db/statement.ts';
import { type Captured, captured, SEARCH, sinkSettings } from '../support/fixtures/captured.ts';

const PENDING = statement('admin/pending-before');

describe('what a rebuild waits for', () => {
  let on: Captured;
  before(async () => {
    on = await captured('create table products (id int primary key)');
  });
  after(async () => await on?.close());

  it('is seen beside more parked messages than are counted', async () => {
    const { db } = on.messages;
    const sinkNo = await on.addSink(sinkSettings({ name: 'index', destination: SEARCH }));
    await on.start();
    await on.streaming();
    await on.source.query('insert into products select generate_series(1, 8)');
    await on.received(sinkNo, 8);
    await db.query(
      `insert into millrace_private.delivery_states (sink_no, id, lane, group_key, state, attempts, stage, error, parked_at)
       select sink_no, id, lane, group_key, 'parked', 1, 'send', 'refused', now()
         from millrace_private.messages where sink_no = $1 order by id limit 6`,
      [sinkNo],
    );
    const look = async (counted: number) => {
      const { rows } = await db.query<object>(PENDING, [sinkNo, Number.MAX_SAFE_INTEGER, counted]);
      return rows[0];
    };
    expect(await look(5)).to.include({ messages: 8, parked: 6 });
    expect(await look(1), 'no more are counted than it takes').to.include({ messages: 7, parked: 6 });
  });
});
