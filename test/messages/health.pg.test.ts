/** Each reason shows in the views, in /healthz and in the metrics alike, and goes with its cause. */
import { expect } from 'chai';
import { appendMessages } from '../support/fixtures/fixtures.ts';
import { openPatient, type Patient, type Seen } from '../support/fixtures/health.ts';

const WELL: Seen = { level: 'ok', reasons: [] };

describe('health', function () {
  this.timeout(120_000);
  let on: Patient;
  before(async () => {
    on = await openPatient();
  });
  after(async () => await on.drop());
  beforeEach(async () => await on.heal());

  const causes: [what: string, of: 'sink' | 'database', name: string, cause: () => Promise<unknown>, seen: Seen][] = [
    ...['error', 'needs_resync'].flatMap((each): typeof causes => [
      [`a source in ${each}`, 'database', 'shop', () => on.state(each), { level: 'failing', reasons: [each] }],
      [
        `${each} of its source`,
        'sink',
        'orders',
        () => on.state(each),
        { level: 'failing', reasons: [`source_${each}`] },
      ],
    ]),
    [
      'a slot that somebody else has just taken',
      'database',
      'shop',
      () => on.state('standby'),
      { level: 'warning', reasons: ['standby'] },
    ],
    [
      'a slot that somebody else keeps',
      'database',
      'shop',
      async () => {
        await on.state('standby');
        await on.db.query(`update millrace_private.positions set state_since = state_since - interval '2 min'`);
      },
      { level: 'failing', reasons: ['standby'] },
    ],
    [
      'no capture',
      'database',
      'shop',
      () => on.ago('capture_beats', '16 s'),
      { level: 'unknown', reasons: ['no_capture'] },
    ],
    [
      'no capture of its source',
      'sink',
      'orders',
      () => on.ago('capture_beats', '16 s'),
      { level: 'unknown', reasons: ['source_unknown'] },
    ],
    [
      'beats from before the clock was set back',
      'database',
      'shop',
      () => on.ago('capture_beats', '-1 h'),
      { level: 'unknown', reasons: ['no_capture'] },
    ],
    [
      'no capture of a source with a gap',
      'database',
      'shop',
      async () => {
        await on.state('needs_resync');
        await on.ago('capture_beats', '16 s');
      },
      { level: 'failing', reasons: ['needs_resync', 'no_capture'] },
    ],
    [
      'WAL near its limit',
      'database',
      'shop',
      () => on.db.query(`update millrace_private.positions set warnings = '{slot_lag,slot_unreserved}'`),
      { level: 'warning', reasons: ['slot_lag', 'slot_unreserved'] },
    ],
    [
      'a table that the publication lost',
      'database',
      'shop',
      () => on.notice(on.orders, 'table_detached'),
      { level: 'failing', reasons: ['table_detached'] },
    ],
    [
      'a notice',
      'sink',
      'orders',
      () => on.notice(on.orders, 'truncated'),
      { level: 'warning', reasons: ['truncated'] },
    ],
    [
      'a notice that is no fault',
      'sink',
      'orders',
      () => on.notice(on.orders, 'no_old_values'),
      { level: 'ok', reasons: ['no_old_values'] },
    ],
    [
      'a parked message',
      'sink',
      'products',
      () => on.stateOf(on.products, 7, { state: 'parked' }),
      { level: 'warning', reasons: ['parked'] },
    ],
    [
      'a routed index that is missing',
      'sink',
      'products',
      () => on.stateOf(on.products, 7, { state: 'retrying', stage: 'index' }),
      { level: 'failing', reasons: ['routed_index_failing'] },
    ],
    ...['unreachable', 'overloaded', 'bad_destination'].map((reason): (typeof causes)[number] => [
      `an open circuit: ${reason}`,
      'sink',
      'products',
      () =>
        on.db.query(
          `insert into millrace_private.circuits (sink_no, reason, error, probe_at) values ($1, $2, 'x', now())`,
          [on.products, reason],
        ),
      { level: 'failing', reasons: [reason] },
    ]),
    [
      'no worker for what is pending',
      'sink',
      'products',
      async () => {
        await appendMessages(on.db, on.products, [{}]);
        await on.ago('worker_beats', '16 s');
      },
      { level: 'unknown', reasons: ['no_worker'] },
    ],
    [
      'no worker that shapes',
      'sink',
      'shaped',
      async () => {
        const { rows } = await on.db.query<{ no: number }>(
          `select no from millrace_private.sinks where name = 'shaped'`,
        );
        await appendMessages(on.db, rows[0]!.no, [{ lane: 1 }]);
        await on.db.query('delete from millrace_private.worker_beats');
      },
      { level: 'unknown', reasons: ['no_worker'] },
    ],
    ['no worker, and no work', 'sink', 'products', () => on.ago('worker_beats', '1 h'), WELL],
    [
      'no worker for a consumer without functions',
      'sink',
      'orders',
      async () => {
        await appendMessages(on.db, on.orders, [{}]);
        await on.ago('worker_beats', '1 h');
      },
      WELL,
    ],
    [
      'a lane that no worker takes',
      'sink',
      'products',
      async () => {
        await appendMessages(on.db, on.products, [{}]);
        await on.lanesWait('31 s');
      },
      { level: 'unknown', reasons: ['not_worked_on'] },
    ],
    ['a lane that waited once', 'sink', 'products', () => on.lanesWait('1 h'), WELL],
    ['a message of four minutes', 'sink', 'orders', () => on.old(on.orders, '4 min'), WELL],
    ...[
      { age: '2 min', delivered: 2, seen: { level: 'warning', reasons: ['behind'] } as Seen },
      { age: '2 min', delivered: 3, seen: WELL },
      { age: '30 s', delivered: 0, seen: WELL },
    ].map(({ age, delivered, seen }): (typeof causes)[number] => [
      `a message of ${age}, while 3 arrive and ${delivered} leave`,
      'sink',
      'orders',
      () => on.old(on.orders, age, { persisted: 3, delivered }),
      seen,
    ]),
    [
      'a message of six minutes',
      'sink',
      'orders',
      () => on.old(on.orders, '6 min'),
      { level: 'warning', reasons: ['behind'] },
    ],
    [
      'a message that has been retried for six minutes',
      'sink',
      'products',
      async () => on.stateOf(on.products, await on.old(on.products, '6 min'), { state: 'retrying' }),
      { level: 'warning', reasons: ['behind'] },
    ],
    [
      'nobody who receives',
      'sink',
      'orders',
      () => on.old(on.orders, '2 h'),
      { level: 'warning', reasons: ['nobody_receives'] },
    ],
    [
      'somebody who receives too slowly',
      'sink',
      'orders',
      async () => {
        await on.old(on.orders, '2 h');
        await on.db.query('insert into millrace_private.cursor_log (sink_no, lane, seq, id) values ($1, 0, 1, 0)', [
          on.orders,
        ]);
      },
      { level: 'warning', reasons: ['behind'] },
    ],
    [
      'a paused sink',
      'sink',
      'orders',
      async () => {
        await on.state('error');
        await on.db.query(`select millrace.pause('orders')`);
      },
      { level: 'ok', reasons: ['paused'] },
    ],
    [
      'a sink that was paused for its functions',
      'sink',
      'orders',
      async () => {
        await on.notice(on.orders, 'function_kills');
        await on.db.query(`select millrace.pause('orders')`);
      },
      { level: 'warning', reasons: ['function_kills', 'paused'] },
    ],
    [
      'a disabled sink',
      'sink',
      'orders',
      async () => {
        await on.notice(on.orders, 'truncated');
        await on.db.query(`update millrace_private.sinks set status = 'disabled' where name = 'orders'`);
      },
      { level: 'ok', reasons: ['disabled'] },
    ],
    [
      'everything at once, the worst first',
      'sink',
      'products',
      async () => {
        await on.stateOf(on.products, await on.old(on.products, '6 min'), { state: 'parked' });
        await appendMessages(on.db, on.products, [{}]);
        await on.notice(on.products, 'truncated');
        await on.ago('worker_beats', '1 min');
        await on.state('error');
      },
      { level: 'failing', reasons: ['source_error', 'no_worker', 'parked', 'truncated'] },
    ],
  ];
  for (const [what, of, name, cause, seen] of causes) {
    it(`${what}: ${seen.level}${seen.reasons.map((reason) => ` ${reason}`).join('')}`, async () => {
      expect(await on.look(of, name)).to.deep.equal(WELL);
      await cause();
      expect(await on.look(of, name)).to.deep.equal(seen);
    });
  }

  it('has nothing to say of a database that is only a destination', async () => {
    const { rows } = await on.db.query(
      `select state, level, reasons from millrace.database_status where database_name = 'archive'`,
    );
    expect(rows).to.deep.equal([{ state: null, level: 'ok', reasons: [] }]);
  });

  it('says of a state that nobody confirms what it was, and since when', async () => {
    await on.db.query(`update millrace_private.positions set reason = 'r', remedy = 'x'`);
    await on.ago('capture_beats', '45 s');
    const { rows } = await on.db.query<{ state: string; reason: string; remedy: string; seconds: number }>(
      `select state, reason, remedy, extract(epoch from clock_timestamp() - state_since)::float8 as seconds
         from millrace.database_status where database_name = 'shop'`,
    );
    expect(rows[0]).to.include({
      state: 'unknown',
      reason: 'no capture process has reported since then; the last state was streaming (r)',
    });
    expect(rows[0]!.remedy).to.include('bin/millrace start capture');
    expect(rows[0]!.seconds).to.be.within(45, 60);
    const { rows: sinks } = await on.db.query(`select health from millrace.sink_status where sink_name = 'orders'`);
    expect(sinks).to.deep.equal([{ health: 'source_unknown' }]);
  });
});
