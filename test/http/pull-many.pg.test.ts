/** Many messages at once over HTTP, which are read apart, in bytes: they arrive as few do. */
import { expect } from 'chai';
import { addPullSink, appendMessages } from '../support/fixtures/fixtures.ts';
import { type MessageDatabase, messageDatabase } from '../support/postgres/message-database.ts';
import { type TestWeb, testWeb } from '../support/processes/web.ts';

describe('http: pull API, many messages', () => {
  let m: MessageDatabase;
  let web: TestWeb;
  before(async () => {
    m = await messageDatabase();
    web = await testWeb({ db: m.db });
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
});
