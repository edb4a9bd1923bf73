/** Who receives from a consumer: noted for each token, written at most now and then, and shown with the consumer. */
import { expect } from 'chai';
import type { Queryable } from '../../src/db/pool.ts';
import { trim } from '../../src/messages/trim.ts';
import { openReaders } from '../../src/receive/readers.ts';
import { type Managed, managed } from '../api/support.ts';
import { appendMessages } from '../support/fixtures/fixtures.ts';
import { until } from '../support/until.ts';

describe('the readers of a consumer', () => {
  let all: Managed;
  before(async () => {
    all = await managed();
  });
  after(async () => await all?.close());

  const shown = async (sink = 'orders'): Promise<{ token: string }[]> =>
    (await all.web.call('GET', `/api/sinks/${sink}`, { token: 'read-token' })).json.readers;
  const pull = async (verb: string, body: unknown, token = 'orders-token') =>
    await all.web.call('POST', `/api/http_pull_consumers/orders/${verb}`, { token, body });

  it('are shown with when they received and acknowledged, and from where', async () => {
    await appendMessages(all.m.db, await all.noOf('orders'), [{}]);
    const [message] = (await pull('receive', {})).json.data;
    const [first] = await until('it is written', async () => {
      const found = await shown();
      return found.length > 0 && found;
    });
    expect(first).to.include({ token: 'orders', address: '127.0.0.1', acked_at: null });
    expect(first).to.have.property('received_at').that.is.a('string');
    await pull('ack', { ack_ids: [message.ack_id] });
    await pull('receive', {}, 'admin-token');
    // Written not before half a minute has passed, or at the end.
    await all.web.close();
    const { rows } = await all.m.db.query<object>(
      `select r.token, r.received_at between now() - interval '1 min' and now() as received,
              r.acked_at between r.received_at and now() as acked from millrace_private.readers r order by 1`,
    );
    expect(rows).to.deep.equal([
      { token: 'admin', received: true, acked: null },
      { token: 'orders', received: true, acked: true },
    ]);
  });

  it('are written seldom, with the later time, and again when it failed; and go with time and with their sink', async () => {
    await all.m.db.query('delete from millrace_private.readers');
    const no = await all.noOf('idle');
    let written = 0;
    let isAway = false;
    const failed: unknown[] = [];
    const db: Queryable = {
      query: async (statement, values) => {
        written += 1;
        if (isAway) throw new Error('away');
        return await all.m.db.query(statement, values);
      },
    };
    const readers = openReaders({ db, onError: (error) => void failed.push(error) });
    for (let n = 0; n < 1_000; n += 1) readers.note({ sinkNo: no, token: 'a', address: '10.0.0.1' }, 'received');
    await until('it is written', () => written > 0);
    for (let n = 0; n < 1_000; n += 1) readers.note({ sinkNo: no, token: 'a', address: '10.0.0.2' }, 'acked');
    readers.note({ sinkNo: 999, token: 'a', address: '10.0.0.2' }, 'received');
    expect(written).to.equal(1);
    isAway = true;
    await readers.close();
    isAway = false;
    await readers.close();
    expect([written, failed.length]).to.deep.equal([3, 1]);
    const rows = async (): Promise<object[]> =>
      (await all.m.db.query('select sink_no, address, acked_at > received_at as later from millrace_private.readers'))
        .rows;
    expect(await rows()).to.deep.equal([{ sink_no: no, address: '10.0.0.2', later: true }]);
    const trimmed = { db: all.m.db, log: { warn: (fault: object) => expect.fail(JSON.stringify(fault)) } };
    await trim(trimmed, { signal: new AbortController().signal });
    expect(await rows()).to.have.length(1);
    await all.m.db.query(
      `update millrace_private.readers set received_at = now() - interval '91 days', acked_at = now() - interval '91 days'`,
    );
    await trim(trimmed, { signal: new AbortController().signal });
    expect(await rows()).to.deep.equal([]);
  });
});
