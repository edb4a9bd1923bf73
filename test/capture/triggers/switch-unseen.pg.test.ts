/** Commits that are in the WAL and that nobody sees yet, for they wait for a standby, while the way of capture is switched. */
import { expect } from 'chai';
import type pg from 'pg';
import type { CaptureWay } from '../../../src/model/declared.ts';
import { isAscending, NOTES, PUBLISH, type SwitchedSource, switchedSource } from '../../support/fixtures/switched.ts';
import { type SynchronousCluster, startSynchronousCluster } from '../../support/postgres/synchronous.ts';
import { until } from '../../support/until.ts';

const SCHEMA = `
  create table rows (id int primary key, value text);
  create schema apart;
  create table apart.held (id int);
`;

describe('a switch of the way of capture, while a commit waits for a standby', () => {
  let at: SynchronousCluster;
  let it_: SwitchedSource;
  let waits: pg.Client;
  let holds: pg.Client;

  before(async () => {
    at = await startSynchronousCluster();
  });
  afterEach(async () => {
    await at.waitFor('', it_.on.source);
    await it_?.close();
  });
  after(async () => await at?.stop());

  const begin = async (way: CaptureWay): Promise<void> => {
    it_ = await switchedSource(SCHEMA, way, { cluster: at.cluster });
    it_.on.start();
    await it_.on.streaming();
    [waits, holds] = [await it_.session(), await it_.session()];
    await waits.query('set synchronous_commit = on');
    await holds.query('set synchronous_commit = off');
    await it_.on.source.query('set synchronous_commit = off');
  };
  /** A transaction from before both ways stand: until it ends, nothing is gone over. */
  const hold = async (): Promise<void> => {
    await holds.query('begin; insert into apart.held values (1)');
  };
  const waitsForHeld = async (): Promise<void> =>
    void (await until('the switch waits', async () =>
      /open before: backends/.test((await it_.on.state()).reason ?? ''),
    ));
  /** Commits a row that nobody sees until the standby is not waited for any more. */
  const commitUnseen = async (): Promise<{ committed: Promise<unknown> }> => {
    await at.waitFor('nobody', it_.on.source);
    const committing = waits.query("insert into rows values (1, 'unseen')");
    committing.catch(() => undefined);
    await until('its commit waits', async () => {
      const { rows } = await it_.on.source.query("select from pg_stat_activity where wait_event = 'SyncRep'");
      return rows.length === 1;
    });
    return { committed: committing };
  };
  const keysOf = async (count: number): Promise<string[]> => {
    const rows = await it_.on.received(it_.sink, count);
    expect(isAscending(rows), JSON.stringify(rows.map(({ commit_lsn: lsn }) => lsn))).to.equal(true);
    return rows.map(({ record_pks: key }) => key).toSorted();
  };

  it('to replication: what the cut does not see comes from the slot, behind what was noted', async () => {
    await begin('triggers');
    const { on, sink } = it_;
    await on.source.query(PUBLISH);
    // A slot that is there is not waited for.
    await on.source.query(`select pg_create_logical_replication_slot('${on.slot}', 'pgoutput')`);
    await hold();
    await it_.declare('replication');
    await waitsForHeld();
    const { committed } = await commitUnseen();
    for (let id = 2; id <= 30; id++) await on.source.query('insert into rows values ($1, $2)', [id, 'noted']);
    await on.received(sink, 29);
    expect(await it_.reads()).to.equal(NOTES);
    await holds.query('commit');
    await it_.goneOver('replication');
    await on.source.query("insert into rows values (31, 'by the slot')");
    await at.waitFor('', on.source);
    await committed;
    expect(await keysOf(31)).to.deep.equal(Array.from({ length: 31 }, (_, i) => `["${i + 1}"]`).toSorted());
    // It got its place with what it changed.
    const { rows } = await on.messages.db.query<{ wal_lsn: string; told_lsn: string }>(
      'select wal_lsn, told_lsn from millrace_private.capture_switches',
    );
    expect(rows[0]!.wal_lsn).to.be.a('string');
    await on.stop();
    on.start();
    await on.streaming();
    await on.source.query("insert into rows values (32, 'and on')");
    expect(await keysOf(32)).to.have.length(32);
  });

  it('to triggers: what was told, and the cut would not see, keeps it from being made', async () => {
    await begin('replication');
    const { on, sink } = it_;
    await hold();
    await it_.declare('triggers');
    await waitsForHeld();
    await on.source.query("insert into rows values (0, 'known')");
    await on.received(sink, 1);
    const { committed } = await commitUnseen();
    // Its table is known, so it is told at once.
    await on.received(sink, 2);
    await holds.query('commit');
    for (let id = 2; id <= 6; id++) {
      await on.source.query('insert into rows values ($1, $2)', [id, 'meanwhile']);
      await on.received(sink, id + 1);
    }
    expect(await it_.reads()).to.equal(on.slot);
    await at.waitFor('', on.source);
    await committed;
    await it_.goneOver('triggers');
    await on.source.query("insert into rows values (7, 'noted')");
    expect(await keysOf(8)).to.deep.equal(Array.from({ length: 8 }, (_, i) => `["${i}"]`));
  });

  it('goes there and back while no standby answers, and nobody waits for that who did not ask for it', async () => {
    await begin('replication');
    const { on } = it_;
    await at.waitFor('nobody', on.source);
    await it_.declare('triggers');
    await it_.goneOver('triggers');
    await on.source.query("insert into rows values (1, 'noted')");
    await it_.declare('replication');
    await it_.goneOver('replication');
    await on.source.query("insert into rows values (2, 'by the slot')");
    expect(await keysOf(2)).to.deep.equal(['["1"]', '["2"]']);
    await until('the triggers are gone', async () => {
      const { rows } = await on.source.query(
        "select from pg_trigger g join pg_proc p on p.oid = g.tgfoid where p.pronamespace = 'millrace_capture'::regnamespace",
      );
      return rows.length === 0;
    });
  });
});
