/** Messages of which only the key was kept are never tried again: what they lack would be taken from a document. */
import { expect } from 'chai';
import { countFailed, settleFound } from '../../src/admin/settle-messages.ts';
import { addPushSink, appendMessages, parkOnArrival } from '../support/fixtures/fixtures.ts';
import { type MessageDatabase, messageDatabase } from '../support/postgres/message-database.ts';

describe('messages of which only the key was kept', () => {
  let m: MessageDatabase;
  before(async () => {
    m = await messageDatabase();
  });
  after(async () => await m.drop());

  for (const error of [
    'the row of 20000020 bytes is larger than max_row_bytes: only its key was kept',
    'the row is larger than max_row_bytes: only its key was kept',
    'the row of about 300064 bytes is larger than max_row_bytes: only its key was kept',
    'the message database does not take the row as it is, so only its key was kept: discard it, or correct the row',
  ]) {
    it(`stay parked when they are tried again, unless the row was deleted: ${error}`, async () => {
      const { no, name } = await addPushSink(m.db, { name: `index-${error.length}`, kind: 'search_index' });
      const ids = await appendMessages(m.db, no, [
        { group: 1, action: 'insert', record: '{"id":1}' },
        { group: 2, action: 'update', record: '{"id":2}' },
        { group: 3, action: 'delete', record: '{"id":3}' },
        { group: 4, action: 'insert' },
      ]);
      await parkOnArrival(m.db, no, ids);
      await m.db.query(
        'update millrace_private.delivery_states set error = $3 where sink_no = $1 and id = any ($2::bigint[])',
        [no, ids.slice(0, 3), error],
      );
      const sink = { no, name };
      expect(await countFailed(m.db, 'retry', { sink, filter: {} })).to.deep.equal({ count: 2, more: false });
      expect(await countFailed(m.db, 'discard', { sink, filter: {} })).to.deep.equal({ count: 4, more: false });
      // They are in nobody's way: whoever retries one after the other comes to those behind them.
      const first = await settleFound(m.db, 'retry', { sink, filter: {}, limit: 1, dryRun: false });
      expect(first).to.deep.equal({ count: 1, more: true });
      // Of another one nothing is known any more.
      await m.db.query(
        'update millrace_private.delivery_states set stage = null, error = null where sink_no = $1 and id = $2',
        [no, ids[3]],
      );
      const { rows } = await m.db.query<{ count: number }>('select millrace.retry($1, $2) as count', [name, ids]);
      expect(rows[0]!.count).to.equal(1);
      const states = await m.db.query<{ state: string }>(
        'select state from millrace_private.delivery_states where sink_no = $1 order by id',
        [no],
      );
      expect(states.rows.map(({ state }) => state)).to.deep.equal(['parked', 'parked', 'retrying', 'retrying']);
    });
  }
});
