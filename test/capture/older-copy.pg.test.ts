/**
 * The message database becomes an older copy of itself under a capture that streams: a standby that was behind takes its
 * place, or a backup is restored. Capture's own connections come back at once, and it does not write there.
 */
import { expect } from 'chai';
import { type Captured, captured, PULL, sinkSettings } from '../support/fixtures/captured.ts';
import { BY_TRIGGERS } from '../support/postgres/capture-way.ts';
import { until } from '../support/until.ts';

describe('capture into a message database that is an older copy of itself all at once', () => {
  let on: Captured;
  let sink: number;

  before(async () => {
    on = await captured('create table ledger (id int primary key)');
    sink = await on.addSink(sinkSettings({ name: 'all', destination: PULL }));
  });
  after(() => on?.close());

  it('finds out with its next change that messages are gone, and makes it good or says so', async () => {
    on.start();
    await on.streaming();
    await on.source.query('insert into ledger values (1)');
    await on.received(sink, 1);
    const { db } = on.messages;
    const { rows } = await db.query<{ seq: number; lsn: string; plan: number | null }>(
      `select max(l.seq) as seq, max(l.confirmed_lsn)::text as lsn, (select max(p.no) from millrace_private.capture_plans p) as plan
         from millrace_private.position_log l`,
    );
    const { seq, lsn, plan } = rows[0]!;
    await on.source.query('insert into ledger values (2)');
    await on.received(sink, 2);
    if (!BY_TRIGGERS)
      await until('the source was told that it need not keep it', async () => {
        const told = 'select confirmed_flush_lsn > $2::pg_lsn as done from pg_replication_slots where slot_name = $1';
        return (await on.source.query(told, [on.slot, lsn])).rows[0]?.done;
      });
    await db.transaction(async (tx) => {
      await tx.query('lock table millrace_private.position_log');
      await tx.query('delete from millrace_private.position_log where seq > $1', [seq]);
      await tx.query('delete from millrace_private.capture_plans where no > $1', [plan]);
      await tx.query(`delete from millrace_private.messages where record::jsonb @> '{"id": 2}'`);
    });
    await on.source.query('insert into ledger values (3)');
    // What triggers have noted is kept for a while, and told again.
    if (BY_TRIGGERS) {
      const again = await on.received(sink, 3);
      expect(again.map(({ record }) => JSON.parse(record).id)).to.deep.equal([1, 2, 3]);
      return;
    }
    const { reason } = await on.becomes('needs_resync');
    expect(reason).to.contain('advanced by somebody else');
  });
});
