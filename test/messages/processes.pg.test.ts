/** Which processes are there, and what is kept for a while only. */
import { expect } from 'chai';
import { countWaiting } from '../../src/admin/list-readers.ts';
import { isPresent, openProcessSign, readProcesses } from '../../src/messages/processes.ts';
import { trim } from '../../src/messages/trim.ts';
import { addPullSink } from '../support/fixtures/fixtures.ts';
import { type MessageDatabase, messageDatabase } from '../support/postgres/message-database.ts';
import { until } from '../support/until.ts';

const fail = (error: unknown): never => {
  throw error;
};

describe('processes', () => {
  let m: MessageDatabase;
  before(async () => {
    m = await messageDatabase();
  });
  after(async () => await m.drop());

  it('are in the list while they run, and out of it when they have ended', async () => {
    const stop = new AbortController();
    const sign = openProcessSign({ db: m.db, onError: fail }, { role: 'web', keyId: '5b1f09ce' });
    const running = sign.run(stop.signal);
    await until('it is in the list', async () => (await readProcesses(m.db)).length === 1);
    const [seen] = await readProcesses(m.db);
    expect(seen).to.include({ role: 'web', pid: process.pid, key_id: '5b1f09ce' });
    expect(seen!.version).to.match(/^\d+\.\d+\.\d+/);
    expect(isPresent(seen!)).to.equal(true);
    await m.db.query("update millrace_private.processes set seen_at = clock_timestamp() - interval '31 s'");
    expect((await readProcesses(m.db)).map(isPresent)).to.deep.equal([false]);
    stop.abort();
    await running;
    await sign.close();
    expect(await readProcesses(m.db)).to.deep.equal([]);
  });

  it('say how many receives wait in them, all together, while they are seen', async () => {
    const { no } = await addPullSink(m.db, { name: 'waited-for' });
    const { rows } = await m.db.query<{ id: string }>('select s.id from millrace_private.sinks s where s.no = $1', [
      no,
    ]);
    const { id } = rows[0]!;
    const counted = async (wanted: number): Promise<void> =>
      void (await until(`${wanted} wait`, async () => (await countWaiting(m.db, id)) === wanted));
    expect(await countWaiting(m.db, id)).to.equal(0);
    const signs = [2, 3].map((waiting) =>
      openProcessSign(
        { db: m.db, onError: fail },
        { role: 'web', keyId: 'k', waiting: () => ({ [no]: waiting, 999: 1 }) },
      ),
    );
    const worker = openProcessSign({ db: m.db, onError: fail }, { role: 'worker', keyId: 'k' });
    const stop = new AbortController();
    const running = [...signs, worker].map((sign) => sign.run(stop.signal));
    await counted(5);
    await m.db.query("update millrace_private.processes set seen_at = now() - interval '31 s' where waiting ? $1", [
      String(no),
    ]);
    await counted(0);
    stop.abort();
    await Promise.all([...running, ...[...signs, worker].map((sign) => sign.close())]);
  });

  it('and counters, sessions and failed logins are deleted beyond their bounds, however many, and nothing else', async () => {
    const { no } = await addPullSink(m.db, { name: 'orders' });
    await m.db.query(
      `insert into millrace_private.sink_counters (sink_no, step, at, latency)
       select $1::integer, s.step, clock_timestamp() - n * s.one, '{}'
         from (values ('minute', interval '2 h'), ('hour', interval '2 days')) s (step, one), generate_series(1, 20) n`,
      [no],
    );
    await m.db.query(
      `insert into millrace_private.database_counters (database_no, step, at, lag_bytes)
       select d.no, 'minute', clock_timestamp() - n * interval '20 h', 0
         from millrace_private.databases d, generate_series(1, 2) n`,
    );
    await m.db.query(
      `insert into millrace_private.processes (id, role, host, pid, version, key_id, seen_at)
       select gen_random_uuid(), 'web', 'h', 1, '1', 'k', clock_timestamp() - n * interval '40 min' from generate_series(1, 2) n`,
    );
    await m.db.query(
      `insert into millrace_private.audit_log (at, actor, action, subject)
       select now() - n * interval '300 days', 'cli root', 'pause', 'sink x' from generate_series(1, 2) n`,
    );
    await m.db.query(
      `insert into millrace_private.login_failures (at, account, address)
       select clock_timestamp() - n * interval '40 min', '\\x00', '::1' from generate_series(1, 2) n`,
    );
    const user = "insert into millrace_private.users (email, scopes, created_by) values ('a@b', '{read}', 'cli root')";
    await m.db.query(
      `with added as (${user} returning id)
       insert into millrace_private.sessions (user_id, hash, expires_at)
       select a.id, decode('0' || n, 'hex'), clock_timestamp() - n * interval '40 min' from added a, generate_series(1, 2) n`,
    );
    const { rows: before } = await m.db.query<{ count: number }>(
      'select count(*)::integer as count from millrace_private.audit_log',
    );
    const warned: unknown[] = [];
    const log = { warn: (details: object) => void warned.push(details) };
    const deleted = await trim({ db: m.db, log }, { signal: new AbortController().signal, chunk: 3 });
    expect(warned).to.deep.equal([]);
    const { rows } = await m.db.query(
      `select (select count(*)::integer from millrace_private.sink_counters where step = 'minute') as minutes,
              (select count(*)::integer from millrace_private.sink_counters where step = 'hour') as hours,
              (select count(*)::integer from millrace_private.database_counters) as databases,
              (select count(*)::integer from millrace_private.processes) as processes,
              (select count(*)::integer from millrace_private.audit_log) as audit,
              (select count(*)::integer from millrace_private.login_failures) as failures,
              (select count(*)::integer from millrace_private.sessions) as sessions`,
    );
    const audit = before[0]!.count - 1;
    // Of hours those of 2, 4, ... 30 days ago; of minutes those of 2, 4, ... 22 hours ago.
    expect(rows[0]).to.deep.equal({
      ...{ minutes: 11, hours: 15, databases: 1, processes: 1, audit, failures: 1, sessions: 1 },
    });
    expect(deleted).to.equal(9 + 5 + 5);
  });
});
