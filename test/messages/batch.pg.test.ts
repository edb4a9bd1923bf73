/** What is written as binary COPY, read back by Postgres. */
import { expect } from 'chai';
import { JsonBytes } from '../../src/codec/json-bytes.ts';
import { copyIn } from '../../src/db/copy-in.ts';
import {
  type Address,
  beginRows,
  type ChangeText,
  COPY_MESSAGES,
  endRows,
  putAddress,
  putAgain,
  putChange,
} from '../../src/messages/copy-rows.ts';
import { type MessageDatabase, messageDatabase } from '../support/postgres/message-database.ts';

describe('rows of the message table', () => {
  let messages: MessageDatabase;
  before(async () => {
    messages = await messageDatabase();
  });
  after(() => messages.drop());

  /** A buffer that grows at almost every step. */
  const copied = async (write: (out: JsonBytes) => void) =>
    await messages.db.session(async (client) => {
      const out = new JsonBytes(1);
      beginRows(out);
      write(out);
      endRows(out);
      await client.query('create temp table rows (like millrace_private.messages)');
      try {
        const sql = COPY_MESSAGES.replace('millrace_private.messages', 'rows');
        await copyIn(client, { sql, rows: out.bytes.subarray(0, out.length) });
        return (await client.query('select *, committed_at::text as committed_at from rows order by id')).rows;
      } finally {
        await client.query('drop table rows');
      }
    });

  const address = (more: Partial<Address> = {}): Address => ({
    sinkNo: 7,
    lane: 1,
    id: 1_790_000_000_000_001,
    groupKey: Number.MAX_SAFE_INTEGER,
    groupKey2: null,
    ...more,
  });
  const change = (more: Partial<ChangeText<JsonBytes>> = {}): ChangeText<JsonBytes> => ({
    sourceTable: 3,
    action: 'update',
    recordPks: '["1"]',
    commitLsn: 0x16_b374_d848n,
    commitIdx: 4_294_967_296,
    committedAt: Date.UTC(2026, 0, 31, 12) * 1000 + 1,
    record: '{}',
    changes: null,
    annotations: null,
    unchangedToast: null,
    ...more,
  });

  it('come back as they were, every column', async () => {
    const [row] = await copied((out) => {
      putAddress(out, address({ groupKey2: 5 }));
      putChange(
        out,
        change({ changes: '{"a":1}', annotations: '{"by":"me"}', unchangedToast: '["body"]', record: '{"id":1}' }),
      );
    });
    expect(row).to.deep.equal({
      sink_no: 7,
      lane: 1,
      id: 1_790_000_000_000_001,
      group_key: Number.MAX_SAFE_INTEGER,
      group_key2: 5,
      source_table: 3,
      action: 'update',
      record_pks: '["1"]',
      commit_lsn: 0x16_b374_d848,
      commit_idx: 4_294_967_296,
      committed_at: '2026-01-31 12:00:00.000001+00',
      record: '{"id":1}',
      changes: '{"a":1}',
      annotations: '{"by":"me"}',
      unchanged_toast: '["body"]',
      payload: null,
    });
  });

  it('hold every text, and what is nothing is null', async () => {
    const texts = ['', '\\N', '\t\n\r\\', 'Zażółć – 東京 🚀', 'x'.repeat(100_000), 'ascii, then é'];
    const rows = await copied((out) => {
      for (const [place, text] of texts.entries()) {
        putAddress(out, address({ id: place, groupKey: null }));
        putChange(out, change({ recordPks: text, record: (into) => into.copy(Buffer.from(text)) }));
      }
    });
    expect(rows.map((row) => row.record_pks)).to.deep.equal(texts);
    expect(rows.map((row) => row.record)).to.deep.equal(texts);
    expect(rows.map((row) => [row.group_key, row.group_key2, row.changes])).to.deep.equal(
      texts.map(() => [null, null, null]),
    );
  });

  it('share what follows the address', async () => {
    const rows = await copied((out) => {
      putAddress(out, address({ id: 1, sinkNo: 1 }));
      const start = out.length;
      putChange(out, change({ record: '{"shared":true}' }));
      const end = out.length;
      putAddress(out, address({ id: 2, sinkNo: 2 }));
      putAgain(out, start, end);
    });
    expect(rows.map((row) => [row.sink_no, row.record])).to.deep.equal([
      [1, '{"shared":true}'],
      [2, '{"shared":true}'],
    ]);
  });

  it('may have been committed before 2000', async () => {
    const [row] = await copied((out) => {
      putAddress(out, address());
      putChange(out, change({ committedAt: Date.UTC(1999, 11, 31, 23, 59, 59) * 1000 + 999_999 }));
    });
    expect(row!.committed_at).to.equal('1999-12-31 23:59:59.999999+00');
  });
});
