/** A consumer drained with nothing but SQL. */
import { expect } from 'chai';
import { addPullSink, appendMessages, type PullSinkFixture } from '../support/fixtures/fixtures.ts';
import { type MessageDatabase, messageDatabase } from '../support/postgres/message-database.ts';
import { openSession } from '../support/postgres/sessions.ts';

interface Received {
  ack_id: string;
  message: { record: unknown; changes: unknown; action: string; metadata: Record<string, unknown> };
}

describe('receive: from psql', () => {
  let m: MessageDatabase;
  let made = 0;
  before(async () => {
    m = await messageDatabase();
  });
  after(async () => await m.drop());

  const consumer = async (settings: Partial<PullSinkFixture> = {}) => {
    made += 1;
    return await addPullSink(m.db, { name: `psql-${made}`, ...settings });
  };

  async function codeOf(work: Promise<unknown>): Promise<string | undefined> {
    return await work.then(
      () => undefined,
      (error: { code?: string }) => error.code,
    );
  }

  it('receives and acknowledges by name and by id', async () => {
    const sink = await consumer();
    const [first, second] = await appendMessages(m.db, sink.no, [
      { group: 1, record: '{"id": 1, "note": "a\\u0000b", "big": 12345678901234567890}' },
      { group: 2, action: 'update', changes: '{"id":7}' },
    ]);
    const { rows } = await m.db.query<Received>('select * from millrace.receive($1, 10)', [sink.name]);
    expect(rows.map((row) => row.ack_id.slice(32))).to.deep.equal([`-${first}`, `-${second}`]);
    expect(rows[1]!.message).to.deep.equal({
      record: { id: 2, no: second },
      changes: { id: 7 },
      action: 'update',
      metadata: {
        table_schema: 'public',
        table_name: 'orders',
        commit_timestamp: '2026-11-21T08:00:00.123456Z',
        commit_lsn: second,
        commit_idx: 0,
        idempotency_key: String(second),
        record_pks: ['2'],
        transaction_annotations: null,
        database_name: 'shop',
        consumer: { id: sink.id, name: sink.name, annotations: { owner: 'billing' } },
        database: {
          id: (rows[1]!.message.metadata.database as { id: string }).id,
          name: 'shop',
          annotations: { team: 'shop' },
          database: 'shop_production',
          hostname: 'db.example.com',
        },
      },
    });
    const done = await m.db.query<{ ack: number }>('select millrace.ack($1, $2)', [
      sink.id.toUpperCase(),
      rows.map((row) => row.ack_id),
    ]);
    expect(done.rows[0]!.ack).to.equal(2);
  });

  it('one message is the default, and the visibility timeout may be chosen', async () => {
    const sink = await consumer();
    await appendMessages(m.db, sink.no, [{ group: 1 }, { group: 2 }]);
    const { rows } = await m.db.query<Received>('select * from millrace.receive($1)', [sink.name]);
    expect(rows).to.have.lengthOf(1);
    await m.db.query(`select * from millrace.receive($1, 5, '1 hour')`, [sink.name]);
    const left = await m.db.query<{ minutes: number }>(
      `select round(extract(epoch from until - clock_timestamp()) / 60)::int as minutes
         from millrace_private.leases where sink_no = $1 order by until desc limit 1`,
      [sink.no],
    );
    expect(left.rows[0]!.minutes).to.equal(60);
  });

  it('gives back and extends', async () => {
    const sink = await consumer();
    await appendMessages(m.db, sink.no, [{ group: 1 }]);
    const { rows } = await m.db.query<Received>('select * from millrace.receive($1)', [sink.name]);
    const ids = [rows[0]!.ack_id];
    const extended = await m.db.query<{ extend: number }>(`select millrace.extend($1, $2, '1 minute')`, [
      sink.name,
      ids,
    ]);
    expect(extended.rows[0]!.extend).to.equal(1);
    const given = await m.db.query<{ nack: number }>(`select millrace.nack($1, $2)`, [sink.name, ids]);
    expect(given.rows[0]!.nack).to.equal(1);
    const again = await m.db.query<Received>('select * from millrace.receive($1)', [sink.name]);
    expect(again.rows).to.have.lengthOf(1);
  });

  it('leaves out what is no ack_id', async () => {
    const sink = await consumer();
    await appendMessages(m.db, sink.no, [{ group: 1 }, { group: 2 }]);
    const { rows } = await m.db.query<Received>('select * from millrace.receive($1, 2)', [sink.name]);
    const [first, second] = rows.map((row) => row.ack_id);
    const both = `${first},${second!.slice(33)}`;
    for (const ids of [[both], [`${first},${second}`], [both, first], ['', 'x'.repeat(40), `${first}0000000000000`]]) {
      for (const verb of ['ack', 'nack', 'extend']) {
        const wait = verb === 'ack' ? '' : `, '1 minute'`;
        const taken = ids.includes(first!) ? 1 : 0;
        if (taken === 1 && verb !== 'extend') continue;
        const done = await m.db.query<{ count: number }>(`select millrace.${verb}($1, $2${wait}) as count`, [
          sink.name,
          ids,
        ]);
        expect(done.rows[0]!.count, `${verb} ${ids}`).to.equal(taken);
      }
    }
    const done = await m.db.query<{ ack: number }>('select millrace.ack($1, $2)', [sink.name, [first, second]]);
    expect(done.rows[0]!.ack).to.equal(2);
  });

  it('refuses what is out of bounds or unknown', async () => {
    const { name } = await consumer();
    const calls: [string, string][] = [
      [`select millrace.receive('${name}', 0)`, '22023'],
      [`select millrace.receive('${name}', 1001)`, '22023'],
      [`select millrace.receive('${name}', null)`, '22023'],
      [`select millrace.receive('${name}', 1, '100 ms')`, '22023'],
      [`select millrace.nack('${name}', '{}', '-1 s')`, '22023'],
      [`select millrace.extend('${name}', '{}', '13 hours')`, '22023'],
      [`select millrace.receive('nobody')`, 'MR404'],
      [`select millrace.ack('nobody', '{}')`, 'MR404'],
    ];
    for (const [sql, code] of calls) expect(await codeOf(m.db.query(sql)), sql).to.equal(code);
    const { rows } = await m.db.query<{ ack: number }>(`select millrace.ack($1, '{x,null}')`, [name]);
    expect(rows[0]!.ack).to.equal(0);
  });

  it('acknowledges and receives in one call, and tells the count also when nothing comes', async () => {
    const { no, name } = await consumer();
    const ids = await appendMessages(m.db, no, [{ group: 1 }, { group: 1 }]);
    const step = async (ackIds: string[]): Promise<[number, string | undefined][]> => {
      const { rows } = await m.db.query<{ acked: number; ack_id: string | null; message: object | null }>(
        'select * from millrace.ack_and_receive($1, $2::text[], 10)',
        [name, ackIds],
      );
      expect(rows.every(({ ack_id, message }) => (ack_id === null) === (message === null))).to.equal(true);
      return rows.map(({ acked, ack_id }) => [acked, ack_id ?? undefined]);
    };
    const [[none, first] = []] = await step([]);
    expect([none, first?.slice(32)]).to.deep.equal([0, `-${ids[0]}`]);
    const [[one, second] = []] = await step([first!]);
    expect([one, second?.slice(32)]).to.deep.equal([1, `-${ids[1]}`]);
    expect(await step([second!, 'x'])).to.deep.equal([[1, undefined]]);
  });

  it('acknowledges in one call where the transaction has done so before, though somebody else has the turn', async () => {
    const { no, name } = await consumer();
    await appendMessages(m.db, no, [{ group: 1 }, { group: 2 }, { group: 3 }]);
    const { rows } = await m.db.query<Received>('select * from millrace.receive($1, 2)', [name]);
    const [first, second] = rows.map(({ ack_id }) => ack_id);
    await m.db.transaction(async (other) => {
      await other.query(`select millrace_private.lock_consumer($1, 'turn')`, [no]);
      const answer = await m.db.transaction(async (tx) => {
        await tx.query('select millrace.ack($1, $2)', [name, [first]]);
        return (await tx.query('select * from millrace.ack_and_receive($1, $2)', [name, [second]])).rows;
      });
      expect(answer).to.deep.equal([{ acked: 1, ack_id: null, message: null }]);
    });
  });

  it('has the turn of no other consumer than the one that it acknowledged and received from', async () => {
    const one = await consumer();
    const other = await consumer();
    await appendMessages(m.db, one.no, [{ group: 1 }, { group: 2 }]);
    await appendMessages(m.db, other.no, [{ group: 1 }]);
    const receives = 'select r.ack_id is not null as came from millrace.receive($1) r';
    const step = 'select r.ack_id is not null as came from millrace.ack_and_receive($1, $2) r';
    const came = { rows: [{ came: true }] };
    await m.db.transaction(async (holder) => {
      await holder.query(`select millrace_private.lock_consumer($1, 'turn')`, [other.no]);
      await m.db.transaction(async (tx) => {
        expect(await tx.query(step, [one.name, []])).to.deep.include(came);
        expect((await tx.query(receives, [other.name])).rows).to.deep.equal([]);
        expect(await tx.query(receives, [one.name])).to.deep.include(came);
      });
    });
    await m.db.transaction(async (tx) => {
      await tx.query('savepoint before');
      await tx.query(step, [other.name, []]);
      await tx.query('rollback to savepoint before');
      await m.db.transaction(async (holder) => {
        await holder.query(`select millrace_private.lock_consumer($1, 'turn')`, [other.no]);
      });
      expect(await tx.query(receives, [other.name])).to.deep.include(came);
    });
  });

  it('waits for a lock for 10 s at most, also to retry and to discard', async () => {
    const { no, name } = await consumer();
    await m.db.transaction(async (holder) => {
      await holder.query(`select millrace_private.lock_consumer($1, 'alone')`, [no]);
      const calls = [`ack($1, '{x}')`, `retry($1, '{1}')`, `discard($1, '{1}')`];
      const codes = calls.map(async (call) => await codeOf(m.db.query(`select millrace.${call}`, [name])));
      expect(await Promise.all(codes)).to.deep.equal(calls.map(() => '55P03'));
    });
  });

  it('refuses a transaction that is not read committed', async () => {
    const { no, name } = await consumer();
    await appendMessages(m.db, no, [{ group: 1 }]);
    const session = await openSession(m.db);
    for (const level of ['repeatable read', 'serializable']) {
      for (const call of [
        'receive($1)',
        `ack($1, '{x}')`,
        `ack_and_receive($1, '{x}')`,
        `nack($1, '{x}')`,
        `extend($1, '{x}', '1 min')`,
      ]) {
        await session.query(`begin isolation level ${level}`);
        expect(await codeOf(session.query(`select millrace.${call}`, [name])), `${level} ${call}`).to.equal('25001');
        await session.query('rollback');
      }
    }
    await session.close();
  });

  it('shows in pending_messages who is leased, held, backing off or waiting', async () => {
    const sink = await consumer();
    const ids = await appendMessages(m.db, sink.no, [
      { group: 1 },
      { group: 1 },
      { group: 2 },
      { group: 3 },
      { group: 4 },
    ]);
    const { rows } = await m.db.query<Received>('select * from millrace.receive($1, 3)', [sink.name]);
    expect(rows).to.have.lengthOf(3);
    await m.db.query(`select millrace.nack($1, $2, '1 hour')`, [sink.name, [rows[1]!.ack_id]]);
    const states = await m.db.query<{ id: number; state: string }>(
      'select id, state from millrace.pending_messages where sink_name = $1 order by id',
      [sink.name],
    );
    expect(states.rows).to.deep.equal([
      { id: ids[0], state: 'leased' },
      { id: ids[1], state: 'held' },
      { id: ids[2], state: 'retrying' },
      { id: ids[3], state: 'leased' },
      { id: ids[4], state: 'waiting' },
    ]);
  });
});
