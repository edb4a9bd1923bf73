/** Many messages at once over HTTP, which are read apart, in bytes: they arrive as few do. */
import { expect } from 'chai';
import { addPullSink, appendMessages } from '../support/fixtures/fixtures.ts';
import { type MessageDatabase, messageDatabase } from '../support/postgres/message-database.ts';
import { fakeListener, type TestWeb, testWeb } from '../support/processes/web.ts';

describe('http: pull API, many messages', () => {
  let m: MessageDatabase;
  let web: TestWeb;
  const listener = fakeListener();
  before(async () => {
    m = await messageDatabase();
    web = await testWeb({ db: m.db, listener }, { pull: { longWaitMs: 30_000, blankEveryMs: 10 } });
  });
  after(async () => {
    await web.close();
    await m.drop();
  });

  for (const type of ['pull', 'sequin_stream'] as const) {
    it(`answers many messages as it answers few (${type})`, async () => {
      const given = Array.from({ length: 230 }, (_, i) => ({
        group: i + 1,
        record: JSON.stringify({ id: i, text: 'ü€😀'.repeat(i * 10) }),
        ...(i % 50 === 7 ? { payload: `{"shaped": ${i}}` } : {}),
      }));
      const takeBy = async (batchSize: number): Promise<{ ack_id: string }[]> => {
        const { no, name } = await addPullSink(m.db, { name: `${type.replace('_', '-')}-${batchSize}`, type });
        await appendMessages(m.db, no, given);
        const path = `/api/http_pull_consumers/${name}`;
        const taken: { ack_id: string }[] = [];
        for (let ackIds: string[] = []; taken.length < given.length; ) {
          const reply = await web.call('POST', `${path}/receive`, { body: { batch_size: batchSize, ack_ids: ackIds } });
          expect([reply.status, reply.json.acked]).to.deep.equal([200, ackIds.length]);
          expect(reply.headers.get('content-length')).to.equal(String(Buffer.byteLength(reply.text)));
          ackIds = reply.json.data.map((each: { ack_id: string }) => each.ack_id);
          taken.push(...reply.json.data);
        }
        return taken;
      };
      // What differs from one consumer to the other.
      const alike = ({ ack_id, ...rest }: { ack_id: string }): string =>
        JSON.stringify(rest).replace(/"metadata":\{.*/, '');
      const few = await takeBy(50);
      const many = await takeBy(1_000);
      expect(many.map(alike)).to.deep.equal(few.map(alike)).and.have.lengthOf(230);
      expect(many.map((each) => Object.keys(each))).to.deep.equal(few.map((each) => Object.keys(each)));
    });
  }

  it('answers them in a reply that began before, and each with its own table', async () => {
    const { no, name } = await addPullSink(m.db, { name: 'late' });
    const response = await fetch(`${web.url}/api/http_pull_consumers/${name}/receive?wait_for=60s&batch_size=1000`, {
      headers: { authorization: 'Bearer admin-token' },
    });
    await m.db.transaction(async (tx) => {
      const ids = await appendMessages(
        tx,
        no,
        Array.from({ length: 130 }, (_, i) => ({ group: i + 1 })),
      );
      await tx.query(
        `with other as (
           insert into millrace_private.source_tables (database_no, oid, schema_name, table_name, metadata)
           select t.database_no, 4242, 'public', 'other', '"table_name":"other"' from millrace_private.source_tables t limit 1
           returning no)
         update millrace_private.messages m set source_table = o.no from other o where m.sink_no = $1 and m.id >= $2`,
        [no, ids[60]],
      );
    });
    listener.emit('millrace_messages', '');
    const text = await response.text();
    expect(text).to.match(/^ +\{/);
    const { data } = JSON.parse(text);
    const isOther = data.map(({ metadata }: { metadata: { table_name: string } }) => metadata.table_name === 'other');
    expect(isOther).to.deep.equal(Array.from({ length: 130 }, (_, i) => i >= 60));
  });
});
