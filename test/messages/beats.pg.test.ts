/** Captures and workers say that they are there, and what is known of the others when they do not. */
import { expect } from 'chai';
import { statement } from '../../src/db/statement.ts';
import { openCaptureBeats, workerBeat } from '../../src/messages/beat.ts';
import { setCaptureState } from '../../src/messages/position.ts';
import { openPatient, type Patient } from '../support/fixtures/health.ts';
import { until } from '../support/until.ts';

describe('the beats of captures and workers', function () {
  this.timeout(120_000);
  let on: Patient;
  before(async () => {
    on = await openPatient();
  });
  after(async () => await on.drop());
  beforeEach(async () => await on.heal());

  it('keeps few beats, and for hours one of each twelve', async () => {
    await on.db.query('delete from millrace_private.capture_beats');
    for (let beat = 1; beat <= 60; beat += 1) {
      await on.db.query(statement('messages/capture-beat'), [on.shop, null, null]);
      // Not a second one within 2 s.
      await on.db.query(statement('messages/capture-beat'), [on.shop, null, null]);
      await on.ago('capture_beats', '3 s');
    }
    const { rows } = await on.db.query<{ seq: number }>(
      'select seq::integer from millrace_private.capture_beats order by 1',
    );
    const kept = Array.from({ length: 24 }, (_, place) => 37 + place);
    expect(rows.map(({ seq }) => seq)).to.deep.equal([12, 24, 36, ...kept]);
  });

  it('says nothing while another capture speaks', async () => {
    await on.db.query('delete from millrace_private.capture_beats');
    const [streams, stands] = [openCaptureBeats(on.db, on.shop), openCaptureBeats(on.db, on.shop)];
    stands.hold();
    streams.go(7);
    const read = async () =>
      (
        await on.db.query<{ generation: number }>(
          'select generation::integer from millrace_private.capture_beats order by seq',
        )
      ).rows;
    await until('a beat', async () => (await read()).length > 0);
    await Promise.all([streams.end(), stands.end()]);
    expect(await read()).to.deep.equal([{ generation: 7 }, { generation: -7 }]);
  });

  it('does not take an error of a capture that cannot connect for the state of the one that streams', async () => {
    await on.db.query('update millrace_private.positions set generation = 7');
    const show = (own: number | undefined) =>
      setCaptureState(on.db, on.shop, { state: 'error', reason: 'no route', unlessStreaming: { own } });
    await on.db.query('update millrace_private.capture_beats set generation = 7');
    expect(await show(undefined)).to.equal(false);
    expect(await show(6)).to.equal(false);
    expect((await on.look('database', 'shop')).level).to.equal('ok');
    expect(await show(7)).to.equal(true);
    await on.state('streaming');
    await on.db.query('insert into millrace_private.capture_beats values ($1, 2, clock_timestamp(), -7, 0)', [on.shop]);
    expect(await show(undefined), 'it has ended').to.equal(true);
    await on.db.query('delete from millrace_private.capture_beats where generation = -7');
    await on.state('streaming');
    // It stalls, or has died.
    await on.ago('capture_beats', '16 s');
    expect(await show(undefined)).to.equal(true);
  });

  it('hears of workers, and of lanes that are left alone', async () => {
    await on.db.query('delete from millrace_private.worker_beats');
    workerBeat(on.db)();
    const count = async (sql: string) => (await on.db.query(sql)).rowCount;
    await until('a beat', async () => (await count('select from millrace_private.worker_beats')) === 1);
    const mark = () => on.db.query(statement('deliver/mark-waiting'), [[on.products], [0]]);
    const waiting = 'select from millrace_private.lanes where waiting_since is not null';
    await on.db.query(
      `update millrace_private.lanes set owner = 'me', until = now() + interval '30 s' where sink_no = $1`,
      [on.products],
    );
    await mark();
    expect(await count(waiting)).to.equal(0);
    await on.db.query(`update millrace_private.lanes set until = now() - interval '1 s' where sink_no = $1`, [
      on.products,
    ]);
    await mark();
    expect(await count(waiting)).to.equal(1);
    await on.db.query(statement('deliver/release-lane'), [on.products, 0, 'me']);
    expect(await count(waiting)).to.equal(0);
  });
});
