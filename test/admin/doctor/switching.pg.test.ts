/** What the doctor says of a database that is to be captured in the other way: nothing that would break the switch. */
import { expect } from 'chai';
import type { CaptureWay } from '../../../src/model/declared.ts';
import { PULL, sinkSettings } from '../../support/fixtures/captured.ts';
import { type Examined, examined } from '../../support/fixtures/examined.ts';
import { NOTES, PUBLISH } from '../../support/fixtures/switched.ts';
import { until } from '../../support/until.ts';

describe('millrace doctor: a switch of the way of capture', function () {
  this.timeout(120_000);
  let by: Examined;

  afterEach(async () => await by?.close());

  /** Captured in this way, and not captured now. */
  const begin = async (capture: CaptureWay): Promise<void> => {
    by = await examined('create table ledger (id int primary key)', { settings: { capture } });
    await by.on.addSink(sinkSettings({ name: 'all', destination: PULL }));
    by.on.start();
    await by.on.streaming();
    await by.on.stop();
  };
  const declare = async (capture: CaptureWay): Promise<void> => {
    by.on.declared.settings = { ...by.on.declared.settings, capture };
    await by.redeclare({ capture });
  };
  const goneOver = async (slotName: string): Promise<void> => {
    by.on.start();
    await until('it has gone over', async () => {
      const { rows } = await by.on.messages.db.query<{ slot_name: string }>(
        'select slot_name from millrace_private.positions',
      );
      return rows[0]!.slot_name === slotName;
    });
    await by.on.streaming();
    await by.on.stop();
  };
  const said = async (): Promise<string> => (await by.doctor()).text;

  it('to replication: what is in the way, and the triggers only when nobody needs them any more', async () => {
    await begin('triggers');
    await declare('replication');
    expect(await said())
      .to.match(/\(capture_switching\)/)
      .and.match(/\(publication_incomplete\)/)
      .and.not.match(/capture_left|another_slot|slot_gone|slot_missing/);
    await by.on.source.query(PUBLISH);
    await goneOver(by.on.slot);
    expect(await said())
      .to.match(/\(capture_left\)/)
      .and.not.match(/capture_switching/);
    await by.repair('capture_left');
    expect(await said()).to.not.match(/capture_left|ERROR {2}database/);
  });

  it('to triggers: the slot only when nobody needs it any more', async () => {
    await begin('replication');
    await declare('triggers');
    expect(await said())
      .to.match(/\(capture_switching\)/)
      .and.not.match(/slot_former|another_way/);
    await goneOver(NOTES);
    expect(await said()).to.not.match(/capture_switching/);
    expect(await by.repair('slot_former')).to.include({ status: 'WARNING', place: 'database shop' });
    expect(await said()).to.not.match(/slot_former|ERROR {2}database/);
  });
});
