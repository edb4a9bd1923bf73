/** Each reason shows in the views, in /healthz and in the metrics alike, and goes with its cause. */
import { expect } from 'chai';
import { statement } from '../../src/db/statement.ts';
import { openCaptureBeats, workerBeat } from '../../src/messages/beat.ts';
import { setCaptureState } from '../../src/messages/position.ts';
import { createMetrics } from '../../src/runtime/metrics.ts';
import { addPullSink, addPushSink, addShop, appendMessages } from '../support/fixtures/fixtures.ts';
import { type MessageDatabase, messageDatabase } from '../support/postgres/message-database.ts';
import { testWeb } from '../support/processes/web.ts';
import { until } from '../support/until.ts';

const NUMBERS = { ok: 0, warning: 1, unknown: 2, failing: 3 };
type Level = keyof typeof NUMBERS;

interface Seen {
  level: Level;
  reasons: string[];
}

const WELL: Seen = { level: 'ok', reasons: [] };

describe('health', function () {
  this.timeout(60_000);
  let m: MessageDatabase;
  let pull: number;
  let index: number;
  let shop: number;
  before(async () => {
    m = await messageDatabase();
    ({ databaseNo: shop } = await addShop(m.db));
    ({ no: pull } = await addPullSink(m.db, { name: 'orders' }));
    ({ no: index } = await addPushSink(m.db, { name: 'products', kind: 'search_index' }));
    await addPullSink(m.db, { name: 'shaped', lanes: 1 });
    await m.db.query(
      `insert into millrace_private.databases (name, settings, address, hostname, database_name)
       values ('archive', '{}', 'sealed', 'db.example.com', 'archive')`,
    );
  });
  after(async () => await m.drop());
  beforeEach(async () => {
    for (const table of ['circuits', 'delivery_states', 'notices', 'messages', 'leases', 'cursor_log'])
      await m.db.query(`delete from millrace_private.${table}`);
    for (const table of ['capture_beats', 'worker_beats']) await m.db.query(`delete from millrace_private.${table}`);
    await m.db.query(
      `insert into millrace_private.capture_beats (database_no, seq, at, next_id) values ($1, 1, clock_timestamp(), 0)`,
      [shop],
    );
    await m.db.query('insert into millrace_private.worker_beats (at) values (clock_timestamp())');
    await m.db.query(`update millrace_private.sinks set status = 'active'`);
    await m.db.query(`update millrace_private.lanes set owner = null, until = null, waiting_since = null`);
    await m.db.query(
      `update millrace_private.positions
          set state = 'streaming', reason = null, remedy = null, warnings = '{}', state_since = clock_timestamp()`,
    );
  });

  /** What the views say, after it was compared with /healthz and both kinds of metrics. */
  const look = async (of: 'sink' | 'database', name: string): Promise<Seen> => {
    const column = `${of}_name`;
    const { rows } = await m.db.query<Seen & { name: string }>(
      `select ${column} as name, level, reasons from millrace.${of}_status where ${column} = $1`,
      [name],
    );
    const { level, reasons } = rows[0]!;
    const web = await testWeb({ db: m.db, metrics: createMetrics({ process: false }) });
    const reply = await web.call('GET', '/healthz', { token: null });
    const metrics = await web.call('GET', '/metrics', { token: null });
    const page = await web.call('GET', '/', { token: null, headers: { accept: 'text/html' } });
    await web.close();
    const list: (Seen & { name: string })[] = reply.json[`${of}s`];
    const found = list.find((one) => one.name === name)!;
    expect({ level: found.level, reasons: found.reasons }, '/healthz').to.deep.equal({ level, reasons });
    expect(reply.status, '/healthz').to.equal(['failing', 'unknown'].includes(reply.json.status) ? 503 : 200);
    expect(NUMBERS[reply.json.status as Level], '/healthz').to.be.at.least(NUMBERS[level]);
    expect(reply.json.reasons, '/healthz').to.include.members(reasons);
    for (const reason of reasons) expect(page.text, '/').to.contain(reason.replaceAll('_', ' '));
    const lines = metrics.text.split('\n').filter((line) => line.includes(`{${of}="${name}"`));
    expect(lines.find((line) => line.startsWith(`millrace_${of}_health_level`))?.at(-1)).to.equal(
      String(NUMBERS[level]),
    );
    const shown = lines.filter((line) => line.startsWith(`millrace_${of}_health_reason`));
    expect(shown.map((line) => /reason="(\w+)"/.exec(line)?.[1]).toSorted()).to.deep.equal(reasons.toSorted());
    const figures = await m.db.query<{ name: string; reason: string | null; value: number }>(
      `select name, labels->>'reason' as reason, value from millrace.metrics() where labels->>$1::text = $2::text`,
      [of, name],
    );
    const ofSql = (figure: string) => figures.rows.filter((row) => row.name === `${of}_health_${figure}`);
    expect(ofSql('level').map(({ value }) => value)).to.deep.equal([NUMBERS[level]]);
    expect(
      ofSql('reason')
        .map(({ reason }) => reason)
        .toSorted(),
    ).to.deep.equal(reasons.toSorted());
    return { level, reasons };
  };

  const notice = (sinkNo: number, code: string) =>
    m.db.query(
      `insert into millrace_private.notices (sink_no, code, table_name, message, remedy)
       values ($1, $2, 'public.orders', 'm', 'alter publication p add table t')`,
      [sinkNo, code],
    );
  const stateOf = (sinkNo: number, id: number, more: { state: string; stage?: string }) =>
    m.db.query(
      `insert into millrace_private.delivery_states (sink_no, id, lane, state, attempts, stage, error, due_at)
       values ($1, $2, 0, $3, 1, $4, 'a value of a row', case when $3 <> 'parked' then now() + interval '1 h' end)`,
      [sinkNo, id, more.state, more.stage ?? 'send'],
    );
  const state = (to: string) =>
    m.db.query('update millrace_private.positions set state = $1, state_since = clock_timestamp()', [to]);
  const ago = (table: string, interval: string) =>
    m.db.query(`update millrace_private.${table} set at = at - $1::interval`, [interval]);
  /** A message that was there at a beat so long ago. */
  const old = async (sinkNo: number, interval: string): Promise<number> => {
    const [id] = await appendMessages(m.db, sinkNo, [{}]);
    await m.db.query(
      `insert into millrace_private.capture_beats (database_no, seq, at, next_id)
       values ($1, 0, clock_timestamp() - $2::interval, $3::bigint + 1)`,
      [shop, interval, id],
    );
    return id!;
  };
  const lanesWait = (interval: string) =>
    m.db.query('update millrace_private.lanes set waiting_since = clock_timestamp() - $1::interval', [interval]);

  const causes: [what: string, of: 'sink' | 'database', name: string, cause: () => Promise<unknown>, seen: Seen][] = [
    ...['error', 'needs_resync'].flatMap((each): typeof causes => [
      [`a source in ${each}`, 'database', 'shop', () => state(each), { level: 'failing', reasons: [each] }],
      [`${each} of its source`, 'sink', 'orders', () => state(each), { level: 'failing', reasons: [`source_${each}`] }],
    ]),
    [
      'a slot that somebody else has just taken',
      'database',
      'shop',
      () => state('standby'),
      { level: 'warning', reasons: ['standby'] },
    ],
    [
      'a slot that somebody else keeps',
      'database',
      'shop',
      async () => {
        await state('standby');
        await m.db.query(`update millrace_private.positions set state_since = state_since - interval '2 min'`);
      },
      { level: 'failing', reasons: ['standby'] },
    ],
    [
      'no capture',
      'database',
      'shop',
      () => ago('capture_beats', '16 s'),
      { level: 'unknown', reasons: ['no_capture'] },
    ],
    [
      'no capture of its source',
      'sink',
      'orders',
      () => ago('capture_beats', '16 s'),
      { level: 'unknown', reasons: ['source_unknown'] },
    ],
    [
      'beats from before the clock was set back',
      'database',
      'shop',
      () => ago('capture_beats', '-1 h'),
      { level: 'unknown', reasons: ['no_capture'] },
    ],
    [
      'no capture of a source with a gap',
      'database',
      'shop',
      async () => {
        await state('needs_resync');
        await ago('capture_beats', '16 s');
      },
      { level: 'failing', reasons: ['needs_resync', 'no_capture'] },
    ],
    [
      'WAL near its limit',
      'database',
      'shop',
      () => m.db.query(`update millrace_private.positions set warnings = '{slot_lag,slot_unreserved}'`),
      { level: 'warning', reasons: ['slot_lag', 'slot_unreserved'] },
    ],
    [
      'a table that the publication lost',
      'database',
      'shop',
      () => notice(pull, 'table_detached'),
      { level: 'failing', reasons: ['table_detached'] },
    ],
    ['a notice', 'sink', 'orders', () => notice(pull, 'truncated'), { level: 'warning', reasons: ['truncated'] }],
    [
      'a notice that is no fault',
      'sink',
      'orders',
      () => notice(pull, 'no_old_values'),
      { level: 'ok', reasons: ['no_old_values'] },
    ],
    [
      'a parked message',
      'sink',
      'products',
      () => stateOf(index, 7, { state: 'parked' }),
      { level: 'warning', reasons: ['parked'] },
    ],
    [
      'a routed index that is missing',
      'sink',
      'products',
      () => stateOf(index, 7, { state: 'retrying', stage: 'index' }),
      { level: 'failing', reasons: ['routed_index_failing'] },
    ],
    ...['unreachable', 'overloaded', 'bad_destination'].map((reason): (typeof causes)[number] => [
      `an open circuit: ${reason}`,
      'sink',
      'products',
      () =>
        m.db.query(
          `insert into millrace_private.circuits (sink_no, reason, error, probe_at) values ($1, $2, 'x', now())`,
          [index, reason],
        ),
      { level: 'failing', reasons: [reason] },
    ]),
    [
      'no worker for what is pending',
      'sink',
      'products',
      async () => {
        await appendMessages(m.db, index, [{}]);
        await ago('worker_beats', '16 s');
      },
      { level: 'unknown', reasons: ['no_worker'] },
    ],
    [
      'no worker that shapes',
      'sink',
      'shaped',
      async () => {
        const { rows } = await m.db.query<{ no: number }>(
          `select no from millrace_private.sinks where name = 'shaped'`,
        );
        await appendMessages(m.db, rows[0]!.no, [{ lane: 1 }]);
        await m.db.query('delete from millrace_private.worker_beats');
      },
      { level: 'unknown', reasons: ['no_worker'] },
    ],
    ['no worker, and no work', 'sink', 'products', () => ago('worker_beats', '1 h'), WELL],
    [
      'no worker for a consumer without functions',
      'sink',
      'orders',
      async () => {
        await appendMessages(m.db, pull, [{}]);
        await ago('worker_beats', '1 h');
      },
      WELL,
    ],
    [
      'a lane that no worker takes',
      'sink',
      'products',
      async () => {
        await appendMessages(m.db, index, [{}]);
        await lanesWait('31 s');
      },
      { level: 'unknown', reasons: ['not_worked_on'] },
    ],
    ['a lane that waited once', 'sink', 'products', () => lanesWait('1 h'), WELL],
    ['a message of four minutes', 'sink', 'orders', () => old(pull, '4 min'), WELL],
    ['a message of six minutes', 'sink', 'orders', () => old(pull, '6 min'), { level: 'warning', reasons: ['behind'] }],
    [
      'a message that has been retried for six minutes',
      'sink',
      'products',
      async () => stateOf(index, await old(index, '6 min'), { state: 'retrying' }),
      { level: 'warning', reasons: ['behind'] },
    ],
    [
      'nobody who receives',
      'sink',
      'orders',
      () => old(pull, '2 h'),
      { level: 'warning', reasons: ['nobody_receives'] },
    ],
    [
      'somebody who receives too slowly',
      'sink',
      'orders',
      async () => {
        await old(pull, '2 h');
        await m.db.query('insert into millrace_private.cursor_log (sink_no, lane, seq, id) values ($1, 0, 1, 0)', [
          pull,
        ]);
      },
      { level: 'warning', reasons: ['behind'] },
    ],
    [
      'a paused sink',
      'sink',
      'orders',
      async () => {
        await state('error');
        await m.db.query(`select millrace.pause('orders')`);
      },
      { level: 'ok', reasons: ['paused'] },
    ],
    [
      'a sink that was paused for its functions',
      'sink',
      'orders',
      async () => {
        await notice(pull, 'function_kills');
        await m.db.query(`select millrace.pause('orders')`);
      },
      { level: 'warning', reasons: ['function_kills', 'paused'] },
    ],
    [
      'a disabled sink',
      'sink',
      'orders',
      async () => {
        await notice(pull, 'truncated');
        await m.db.query(`update millrace_private.sinks set status = 'disabled' where name = 'orders'`);
      },
      { level: 'ok', reasons: ['disabled'] },
    ],
    [
      'everything at once, the worst first',
      'sink',
      'products',
      async () => {
        await stateOf(index, await old(index, '6 min'), { state: 'parked' });
        await appendMessages(m.db, index, [{}]);
        await notice(index, 'truncated');
        await ago('worker_beats', '1 min');
        await state('error');
      },
      { level: 'failing', reasons: ['source_error', 'no_worker', 'parked', 'truncated'] },
    ],
  ];
  for (const [what, of, name, cause, seen] of causes) {
    it(`${what}: ${seen.level}${seen.reasons.map((reason) => ` ${reason}`).join('')}`, async () => {
      expect(await look(of, name)).to.deep.equal(WELL);
      await cause();
      expect(await look(of, name)).to.deep.equal(seen);
    });
  }

  it('has nothing to say of a database that is only a destination', async () => {
    const { rows } = await m.db.query(
      `select state, level, reasons from millrace.database_status where database_name = 'archive'`,
    );
    expect(rows).to.deep.equal([{ state: null, level: 'ok', reasons: [] }]);
  });

  it('says of a state that nobody confirms what it was, and since when', async () => {
    await m.db.query(`update millrace_private.positions set reason = 'r', remedy = 'x'`);
    await ago('capture_beats', '45 s');
    const { rows } = await m.db.query<{ state: string; reason: string; remedy: string; seconds: number }>(
      `select state, reason, remedy, extract(epoch from clock_timestamp() - state_since)::float8 as seconds
         from millrace.database_status where database_name = 'shop'`,
    );
    expect(rows[0]).to.include({
      state: 'unknown',
      reason: 'no capture process has reported since then; the last state was streaming (r)',
    });
    expect(rows[0]!.remedy).to.include('bin/millrace start capture');
    expect(rows[0]!.seconds).to.be.within(45, 60);
    const { rows: sinks } = await m.db.query(`select health from millrace.sink_status where sink_name = 'orders'`);
    expect(sinks).to.deep.equal([{ health: 'source_unknown' }]);
  });

  it('keeps few beats, and for hours one of each twelve', async () => {
    await m.db.query('delete from millrace_private.capture_beats');
    for (let beat = 1; beat <= 60; beat += 1) {
      await m.db.query(statement('messages/capture-beat'), [shop, null]);
      // Not a second one within 2 s.
      await m.db.query(statement('messages/capture-beat'), [shop, null]);
      await ago('capture_beats', '3 s');
    }
    const { rows } = await m.db.query<{ seq: number }>(
      'select seq::integer from millrace_private.capture_beats order by 1',
    );
    const kept = Array.from({ length: 24 }, (_, place) => 37 + place);
    expect(rows.map(({ seq }) => seq)).to.deep.equal([12, 24, 36, ...kept]);
  });

  it('says nothing while another capture speaks', async () => {
    await m.db.query('delete from millrace_private.capture_beats');
    const [streams, stands] = [openCaptureBeats(m.db, shop), openCaptureBeats(m.db, shop)];
    stands.hold();
    streams.go(7);
    const read = async () =>
      (
        await m.db.query<{ generation: number }>(
          'select generation::integer from millrace_private.capture_beats order by seq',
        )
      ).rows;
    await until('a beat', async () => (await read()).length > 0);
    await Promise.all([streams.end(), stands.end()]);
    expect(await read()).to.deep.equal([{ generation: 7 }, { generation: -7 }]);
  });

  it('does not take an error of a capture that cannot connect for the state of the one that streams', async () => {
    await m.db.query('update millrace_private.positions set generation = 7');
    const show = (own: number | undefined) =>
      setCaptureState(m.db, shop, { state: 'error', reason: 'no route', unlessStreaming: { own } });
    await m.db.query('update millrace_private.capture_beats set generation = 7');
    expect(await show(undefined)).to.equal(false);
    expect(await show(6)).to.equal(false);
    expect((await look('database', 'shop')).level).to.equal('ok');
    expect(await show(7)).to.equal(true);
    await state('streaming');
    await m.db.query('insert into millrace_private.capture_beats values ($1, 2, clock_timestamp(), -7, 0)', [shop]);
    expect(await show(undefined), 'it has ended').to.equal(true);
    await m.db.query('delete from millrace_private.capture_beats where generation = -7');
    await state('streaming');
    // It stalls, or has died.
    await ago('capture_beats', '16 s');
    expect(await show(undefined)).to.equal(true);
  });

  it('hears of workers, and of lanes that are left alone', async () => {
    await m.db.query('delete from millrace_private.worker_beats');
    workerBeat(m.db)();
    const count = async (sql: string) => (await m.db.query(sql)).rowCount;
    await until('a beat', async () => (await count('select from millrace_private.worker_beats')) === 1);
    const mark = () => m.db.query(statement('deliver/mark-waiting'), [[index], [0]]);
    const waiting = 'select from millrace_private.lanes where waiting_since is not null';
    await m.db.query(
      `update millrace_private.lanes set owner = 'me', until = now() + interval '30 s' where sink_no = $1`,
      [index],
    );
    await mark();
    expect(await count(waiting)).to.equal(0);
    await m.db.query(`update millrace_private.lanes set until = now() - interval '1 s' where sink_no = $1`, [index]);
    await mark();
    expect(await count(waiting)).to.equal(1);
    await m.db.query(statement('deliver/release-lane'), [index, 0, 'me']);
    expect(await count(waiting)).to.equal(0);
  });
});
