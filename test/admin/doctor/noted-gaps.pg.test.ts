/** Gaps of a source whose changes triggers note, while no capture runs: each is found, and gone when what is printed was run. */
import { expect } from 'chai';
import { PULL, sinkSettings } from '../../support/fixtures/captured.ts';
import { type Examined, examined } from '../../support/fixtures/examined.ts';

describe('millrace doctor: gaps of what triggers note', function () {
  this.timeout(120_000);
  let by: Examined;
  const source = (sql: string) => by.on.source.query(sql);
  const messages = (sql: string) => by.on.messages.db.query(sql);

  before(async () => {
    by = await examined('create table ledger (id int primary key)', { settings: { capture: 'triggers' } });
    await by.on.addSink(sinkSettings({ name: 'all', destination: PULL }));
  });
  after(async () => await by?.close());
  /** Capture has begun, and is stopped. */
  const settled = async (): Promise<void> => {
    by.on.start();
    await by.on.streaming();
    await by.on.stop();
  };

  const gaps: [string, () => Promise<unknown>][] = [
    ['changes_gone', () => source('drop schema millrace_capture cascade')],
    ['changes_renewed', () => messages('update millrace_private.positions set publication_oid = 1')],
    [
      'changes_emptied',
      () =>
        source("comment on table millrace_capture.changes_0 is 'emptied of what this snapshot sees: 1:4000000000:'"),
    ],
    ['restored', () => messages("update millrace_private.capture_plans set to_snapshot = '1:4000000000:'")],
    ['another_timeline', () => messages('update millrace_private.positions set timeline = 7')],
    ['another_source', () => messages("update millrace_private.positions set system_identifier = '1'")],
  ];
  for (const [id, set] of gaps)
    it(`finds the gap ${id}, and its statement resyncs`, async () => {
      await settled();
      expect(await by.finding(id)).to.equal(undefined);
      await set();
      const printed = await by.repair(id);
      expect(printed).to.include({ status: 'ERROR', subject: 'database shop', place: 'message database' });
      expect(await by.finding(id)).to.equal(undefined);
      await settled();
      expect(await by.finding(id)).to.equal(undefined);
    });
});
