/**
 * A standby that takes its primary's place, under the same address. Capture goes on when it can be proved that nothing is
 * missing: the slot came along, and all that was captured is part of the promoted server's history. Otherwise it is a gap.
 */
import { expect } from 'chai';
import pg from 'pg';
import { type Captured, captured, PULL, sinkSettings } from '../support/fixtures/captured.ts';
import { ofReplication } from '../support/postgres/capture-way.ts';
import { hasPostgres15 } from '../support/postgres/postgres.ts';
import { type PostgresRelay, startPostgresRelay } from '../support/postgres/postgres-relay.ts';
import { type SourceServer, startSourceServer } from '../support/postgres/source-server.ts';
import { type Standby, startStandby } from '../support/postgres/standby.ts';
import { until } from '../support/until.ts';

const SCHEMA = 'create table ledger (id int primary key, note text)';

const idsOf = (rows: { record: string }[]): number[] => rows.map((row) => JSON.parse(row.record).id as number);
const upTo = (last: number): number[] => Array.from({ length: last }, (_, i) => i + 1);

/** Writes to the database `shop` of a server. */
async function write(adminUrl: string, from: number, to: number): Promise<void> {
  const url = new URL(adminUrl);
  url.pathname = '/shop';
  const client = new pg.Client({ connectionString: url.href });
  await client.connect();
  for (let id = from; id <= to; id++) await client.query('insert into ledger values ($1::int)', [id]);
  await client.end();
}

describe('a promoted standby', () => {
  let server: SourceServer;
  let relay: PostgresRelay;
  let on: Captured;
  let sink: number;
  let wire: PostgresRelay | undefined;
  const standbys: Standby[] = [];

  const start = async (major: 15 | 18): Promise<void> => {
    server = await startSourceServer({ major });
    relay = await startPostgresRelay(server.database.url);
    on = await captured(SCHEMA, {
      database: server.database,
      through: () => relay.url,
      timing: { checkMs: 300, recheckMs: 100 },
    });
    sink = await on.addSink(sinkSettings({ name: 'all', destination: PULL }));
    on.start();
    await on.streaming();
  };
  const standBy = async (
    ...options: Parameters<typeof startStandby> extends [string, ...infer Rest] ? Rest : never
  ) => {
    const standby = await startStandby(server.adminUrl, ...options);
    standbys.push(standby);
    return standby;
  };
  afterEach(async () => {
    await on.close();
    await relay.close();
    await wire?.close();
    for (const standby of standbys.splice(0)) await standby.close();
    await server.close();
  });

  ofReplication('it is about slots').it(
    'is waited for before it is one: while it is away, changes are told to wait',
    async () => {
      await start(18);
      await server.execute("select pg_create_physical_replication_slot('away', true)");
      await server.execute("alter system set synchronized_standby_slots = 'away'");
      await server.execute('select pg_reload_conf()');
      await write(server.adminUrl, 1, 1);
      const { reason, remedy } = await until('it is told', async () => {
        const state = await on.state();
        return state.reason?.includes('none reads away') && { reason: state.reason, remedy: state.remedy ?? '' };
      });
      expect(reason).to.equal(
        `the server sends nothing to replication slot ${on.slot} that its standbys do not have, and none reads away of synchronized_standby_slots: changes wait for it`,
      );
      for (const sql of remedy.split('; ').slice(0, 2)) await server.execute(sql);
      expect(idsOf(await on.received(sink, 1))).to.deep.equal([1]);
      await until('nothing is told any more', async () => (await on.state()).reason === null);
    },
  );

  ofReplication('what triggers note is a gap wherever a standby was promoted').it(
    'to which the slot came along goes on without a gap; one that lacks what was captured does not',
    async function () {
      this.timeout(120_000);
      await start(18);
      for (const name of ['late', 'near'])
        await server.execute(`select pg_create_physical_replication_slot('${name}')`);
      wire = await startPostgresRelay(server.adminUrl);
      const settings = (name: string) => ({
        settings: { primary_slot_name: name, hot_standby_feedback: 'on', sync_replication_slots: 'on' },
      });
      const late = await standBy({ upstreamUrl: wire.url, ...settings('late') });
      const near = await standBy(settings('near'));
      // Nothing is sent to capture before this standby has it.
      await server.execute("alter system set synchronized_standby_slots = 'near'");
      await server.execute('select pg_reload_conf()');
      let last = 0;
      await until(
        'the slot is on both',
        async () => {
          // The slot moves on at such a record, and can be copied once it is as far as the standby.
          await server.execute('select pg_log_standby_snapshot()');
          await write(server.adminUrl, last + 1, last + 5);
          last += 5;
          await on.received(sink, last);
          for (const standby of [late, near]) {
            const slots = await standby.query(
              `select from pg_replication_slots where slot_name = '${on.slot}' and not temporary`,
            );
            if (slots.length === 0) return false;
          }
          return true;
        },
        20_000,
      );
      wire.swallow(true);
      await write(server.adminUrl, last + 1, last + 20);
      last += 20;
      await on.received(sink, last);
      await server.end('SIGKILL');

      await late.promote();
      relay.leadTo(late.adminUrl);
      const { reason, remedy } = await on.becomes('needs_resync');
      expect(reason).to.contain('promoted or restored');
      expect(remedy).to.contain("select millrace.resync('shop')");
      expect((await on.received(sink, last)).length).to.equal(last);

      await near.promote();
      await write(near.adminUrl, last + 1, last + 10);
      relay.leadTo(near.adminUrl);
      await on.streaming();
      await write(near.adminUrl, last + 11, last + 20);
      last += 20;
      expect(idsOf(await on.received(sink, last))).to.deep.equal(upTo(last));
      const { rows } = await on.messages.db.query('select epoch, timeline from millrace_private.positions');
      expect(rows).to.deep.equal([{ epoch: 1, timeline: 2 }]);
      // It stays well at the regular checks, and after a restart.
      await on.stop();
      on.start();
      last += 1;
      await write(near.adminUrl, last, last);
      expect(idsOf(await on.received(sink, last))).to.deep.equal(upTo(last));
    },
  );

  it('without the slot is a gap, and accepting it makes the slot anew (Postgres 15)', async function () {
    if (!hasPostgres15()) return this.skip();
    await start(15);
    const standby = await standBy();
    await write(server.adminUrl, 1, 10);
    await on.received(sink, 10);
    await until('the standby has it all', async () => {
      const { rows } = await on.source.query(
        "select bool_and(replay_lsn = pg_current_wal_lsn()) as is from pg_stat_replication where application_name = 'walreceiver'",
      );
      return rows[0].is;
    });
    await server.end('SIGKILL');
    await standby.promote();
    await write(standby.adminUrl, 11, 11);
    relay.leadTo(standby.adminUrl);
    const { reason, remedy } = await on.becomes('needs_resync');
    expect(reason).to.match(/promoted or restored/);
    expect(remedy).to.equal(
      "select millrace.resync('shop'); -- or, to be shown how far it is: bin/millrace resync shop",
    );
    expect(await standby.query('select from pg_replication_slots')).to.have.length(0);
    await on.messages.db.query("select millrace.accept_gap('shop')");
    await on.streaming();
    await write(standby.adminUrl, 12, 12);
    expect(idsOf(await on.received(sink, 11))).to.deep.equal([...upTo(10), 12]);
  });
});
