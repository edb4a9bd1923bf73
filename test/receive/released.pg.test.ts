/** What web roles of the release before call: it answers as it did. */
import { expect } from 'chai';
import { addPullSink, appendMessages } from '../support/fixtures/fixtures.ts';
import { type MessageDatabase, messageDatabase } from '../support/postgres/message-database.ts';

const RECEIVE = `call millrace_private.receive_batches($1::integer, $2::integer[], $3::boolean, $4::bigint, $5::text[], $6::text[],
                                                      null, null, null, null, null, null, null, null, null)`;

describe('receive: as the release before asks for it', () => {
  let m: MessageDatabase;
  before(async () => {
    m = await messageDatabase();
  });
  after(async () => await m.drop());

  it('has the messages of all clients in its answer, however many, and acknowledges before', async () => {
    const { no } = await addPullSink(m.db, { name: 'released' });
    const given = Array.from({ length: 302 }, (_, i) => ({ group: i + 1 }));
    const ids = await appendMessages(m.db, no, given);
    const receive = async (batches: number[], acks: [tokens: string[], ids: string[]]) =>
      (await m.db.query<Record<string, unknown>>(RECEIVE, [no, batches, false, 1e9, ...acks])).rows[0]!;
    const first = await receive([2, 200], [[], []]);
    expect(Object.keys(first)).to.have.members([
      'acked',
      'committed',
      'tokens',
      'sizes',
      'sent',
      'ids',
      'messages',
      'more',
      'due_in_ms',
    ]);
    expect(first).to.deep.include({ acked: null, sizes: [2, 200], sent: [2, 200], ids: ids.slice(0, 202) });
    const texts = String(first.messages).split('\u001e');
    const keys = texts.map((text) =>
      JSON.parse(`[${text}]`).map(
        ({ metadata }: { metadata: { idempotency_key: string } }) => metadata.idempotency_key,
      ),
    );
    expect(keys).to.deep.equal([ids.slice(0, 2).map(String), ids.slice(2, 202).map(String)]);
    const [token] = first.tokens as string[];
    const second = await receive([300], [[token!], [ids.slice(0, 2).join(',')]]);
    expect(second).to.deep.include({ acked: [2], sizes: [100], sent: [100], ids: ids.slice(202) });
    const none = await receive([300], [[], []]);
    expect(none).to.deep.include({ tokens: [], sizes: [0], sent: [0], ids: [], messages: null, more: false });
    expect(none.due_in_ms).to.be.above(0);
  });
});
