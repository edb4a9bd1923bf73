/** Traps in a source: each is set, found while the service is stopped, and gone when what is printed was run. */
import { expect } from 'chai';
import pg from 'pg';
import { PULL, sinkSettings } from '../../support/fixtures/captured.ts';
import { type Examined, examined } from '../../support/fixtures/examined.ts';
import { hasPostgres15 } from '../../support/postgres/postgres.ts';
import { type SourceServer, startSourceServer } from '../../support/postgres/source-server.ts';
import { until } from '../../support/until.ts';

const SCHEMA = 'create table ledger (id int primary key, note text)';

for (const major of [18, 15] as const) {
  describe(`millrace doctor: the source (Postgres ${major})`, function () {
    this.timeout(120_000);
    let server: SourceServer;
    let by: Examined;

    before(async function () {
      if (major === 15 && !hasPostgres15()) return this.skip();
      server = await startSourceServer({ major, settings: { max_slot_wal_keep_size: '2MB', max_wal_size: '32MB' } });
      by = await examined(SCHEMA, { database: server.database, timing: { checkMs: 300, recheckMs: 100 } });
      await by.on.addSink(sinkSettings({ name: 'all', destination: PULL }));
    });
    after(async () => {
      await by?.close();
      await server?.close();
    });
    const query = (sql: string) => by.on.source.query(sql);
    /** Captured once, and stopped: everything is as it should be but for the processes. */
    const settled = async (): Promise<void> => {
      by.on.start();
      await by.streams();
      await by.stop();
    };
    const gone = async (id: string): Promise<void> => {
      const found = await by.finding(id);
      expect(found, found?.text).to.equal(undefined);
    };

    it('says what is still to be made for sinks that are there, before capture has ever run', async () => {
      const { text } = await by.doctor();
      expect(text).to.match(/ the slot and the publication are made as soon as capture runs$/m);
    });

    it('says that no process runs, and what it could see without one', async () => {
      await settled();
      const { code, text } = await by.doctor();
      expect(code).to.equal(2);
      expect(text).to.match(/^ERROR {2}processes {2}\(no_capture\)/m);
      expect(text).to.match(/^WARNING {2}database shop {2}\(slot_inactive\)/m);
      expect(text).to.not.include('NOT SEEN');
      for (const secret of [by.on.declared.address.password, 'test-password']) expect(text).to.not.include(secret);
    });

    const gaps: [string, () => Promise<unknown>][] = [
      ['slot_gone', () => query(`select pg_drop_replication_slot('${by.on.slot}')`)],
      [
        'slot_moved',
        async () => {
          await query('insert into ledger select coalesce(max(id), 0) + 1 from ledger');
          await query(`select pg_replication_slot_advance('${by.on.slot}', pg_current_wal_lsn())`);
        },
      ],
      ['publication_gone', () => query('drop publication millrace_test')],
      [
        'publication_renewed',
        () => query('drop publication millrace_test; create publication millrace_test for table ledger'),
      ],
      [
        'slot_lost',
        async () => {
          await query(`create table if not exists filler (a text);
            insert into filler select repeat('x', 1000) from generate_series(1, 20000)`);
          await query('select pg_switch_wal()');
          await query('checkpoint');
        },
      ],
      [
        'another_source',
        () => by.on.messages.db.query("update millrace_private.positions set system_identifier = '1'"),
      ],
      ['another_timeline', () => by.on.messages.db.query('update millrace_private.positions set timeline = 7')],
      ['another_slot', () => by.on.messages.db.query("update millrace_private.positions set slot_name = 'before'")],
      [
        'restored',
        () =>
          by.on.messages.db.query(
            "update millrace_private.position_log set confirmed_lsn = 'FF/0', commit_lsn = 'FF/0'",
          ),
      ],
    ];
    // Servers differ in these.
    const here = major === 18 ? gaps : gaps.filter(([id]) => /publication|lost/.test(id));
    for (const [id, set] of here) {
      it(`finds the gap ${id}, and its statement resyncs`, async () => {
        await settled();
        await set();
        const printed = await by.repair(id);
        expect(printed).to.include({ status: 'ERROR', subject: 'database shop', place: 'message database' });
        await gone(id);
        await settled();
        await gone(id);
      });
    }

    it('finds a slot that is somebody else’s, before capture begins too', async () => {
      await settled();
      const elsewhere = new pg.Client({ connectionString: server.adminUrl });
      await elsewhere.connect();
      try {
        await query(`select pg_drop_replication_slot('${by.on.slot}')`);
        await elsewhere.query(`select pg_create_logical_replication_slot('${by.on.slot}', 'pgoutput')`);
        const printed = await by.repair('slot_foreign');
        expect(printed).to.include({ status: 'ERROR', place: 'message database' });
        expect((await by.finding('slot_foreign'))?.text).to.include('Give slot.name a name of its own.');
        await elsewhere.query(`select pg_drop_replication_slot('${by.on.slot}')`);
        await gone('slot_foreign');
      } finally {
        await elsewhere.end();
      }
      await settled();
    });

    it('finds a publication that leaves changes out', async () => {
      await settled();
      await query("alter publication millrace_test set (publish = 'insert')");
      expect(await by.repair('publication_incomplete')).to.include({ status: 'ERROR', place: 'database shop' });
      await gone('publication_incomplete');
    });

    it('finds a table whose own updates fail', async () => {
      await query(
        'create table keyless (a int); insert into keyless values (1); alter publication millrace_test add table keyless',
      );
      const failed = await query('update keyless set a = 2').catch((error: unknown) => error);
      expect(failed).to.have.property('code', '55000');
      expect(await by.repair('breaks_updates')).to.include({
        status: 'ERROR',
        subject: 'sink all',
        place: 'database shop',
      });
      await query('update keyless set a = 2');
      await gone('breaks_updates');
      await query('drop table keyless');
    });

    it('finds a table that was dropped and created again, and says how to catch up', async () => {
      await query('comment on publication millrace_test is null; drop table ledger');
      await query(SCHEMA);
      const printed = await by.repair('table_detached');
      expect(printed.text).to.include('bin/millrace backfill all ');
      await gone('table_detached');
    });

    it('finds a replica identity that does not tell which row', async () => {
      await query(`create table other (id int primary key, code int not null unique);
        alter table other replica identity using index other_code_key; alter publication millrace_test add table other`);
      await by.repair('identity_misses_key');
      await gone('identity_misses_key');
    });

    it('finds partitions that come under their own names, and those without old values', async () => {
      await query(`create table parted (id int primary key) partition by range (id);
        create table part_1 partition of parted for values from (0) to (10);
        alter table parted replica identity full; alter publication millrace_test add table parted`);
      await query('alter publication millrace_test set (publish_via_partition_root = false)');
      await by.repair('partitions_apart');
      await gone('partitions_apart');
      await by.repair('partitions_not_full');
      await gone('partitions_not_full');
    });

    it('finds whom the creation of the slot waits for', async () => {
      await by.on.messages.db.query("select millrace.accept_gap('shop')");
      await query(`select pg_drop_replication_slot('${by.on.slot}')`);
      const writer = new pg.Client({ connectionString: by.on.sourceUrl });
      writer.on('error', () => undefined);
      await writer.connect();
      await writer.query('begin; insert into ledger values (1000)');
      expect(await by.repair('creation_waits')).to.include({ status: 'NOTICE', place: 'database shop' });
      await gone('creation_waits');
      await writer.end().catch(() => undefined);
      await settled();
    });

    it('finds somebody else on the slot', async () => {
      await settled();
      const address = `${by.on.sourceUrl}?replication=database&application_name=thief`;
      const thief = new pg.Client({ connectionString: address });
      thief.on('error', () => undefined);
      await thief.connect();
      const options = `("proto_version" '1', "publication_names" 'millrace_test')`;
      void thief.query(`START_REPLICATION SLOT "${by.on.slot}" LOGICAL 0/0 ${options}`).catch(() => undefined);
      await until('the thief reads', async () => {
        const { rows } = await query('select from pg_replication_slots where active_pid is not null');
        return rows.length > 0;
      });
      const printed = await by.repair('slot_inactive');
      expect(printed.summary).to.include('which is not a capture of Millrace');
      expect((await by.finding('slot_inactive'))?.summary).to.include('nobody reads');
      await thief.end().catch(() => undefined);
    });

    it('finds a slot that it was captured by before', async () => {
      await query("select pg_create_logical_replication_slot('left_behind', 'pgoutput')");
      await by.on.messages.db.query(`update millrace_private.positions set former_slots = '{left_behind}'`);
      await by.repair('slot_former');
      await gone('slot_former');
    });

    it('finds a slot that stays behind when a standby takes over', async function () {
      // Older servers know nothing of that.
      if (major === 15) return this.skip();
      await settled();
      const overReplication = async (command: string): Promise<void> => {
        const sender = new pg.Client({ connectionString: `${by.on.sourceUrl}?replication=database` });
        await sender.connect();
        await sender.query(command).finally(() => sender.end());
      };
      await overReplication(`ALTER_REPLICATION_SLOT "${by.on.slot}" (FAILOVER false)`);
      const printed = await by.finding('no_failover');
      expect(printed).to.include({ status: 'NOTICE', subject: 'database shop' });
      await overReplication(/ALTER_REPLICATION_SLOT \S+ \(FAILOVER\)/.exec(printed!.text)![0]);
      await gone('no_failover');
    });

    it('finds settings that end streams, or keep too little', async () => {
      await query("alter system set wal_sender_timeout = '5s'");
      await query('select pg_reload_conf()');
      await by.repair('wal_sender_timeout');
      await gone('wal_sender_timeout');
    });

    it('finds a server without the TLS that is asked for', async () => {
      await by.redeclare({ ssl: true });
      const printed = await by.finding('tls_refused');
      expect(printed).to.include({ status: 'ERROR', subject: 'database shop' });
      expect(printed?.text).to.include('allow plain text: `ssl: false`');
      await by.redeclare({ ssl: false });
      await gone('tls_refused');
    });

    it('finds a server that is away, and one that is not set up for logical decoding, nor has room for a slot', async () => {
      await query(`select pg_drop_replication_slot('${by.on.slot}')`);
      await server.end('SIGINT');
      const refused = await by.finding('refused');
      expect(refused).to.include({ status: 'ERROR', subject: 'database shop' });
      expect(refused?.summary).to.include('nothing listens at this address');
      await server.start({ wal_level: 'replica', max_replication_slots: '1', max_wal_senders: '1' });
      await server.execute("select pg_create_physical_replication_slot('forgotten')");
      const copying = new pg.Client({ connectionString: `${server.adminUrl}?replication=true` });
      copying.on('error', () => undefined);
      await copying.connect();
      expect(await by.repair('wal_level')).to.include({ status: 'ERROR', place: 'database shop' });
      const full = await by.repair('slots_full');
      expect(full).to.include({ status: 'ERROR', place: 'database shop' });
      expect(full.summary).to.include('nobody reads forgotten');
      expect(await by.repair('walsenders_full')).to.include({ status: 'ERROR', place: 'database shop' });
      await server.restart();
      for (const id of ['wal_level', 'slots_full', 'walsenders_full', 'refused']) await gone(id);
    });
  });
}
