/** Attempts over HTTP: of a message and of a sink, without a destination's words where rows may not be read. */
import { expect } from 'chai';
import { appendMessages } from '../support/fixtures/fixtures.ts';
import type { Reply } from '../support/processes/web.ts';
import { type Managed, managed } from './support.ts';

describe('api: attempts', () => {
  let all: Managed;
  before(async () => {
    all = await managed();
  });
  after(async () => await all?.close());

  const get = async (path: string, token = 'data-token'): Promise<Reply> =>
    await all.web.call('GET', `/api/${path}`, { token });
  const failed = async (sink: string, ids: readonly number[]): Promise<void> => {
    const failure = { took_ms: 12, status: 400, type: 'mapper_parsing_exception' };
    const kept = ids.map((id) => ({ id, attempts: 1, stage: 'send', error: `no ${id}`, failure }));
    await all.m.db.query('select millrace_private.record_attempts($1, $2)', [
      await all.noOf(sink),
      JSON.stringify(kept),
    ]);
  };

  for (const [path, sink] of [
    ['sinks/products', 'products'],
    ['change_retentions/history', 'history'],
  ] as const) {
    it(`are those of a message, of ${path}, and its text needs read:data`, async () => {
      const [id, other] = await appendMessages(all.m.db, await all.noOf(sink), [{}, {}]);
      await failed(sink, [id!]);
      const { json } = await get(`${path}/messages/${id}/attempts`);
      expect(json.next_cursor).to.equal(null);
      expect(json.data).to.have.length(1);
      const shown = {
        message_id: id,
        attempt: 1,
        stage: 'send',
        took_ms: 12,
        status: 400,
        type: 'mapper_parsing_exception',
      };
      expect(json.data[0]).to.deep.include({ ...shown, text: `no ${id}` });
      const without = (await get(`${path}/messages/${id}/attempts`, 'read-token')).json.data[0];
      expect(without).to.include(shown).and.not.have.property('text');
      expect((await get(`${path}/attempts`, 'read-token')).text).to.not.include(`no ${id}`);
      expect((await get(`${path}/messages/${other}/attempts`)).json.data).to.deep.equal([]);
      expect((await get(`${path}/messages/${other! + 1}/attempts`)).status).to.equal(404);
    });
  }

  it('are those of a sink, newest first, in pages, and those that are new', async () => {
    await failed('idle', [1, 2, 3, 4, 5]);
    const idsOf = ({ json }: Reply): number[] => json.data.map(({ message_id }: { message_id: number }) => message_id);
    const first = await get('sinks/idle/attempts?limit=2');
    expect(idsOf(first)).to.deep.equal([5, 4]);
    const second = await get(`sinks/idle/attempts?limit=2&cursor=${first.json.next_cursor}`);
    expect(idsOf(second)).to.deep.equal([3, 2]);
    const last = await get(`sinks/idle/attempts?limit=2&cursor=${second.json.next_cursor}`);
    expect([idsOf(last), last.json.next_cursor]).to.deep.equal([[1], null]);
    expect(idsOf(await get(`sinks/idle/attempts?after=${second.json.data[0].id}`))).to.deep.equal([5, 4]);
    expect(idsOf(await get(`sinks/idle/attempts?after=${first.json.data[0].id}`))).to.deep.equal([]);
    expect((await get('sinks/idle/attempts?after=x')).status).to.equal(400);
    expect((await get(`sinks/idle/attempts?after=1&cursor=${first.json.next_cursor}`)).status).to.equal(400);
  });
});
