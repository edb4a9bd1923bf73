/**
 * A source in trouble: hostile settings, servers that end in every way, connections that die silently. The oracle is a
 * ledger: every row of it is persisted exactly once, in order.
 */
import { expect } from 'chai';
import pg from 'pg';
import { type Captured, captured, PULL, sinkSettings } from '../support/fixtures/captured.ts';
import { sharedCluster } from '../support/postgres/postgres.ts';
import { startPostgresRelay } from '../support/postgres/postgres-relay.ts';
import { type SourceServer, startSourceServer } from '../support/postgres/source-server.ts';
import { until } from '../support/until.ts';

const LEDGER = 'create table ledger (id int primary key, note text)';

/** Every row of the ledger is here, once and in order. */
async function expectLedger(on: Captured, sink: number, count: number): Promise<void> {
  const rows = await on.received(sink, count);
  expect(rows.map((row) => JSON.parse(row.record).id)).to.deep.equal(Array.from({ length: count }, (_, i) => i + 1));
}

describe('capture of a source in trouble', () => {
  it('prints the same whatever the role and the database say', async () => {
    const cluster = await sharedCluster();
    const role = `hostile_${process.pid}`;
    const database = await cluster.createDatabase();
    const admin = new pg.Client({ connectionString: database.url });
    await admin.connect();
    const hostile = [
      "DateStyle = 'German, DMY'",
      "TimeZone = 'Asia/Kolkata'",
      "IntervalStyle = 'iso_8601'",
      "bytea_output = 'escape'",
      'extra_float_digits = -15',
      "client_encoding = 'LATIN1'",
      "statement_timeout = '900ms'",
      "search_path = 'nowhere'",
      'default_transaction_read_only = on',
    ];
    await admin.query(`create role ${role} login superuser password 'test-password';
      ${hostile.map((one) => `alter role ${role} set ${one};`).join('')}
      ${hostile
        .slice(0, 5)
        .map((one) => `alter database ${database.name} set ${one};`)
        .join('')}`);
    await admin.query(`create schema nowhere; create table public.hostile (id int primary key, at timestamptz,
      plain timestamp, day date, clock timetz, span interval, bytes bytea, float float8, text text, spans interval[])`);
    const on = await captured('', {
      database,
      as: 'superuser',
      through: (address) => {
        const url = new URL(address);
        url.username = role;
        return url.href;
      },
    });
    try {
      const sink = await on.addSink(sinkSettings({ name: 'all', destination: PULL }));
      on.start();
      await on.streaming();
      await admin.query(`insert into public.hostile values (1, '2026-02-03 04:05:06.789012+00', '2026-02-03 04:05:06',
        '2026-02-03', '04:05:06+05:30', '1 year 2 mons 3 days 04:05:06.5', '\\x00ff27', 0.1::float8 + 0.2::float8, 'Grüße €',
        '{"-1 day"}')`);
      const rows = await on.received(sink, 1);
      expect(JSON.parse(rows[0]!.record)).to.deep.equal({
        id: 1,
        at: '2026-02-03T04:05:06.789012+00:00',
        plain: '2026-02-03T04:05:06',
        day: '2026-02-03',
        clock: '04:05:06+05:30',
        span: '1 year 2 mons 3 days 04:05:06.5',
        bytes: '\\x00ff27',
        float: 0.30000000000000004,
        text: 'Grüße €',
        spans: ['-1 days'],
      });
    } finally {
      await on.close();
      await admin.end();
      await database.drop();
      const owner = new pg.Client({ connectionString: cluster.adminUrl });
      await owner.connect();
      await owner.query(`drop role ${role}`);
      await owner.end();
    }
  });

  it('streams a transaction that takes longer than role or database allow their sessions', async function () {
    const on = await captured('create table large (id int primary key, note text)');
    try {
      const { rows } = await on.source.query("select current_setting('transaction_timeout', true) as there");
      if (rows[0].there === null) this.skip();
      await on.source.query(
        `alter database ${new URL(on.sourceUrl).pathname.slice(1)} set transaction_timeout = '50ms'`,
      );
      const sink = await on.addSink(sinkSettings({ name: 'all', destination: PULL }));
      on.start();
      await on.streaming();
      const reader = 'select active_pid from pg_replication_slots where slot_name = $1';
      const before = await on.source.query(reader, [on.slot]);
      await on.source.query("insert into large select n, repeat('x', 1500) from generate_series(1, 6000) n");
      await on.received(sink, 6_000);
      expect((await on.source.query(reader, [on.slot])).rows).to.deep.equal(before.rows);
    } finally {
      await on.close();
    }
  });

  it('says which server has no room, and goes on when there is some', async () => {
    const on = await captured(LEDGER);
    try {
      const sink = await on.addSink(sinkSettings({ name: 'all', destination: PULL }));
      on.start();
      await on.streaming();
      await on.messages.db.query(`create function public.refuse() returns trigger language plpgsql as $$
        begin raise 'no room' using errcode = '53100'; end $$;
        create trigger refuse before insert on millrace_private.position_log execute function public.refuse()`);
      await on.source.query('insert into ledger values (1)');
      expect(await on.becomes('error')).to.include({
        reason: 'the message database said: no room',
        remedy:
          'Free disk space on the server of the message database. Nothing is lost meanwhile, and capture goes on by itself.',
      });
      await on.keepsState();
      await on.messages.db.query('drop trigger refuse on millrace_private.position_log');
      await on.streaming();
      await on.source.query('insert into ledger values (2)');
      await expectLedger(on, sink, 2);
    } finally {
      await on.close();
    }
  });

  describe('whose server ends', () => {
    let server: SourceServer;
    let on: Captured;
    let sink: number;
    let written = 0;
    let client: pg.Client;

    /** Commits one row after the other until the server is gone; what was in doubt is asked afterwards. */
    const write = async (count: number): Promise<void> => {
      for (let i = 0; i < count; i++) {
        await client.query('insert into ledger values ($1::int)', [written + 1]);
        written += 1;
      }
    };
    const connect = async (): Promise<void> => {
      client = new pg.Client({ connectionString: server.database.url });
      client.on('error', () => undefined);
      await client.connect();
      const { rows } = await client.query('select coalesce(max(id), 0) as last from ledger');
      written = rows[0].last;
    };

    before(async () => {
      server = await startSourceServer();
      on = await captured(LEDGER, { database: server.database });
      sink = await on.addSink(sinkSettings({ name: 'all', destination: PULL }));
      on.start();
      await on.streaming();
      await connect();
    });
    after(async () => {
      await client.end().catch(() => undefined);
      await on.close();
      await server.close();
    });

    for (const [how, signal] of [
      ['killed', 'SIGKILL'],
      ['stopped immediately', 'SIGQUIT'],
      ['restarted', 'SIGINT'],
    ] as const) {
      it(`loses and doubles nothing when it is ${how} while it is written`, async () => {
        await write(50);
        await on.received(sink, 50);
        const writing = write(100_000).catch(() => undefined);
        const enough = written + 40;
        await until('some rows', () => written > enough);
        await server.end(signal);
        await writing;
        await until('the loss is seen', async () => (await on.state()).state === 'error');
        await server.start();
        await connect();
        await write(50);
        await expectLedger(on, sink, written);
        await on.streaming();
      });
    }
  });

  describe('behind a connection that dies silently', () => {
    for (const timeout of ['1s', '0']) {
      it(`notices, and connects anew (wal_sender_timeout = ${timeout})`, async () => {
        const cluster = await sharedCluster();
        const database = await cluster.createDatabase();
        const relay = await startPostgresRelay(database.url);
        const admin = new pg.Client({ connectionString: database.url });
        await admin.connect();
        await admin.query(`alter database ${database.name} set wal_sender_timeout = '${timeout}'`);
        const on = await captured(LEDGER, {
          database,
          through: () => relay.url,
          timing: { statementMs: 1_000, checkMs: 600_000, silentMs: 700 },
        });
        try {
          const sink = await on.addSink(sinkSettings({ name: 'all', destination: PULL }));
          on.start();
          await on.streaming();
          await on.source.query('insert into ledger select generate_series(1, 10)');
          await on.received(sink, 10);
          // Quiet is not dead.
          const since = Date.now();
          await until('two silent seconds', () => Date.now() - since > 2_000);
          expect((await on.state()).state).to.equal('streaming');
          relay.swallow(true);
          await on.source.query('insert into ledger select generate_series(11, 20)');
          const { reason } = await on.becomes('error', 15_000);
          expect(reason).to.contain('silent');
          // The server may not have noticed: its backend holds the slot until it does, or is told.
          relay.swallow(false);
          await relay.leave();
          await relay.comeBack();
          await expectLedger(on, sink, 20);
        } finally {
          await relay.leave();
          await on.close();
          await admin.end();
          await database.drop();
        }
      });
    }
  });
});
