/** Replays over HTTP: started, counted first from a real change table, refused by field. */
import { expect } from 'chai';
import { keyRing } from '../../src/runtime/secret-key.ts';
import { replayedShop } from '../support/fixtures/replayed-shop.ts';
import { type Reply, testWeb } from '../support/processes/web.ts';
import { seeEntries } from './see-entries.ts';
import { type Managed, managed } from './support.ts';

describe('api: replays', function () {
  this.timeout(120_000);
  let all: Managed;
  before(async () => {
    all = await managed();
  });
  after(async () => await all?.close());

  const post = async (body: unknown, retention = 'history'): Promise<Reply> =>
    await all.web.call('POST', `/api/change_retentions/${retention}/replays`, { token: 'operate-token', body });

  it('are operations, one at a time', async () => {
    const begun = await post({ sink: 'orders', since: '2026-01-01', from_seq: 1, to_seq: '1795250360075568' });
    expect(begun.status, begun.text).to.equal(202);
    expect(begun.json).to.include({ kind: 'replay', sink: 'orders', state: 'waiting' });
    expect(begun.headers.get('location')).to.equal(`/api/operations/${begun.json.id}`);
    const again = await post({ sink: 'orders' });
    expect([again.status, again.json.code, again.json.id]).to.deep.equal([409, 'operation_running', begun.json.id]);
    const listed = await all.web.call('GET', '/api/operations?kind=replay', { token: 'read-token' });
    expect(listed.json.data).to.have.length(1);
    const cancelled = await all.web.call('POST', `/api/operations/${begun.json.id}/cancel`);
    expect(cancelled.json.state).to.equal('cancelled');
    expect((await all.web.call('GET', '/api/sinks/orders/backfills')).json.data).to.deep.equal([]);
  });

  it('are refused with the field that is wrong', async () => {
    const cases: [object, string[]][] = [
      [{}, ['sink']],
      [{ sink: 'nobody' }, ['sink']],
      [{ sink: 'orders', since: 'soonish' }, ['since']],
      [{ sink: 'orders', since: '2026-02-01', until: '2026-01-01' }, ['since']],
      [{ sink: 'orders', until: '2026-13-01', from_seq: 1 }, ['until']],
      [{ sink: 'orders', from_seq: 2, to_seq: 1 }, ['from_seq']],
      [{ sink: 'orders', from_seq: -1 }, ['from_seq']],
      [{ sink: 'orders', record_pks: [] }, ['record_pks']],
      [{ sink: 'orders', record_pks: ['\ud800'] }, ['record_pks[0]']],
    ];
    for (const dry_run of [false, true]) {
      for (const [body, fields] of cases) {
        const { status, json } = await post({ ...body, dry_run });
        expect([status, json.code], JSON.stringify(body)).to.deep.equal([422, 'invalid']);
        expect(Object.keys(json.validation_errors), JSON.stringify(body)).to.deep.equal(fields);
      }
    }
    expect((await post({ sink: 'history' })).json.summary).to.match(/^sink 'history' is a change retention/);
    expect((await post({ sink: 'orders' }, 'orders')).status).to.equal(404);
  });

  it('count what they would send, send nothing, and say when the change table cannot be read; its entries are shown', async () => {
    const { world, entries } = await replayedShop();
    const { privateAllowed } = world.settings;
    const web = await testWeb({ db: world.messages, keys: keyRing(world.settings), privateAllowed });
    try {
      const body = { sink: 'pull', dry_run: true };
      const { status, json } = await web.call('POST', '/api/change_retentions/history/replays', { body });
      expect([status, json.entries], JSON.stringify(json)).to.deep.equal([200, entries.length]);
      expect(json.inserts + json.updates + json.deletes).to.equal(entries.length);
      expect((await web.call('GET', '/api/operations')).json.data).to.deep.equal([]);
      // One came late, for it was parked; the table has those of others, too.
      await world.archive.query(
        `with late as (delete from orders_events where seq = $1 returning *)
         insert into orders_events (seq, source_database_id, source_table_oid, source_table_schema, source_table_name,
                                    record_pk, record, changes, action, committed_at)
         select l.seq, l.source_database_id, l.source_table_oid + o, l.source_table_schema, l.source_table_name || repeat('x', o),
                l.record_pk, l.record, l.changes, l.action, l.committed_at
           from late l cross join generate_series(0, 1) o`,
        [entries[3]!.seq],
      );
      await seeEntries(web, entries);
      await world.archive.query('alter table orders_events rename to hidden');
      const unread = await web.call('GET', '/api/change_retentions/history/entries');
      expect([unread.status, unread.json.code]).to.deep.equal([502, 'source_unavailable']);
      const gone = await web.call('POST', '/api/change_retentions/history/replays', { body });
      expect([gone.status, gone.json.code]).to.deep.equal([502, 'source_unavailable']);
      expect(gone.json.summary).to.match(/^the change table "public"."orders_events" of database archive is not there/);
    } finally {
      await web.close();
      await world.close();
    }
  });
});
