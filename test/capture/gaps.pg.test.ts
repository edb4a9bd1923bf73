/** What must never be repaired silently: each gap is a state with a reason and the command that accepts it. */
import { expect } from 'chai';
import pg from 'pg';
import { type Captured, captured, PULL, sinkSettings } from '../support/fixtures/captured.ts';
import { ofReplication } from '../support/postgres/capture-way.ts';
import { hasPostgres15 } from '../support/postgres/postgres.ts';
import { type SourceServer, startSourceServer } from '../support/postgres/source-server.ts';
import { until } from '../support/until.ts';

const slots = ofReplication('it is about a slot, and what the server sends');

const SCHEMA = 'create table ledger (id int primary key, note text)';
const ACCEPT = "select millrace.resync('shop'); -- or, to be shown how far it is: bin/millrace resync shop";

const idsOf = (rows: { record: string }[]): number[] => rows.map((row) => JSON.parse(row.record).id as number);

for (const major of [18, 15] as const) {
  slots.describe(`a gap in what the source sends (Postgres ${major})`, () => {
    let server: SourceServer;
    let on: Captured;
    let sink: number;
    let last = 0;

    /** Writes one row, and waits until all that came since the last gap is here. */
    const captureOne = async (): Promise<void> => {
      last += 1;
      await on.source.query('insert into ledger values ($1::int)', [last]);
      const count = idsOf(await on.received(sink, 1)).length;
      const rows = await on.received(sink, idsOf(await on.received(sink, count)).includes(last) ? count : count + 1);
      expect(idsOf(rows))
        .to.include(last)
        .and.to.deep.equal([...new Set(idsOf(rows))].sort((a, b) => a - b));
    };
    const writeUnseen = async (): Promise<void> => {
      last += 1;
      await on.source.query('insert into ledger values ($1::int)', [last]);
    };
    /** Once the slot knows what was captured, or that would come again after a gap. Its backend holds the slot for a moment longer. */
    const stop = async (): Promise<void> => {
      const commit = (await on.received(sink, 1)).at(-1)!.commit_lsn;
      await until('it is confirmed', async () => {
        const sql =
          "select from pg_replication_slots where slot_name = $1 and confirmed_flush_lsn - '0/0' > $2::numeric";
        return (await on.source.query(sql, [on.slot, commit])).rows.length > 0;
      });
      await on.stop();
      await until('the slot is free', async () => {
        const { rows } = await on.source.query('select from pg_replication_slots where active_pid is not null');
        return rows.length === 0;
      });
    };
    const accept = async (): Promise<void> => {
      await on.messages.db.query("select millrace.accept_gap('shop')");
      await on.streaming();
      await captureOne();
    };

    before(async function () {
      if (major === 15 && !hasPostgres15()) return this.skip();
      server = await startSourceServer({ major, settings: { max_slot_wal_keep_size: '2MB', max_wal_size: '32MB' } });
      on = await captured(SCHEMA, { database: server.database, timing: { checkMs: 300, recheckMs: 100 } });
      sink = await on.addSink(sinkSettings({ name: 'all', destination: PULL }));
      on.start();
      await on.streaming();
      await captureOne();
    });
    after(async () => {
      await on?.close();
      await server?.close();
    });

    it('is seen when the slot is lost, and accepting it makes the slot anew', async () => {
      await stop();
      await on.source.query(`create table if not exists filler (a text);
        insert into filler select repeat('x', 1000) from generate_series(1, 20000)`);
      await on.source.query('select pg_switch_wal()');
      await on.source.query('checkpoint');
      await writeUnseen();
      on.start();
      const { reason, remedy } = await on.becomes('needs_resync');
      expect(reason).to.contain('is lost');
      expect(remedy).to.equal(ACCEPT);
      await accept();
    });

    if (major === 18)
      it('is seen when the slot was idle for too long, and says so', async () => {
        await stop();
        await writeUnseen();
        await on.source.query(`alter system set idle_replication_slot_timeout = '1s'`);
        await on.source.query('select pg_reload_conf()');
        await until('the slot is lost', async () => {
          await on.source.query('checkpoint');
          const { rows } = await on.source.query("select from pg_replication_slots where wal_status = 'lost'");
          return rows.length > 0;
        });
        on.start();
        const { reason, remedy } = await on.becomes('needs_resync');
        expect(reason).to.equal(
          `replication slot ${on.slot} is lost: nobody read it for as long as idle_replication_slot_timeout allows`,
        );
        expect(remedy.startsWith(ACCEPT)).to.equal(true);
        await on.source.query(/alter system set idle_replication_slot_timeout = 0/.exec(remedy)![0]);
        await on.source.query('select pg_reload_conf()');
        await accept();
      });

    it('is seen when the slot is dropped', async () => {
      await stop();
      await on.source.query('select pg_drop_replication_slot($1)', [on.slot]);
      await writeUnseen();
      on.start();
      expect((await on.becomes('needs_resync')).reason).to.contain('is gone');
      await accept();
    });

    it('is seen when the slot was created again by hand, and accepting it goes on with that slot', async () => {
      await stop();
      await on.source.query('select pg_drop_replication_slot($1)', [on.slot]);
      await writeUnseen();
      await on.source.query("select pg_create_logical_replication_slot($1, 'pgoutput')", [on.slot]);
      await writeUnseen();
      const kept = last;
      on.start();
      expect((await on.becomes('needs_resync')).reason).to.contain('created again');
      await accept();
      expect(idsOf(await on.received(sink, 1))).to.include(kept);
    });

    it('is seen when the slot was advanced by hand', async () => {
      await stop();
      await writeUnseen();
      await on.source.query('select pg_replication_slot_advance($1, pg_current_wal_lsn())', [on.slot]);
      on.start();
      expect((await on.becomes('needs_resync')).reason).to.contain('advanced');
      await accept();
    });

    it('is seen when the publication is dropped while it streams, and nothing is made unasked', async () => {
      await on.source.query('drop publication millrace_test');
      await writeUnseen();
      expect((await on.becomes('needs_resync')).reason).to.contain('was dropped');
      const { rows } = await on.source.query('select from pg_publication');
      expect(rows).to.have.length(0);
      await accept();
    });

    it('is seen when the publication is dropped and created again', async () => {
      await on.source.query('drop publication millrace_test');
      await writeUnseen();
      await on.source.query('create publication millrace_test for table ledger');
      await writeUnseen();
      const { reason, remedy } = await on.becomes('needs_resync');
      expect(reason).to.match(/publication millrace_test (was dropped|does not exist)/);
      expect(remedy).to.equal(ACCEPT);
      await accept();
    });

    it('is seen when the publication is renamed, and has its name back before anybody looks', async () => {
      await stop();
      await on.source.query('alter publication millrace_test rename to elsewhere');
      await writeUnseen();
      await on.source.query('alter publication elsewhere rename to millrace_test');
      await writeUnseen();
      on.start();
      const { reason, remedy } = await on.becomes('needs_resync');
      expect(reason).to.contain('was dropped or renamed, and is there again');
      expect(remedy).to.equal(ACCEPT);
      await accept();
    });

    for (const [what, change, reason] of [
      ['another system', "system_identifier = '1'", 'another database'],
      ['another database', 'database_oid = 1', 'another database'],
      ['another timeline', 'timeline = 7', 'promoted or restored'],
      ['another slot', "slot_name = 'before'", 'the slot was before and is now'],
    ] as const) {
      it(`is seen when the source is ${what} than before`, async () => {
        await stop();
        await on.messages.db.query(`update millrace_private.positions set ${change}`);
        on.start();
        const shown = await on.becomes('needs_resync');
        expect(shown.reason).to.contain(reason);
        expect(shown.remedy).to.equal(ACCEPT);
        await accept();
      });
    }

    it('is seen when the source was restored from an older copy', async () => {
      await stop();
      await on.messages.db.query(
        "update millrace_private.position_log set confirmed_lsn = 'FF/0', commit_lsn = 'FF/0'",
      );
      on.start();
      expect((await on.becomes('needs_resync')).reason).to.contain('older copy');
      await accept();
    });

    it('opens a new epoch each time, and keeps ids increasing', async () => {
      const { rows } = await on.messages.db.query<{ epoch: number }>('select epoch from millrace.database_status');
      expect(rows[0]!.epoch).to.be.greaterThan(10);
      const ids = idsOf(await on.received(sink, 1));
      expect(ids).to.deep.equal([...ids].sort((a, b) => a - b));
    });
  });
}

describe('a source that was restored from its backup', () => {
  it('is another history, though name, address and system are the same', async function () {
    if (!hasPostgres15()) return this.skip();
    const server = await startSourceServer({ major: 15, settings: { restore_command: 'false' } });
    const on = await captured(SCHEMA, { database: server.database, timing: { recheckMs: 100 } });
    try {
      const sink = await on.addSink(sinkSettings({ name: 'all', destination: PULL }));
      on.start();
      await on.streaming();
      await on.source.query('insert into ledger values (1)');
      await on.received(sink, 1);
      await server.backUp();
      await on.source.query('insert into ledger values (2)');
      await on.received(sink, 2);
      await server.end('SIGQUIT');
      await on.becomes('error');
      await server.start();
      const { reason, remedy } = await on.becomes('needs_resync');
      expect(reason).to.contain('promoted or restored');
      expect(remedy).to.equal(ACCEPT);
      await on.messages.db.query("select millrace.accept_gap('shop')");
      await on.streaming();
      const client = new pg.Client({ connectionString: server.database.url });
      await client.connect();
      await client.query('insert into ledger values (3)');
      await client.end();
      const rows = await on.received(sink, 3);
      expect(idsOf(rows)).to.deep.equal([1, 2, 3]);
      expect(rows[2]!.id).to.be.greaterThan(rows[1]!.id);
    } finally {
      await on.close();
      await server.close();
    }
  });
});
