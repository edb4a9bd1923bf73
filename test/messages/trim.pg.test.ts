/**
 * What is kept for a while only stays within its bounds, after a month in which everything fails: each simulated day is written as it
 * would be, then everything grows older by a day, and the job's own statements run. The gate takes a few days and failures of them;
 * MILLRACE_TEST_FAILURES: the whole month, with so many failures.
 */
import { expect } from 'chai';
import { migrateJobs, openJobs } from '../../src/db/jobs.ts';
import { openTrimming, trim } from '../../src/messages/trim.ts';
import { createLog } from '../../src/runtime/log.ts';
import { addPullSink, addShop } from '../support/fixtures/fixtures.ts';
import { type MessageDatabase, messageDatabase } from '../support/postgres/message-database.ts';
import { until } from '../support/until.ts';

const FAILURES = Number(process.env.MILLRACE_TEST_FAILURES ?? 24_000);
const DAYS = process.env.MILLRACE_TEST_FAILURES === undefined ? 3 : 31;
const PARKED = 1_500;
const BATCH = 1_000;

const AGE = Object.entries({
  ...{ attempts: ['at'], sink_counters: ['at'], database_counters: ['at'], audit_log: ['at'], login_failures: ['at'] },
  ...{ operations: ['created_at', 'ended_at'], backfills: ['created_at', 'ended_at'], processes: ['seen_at'] },
  ...{ sessions: ['created_at', 'seen_at', 'expires_at'], readers: ['received_at', 'acked_at'] },
  ...{ previews: ['until'], recent_messages: ['at'] },
});

describe('what is kept for a while', function () {
  if (DAYS === 31) this.timeout(3_600_000);
  let m: MessageDatabase;
  let databaseNo: number;
  let sinks: number[];
  const log = createLog({ level: 'silent', role: 'test' });
  const fail = (fields: object): never => expect.fail(JSON.stringify(fields));
  before(async () => {
    m = await messageDatabase();
    ({ databaseNo } = await addShop(m.db));
    sinks = [];
    for (const name of ['all-parked', 'all-retried', 'quiet']) sinks.push((await addPullSink(m.db, { name })).no);
  });
  after(async () => await m?.drop());

  const trimNow = async (): Promise<number> =>
    await trim({ db: m.db, log: { warn: fail } }, { signal: new AbortController().signal });
  const count = async (of: string, ...values: unknown[]): Promise<number> =>
    (await m.db.query<{ count: number }>(`select count(*)::integer as count from millrace_private.${of}`, values))
      .rows[0]!.count;

  async function grow(older: string): Promise<void> {
    // Nobody else may: guard_audit.
    await m.db.query('alter table millrace_private.audit_log disable trigger guard_audit');
    // By way of the future, where no row is in the way of another one.
    for (const moved of [`+ interval '365000 days'`, `- interval '365000 days' - interval '${older}'`])
      for (const [table, columns] of AGE)
        await m.db.query(
          `update millrace_private.${table} set ${columns.map((name) => `${name} = ${name} ${moved}`).join(', ')}`,
        );
    await m.db.query('alter table millrace_private.audit_log enable trigger guard_audit');
  }

  /** Of messages of this sink, in batches as a lane settles them. */
  async function failures(
    no: number,
    wanted: number,
    of: (n: number) => { id: number; attempts: number },
  ): Promise<void> {
    for (let from = 0; from < wanted; from += BATCH)
      await m.db.query('select millrace_private.record_attempts($1, $2)', [
        no,
        JSON.stringify(
          Array.from({ length: Math.min(BATCH, wanted - from) }, (_, n) => ({
            ...{ ...of(from + n), stage: 'send', error: 'no answer', failure: { status: 503 } },
          })),
        ),
      ]);
  }

  async function writeDay(day: number): Promise<void> {
    const each = Math.ceil(FAILURES / DAYS / 2);
    const first = day * each;
    await failures(sinks[0]!, each, (n) => ({
      id: ((first + n) % PARKED) + 1,
      attempts: Math.floor((first + n) / PARKED) + 1,
    }));
    await failures(sinks[1]!, each, (n) => ({ id: first + n + 1, attempts: 1 }));
    for (const [step, counts] of [
      ['minute', 1_440],
      ['hour', 24],
    ] as const) {
      const at = `date_trunc($1, clock_timestamp()) - n * ('1 ' || $1)::interval`;
      await m.db.query(
        `insert into millrace_private.sink_counters (sink_no, step, at, latency)
         select s, $1, ${at}, '{}' from unnest($2::integer[]) s, generate_series(0, $3::integer - 1) n
             on conflict do nothing`,
        [step, sinks, counts],
      );
      await m.db.query(
        `insert into millrace_private.database_counters (database_no, step, at, lag_bytes)
         select $2::integer, $1, ${at}, 0 from generate_series(0, $3::integer - 1) n on conflict do nothing`,
        [step, databaseNo, counts],
      );
    }
    await m.db.query(
      `with ended as (
         insert into millrace_private.operations (kind, sink_no, database_no, request, requested_by, state, ended_at)
         select 'verify', $1::integer, $2::integer, '{}', 'cli', 'done', clock_timestamp() - n * interval '1 min'
           from generate_series(1, 200) n
         returning id
       )
       insert into millrace_private.operation_findings (operation_id, no, finding)
       select e.id, n, '{}' from ended e, generate_series(1, 10) n`,
      [sinks[0], databaseNo],
    );
    await m.db.query(
      `insert into millrace_private.backfills (sink_no, kind, table_schema, table_name, state, created_at, ended_at)
       select $1::integer, 'table', 'public', 'orders', 'done', b.at, b.at
         from generate_series(1, 200) n cross join lateral (select clock_timestamp() - n * interval '1 min' as at) b`,
      [sinks[0]],
    );
    await m.db.query(
      `insert into millrace_private.audit_log (actor, action, subject)
       select 'user ann@example.org', 'pause', 'sink orders' from generate_series(1, 50)`,
    );
    await m.db.query(
      `insert into millrace_private.processes (id, role, host, pid, version, key_id)
       select gen_random_uuid(), 'worker', 'h', n, '1', 'k' from generate_series(1, 30) n`,
    );
    await m.db.query(
      `insert into millrace_private.login_failures (account, address) select '\\x00', n::text from generate_series(1, 100) n`,
    );
    await m.db.query(
      `with people as (
         insert into millrace_private.users (email, scopes, created_by) values ('ann@example.org', '{read}', 'cli')
             on conflict (email) do update set scopes = excluded.scopes returning id
       )
       insert into millrace_private.sessions (user_id, hash, expires_at)
       select p.id, decode(md5($1 || '-' || n), 'hex'), clock_timestamp() + interval '30 days'
         from people p, generate_series(1, 20) n`,
      [String(day)],
    );
    await m.db.query(
      `insert into millrace_private.readers (sink_no, token, received_at, acked_at, address)
       select $1::integer, $2 || '-' || n, clock_timestamp(), clock_timestamp(), '::1' from generate_series(1, 5) n`,
      [sinks[2], String(day)],
    );
    await m.db.query(
      `insert into millrace_private.previews (sink_no, until, seconds) values ($1::integer, clock_timestamp(), 60)
           on conflict (sink_no) do update set until = excluded.until`,
      [sinks[2]],
    );
    await m.db.query(
      `insert into millrace_private.recent_messages
              (sink_no, id, action, source_table, record_pks, committed_at, size, outcome)
       select $1::integer, n, 'insert', 0, '[]', clock_timestamp(), 2, 'done' from generate_series(1, 50) n`,
      [sinks[2]],
    );
  }

  it('stays within its bounds however long everything fails, and all of it goes in time', async () => {
    await m.db.query(
      `insert into millrace_private.delivery_states (sink_no, id, lane, state, attempts, stage, parked_at)
       select $1::integer, n, 0, 'parked', 1, 'send', clock_timestamp() from generate_series(1, $2::integer) n`,
      [sinks[0], PARKED],
    );
    const audited = await count('audit_log');
    for (let day = 0; day < DAYS; day += 1) {
      await writeDay(day);
      for (const no of sinks) expect(await count('attempts where sink_no = $1', no)).to.be.at.most(11_000);
      await trimNow();
      for (const no of sinks) {
        expect(await count('attempts where sink_no = $1', no)).to.be.at.most(10_000);
        expect(await count('sink_counters where sink_no = $1', no)).to.be.at.most(2_200);
      }
      expect(await count('database_counters')).to.be.at.most(2_200);
      expect(await count('recent_messages')).to.be.at.most(50);
      await grow('1 day');
      await trimNow();
      expect(
        await Promise.all(
          [
            `attempts where sink_no = ${sinks[1]}`,
            ...["sink_counters where step = 'minute' and at < now() - interval '24 h'", 'processes', 'login_failures'],
            ...['recent_messages', "sessions where seen_at < now() - interval '7 days 1 h'"],
          ].map((of) => count(of)),
        ),
        `day ${day}`,
      ).to.deep.equal([0, 0, 0, 0, 0, 0]);
    }
    const parked = await count('attempts where sink_no = $1', sinks[0]);
    expect(parked, 'a message that is there keeps its own').to.be.greaterThan(PARKED).and.at.most(10_000);
    const most = await m.db.query<{ most: number }>(
      `select max(a.count)::integer as most
         from (select count(*) from millrace_private.attempts where sink_no = $1 group by id) a`,
      [sinks[0]],
    );
    expect(most.rows[0]!.most).to.be.at.most(20);
    expect([await count('operations'), await count('operation_findings'), await count('backfills')]).to.deep.equal([
      ...[500, 5_000, 500],
    ]);
    for (const no of sinks) expect(await count('sink_counters where sink_no = $1', no)).to.be.at.most(2_200);
    expect(await count('database_counters')).to.be.at.most(2_200);
    expect([await count('sessions'), await count('readers'), await count('audit_log')]).to.deep.equal([
      ...[Math.min(7, DAYS) * 20, DAYS * 5, audited + DAYS * 50],
    ]);

    await m.db.query('delete from millrace_private.delivery_states');
    await trimNow();
    await grow('31 days');
    await trimNow();
    expect(
      await Promise.all(['attempts', 'sink_counters', 'database_counters', 'sessions'].map((of) => count(of))),
    ).to.deep.equal([...[0, 0, 0, 0]]);
    await grow('60 days');
    await trimNow();
    expect(
      await Promise.all(['operations', 'operation_findings', 'backfills', 'readers'].map((of) => count(of))),
    ).to.deep.equal([...[0, 0, 0, 0]]);
    await grow('310 days');
    await trimNow();
    expect(await count('audit_log')).to.equal(0);
  });

  it('is of the audit log the last million rows', async () => {
    const write = `insert into millrace_private.audit_log (actor, action, subject) select 'cli', 'pause', 'sink x'`;
    await m.db.query(`${write} from generate_series(1, 20)`);
    const sequence = `pg_get_serial_sequence('millrace_private.audit_log', 'id')`;
    await m.db.query(`select setval(${sequence}, nextval(${sequence}) + 999980)`);
    await m.db.query(`${write} from generate_series(1, 10)`);
    expect(await trimNow()).to.equal(11);
    expect(await count('audit_log')).to.equal(19);
  });

  describe('of backfills', () => {
    /** So many days old; absent: it has not ended. */
    const backfill = async (sinkNo: number, created: number, ended?: number): Promise<string> => {
      const { rows } = await m.db.query<{ id: string }>(
        `insert into millrace_private.backfills (sink_no, kind, state, created_at, ended_at)
         select $1::integer, case when $3::float8 is null then 'all' else 'table' end,
                case when $3::float8 is null then 'paused' else 'done' end,
                clock_timestamp() - $2::float8 * interval '1 day', clock_timestamp() - $3::float8 * interval '1 day' returning id`,
        [sinkNo, created, ended ?? null],
      );
      return rows[0]!.id;
    };
    const paused = async (kept: unknown): Promise<void> => {
      await m.db.query(
        `insert into millrace_private.operations (kind, database_no, request, requested_by, state, kept, created_at)
         values ('resync', $1::integer, '{}', 'cli', 'paused', $2::jsonb, clock_timestamp() - interval '200 days')`,
        [databaseNo, JSON.stringify(kept)],
      );
    };
    const left = async (): Promise<string[]> => {
      await trimNow();
      const { rows } = await m.db.query<{ id: string }>(
        'select b.id from millrace_private.backfills b where b.ended_at is not null order by b.no',
      );
      return rows.map(({ id }) => id);
    };
    afterEach(async () => {
      await m.db.query('delete from millrace_private.backfills');
      await m.db.query('delete from millrace_private.operations');
    });

    it('is also what belongs to one that has not ended', async () => {
      const [one, other] = sinks as [number, number];
      await backfill(one, 180, 170);
      // Its parent, which made it and ended then; one beside it.
      const parent = await backfill(one, 160, 150);
      const beside = await backfill(one, 150, 140);
      await backfill(one, 150);
      await backfill(one, 120, 110);
      await backfill(other, 150, 140);
      expect(await left()).to.deep.equal([parent, beside]);
      await m.db.query(
        `update millrace_private.backfills set state = 'cancelled', ended_at = now() where ended_at is null`,
      );
      expect(await left(), 'the one that has just ended').to.have.length(1);
    });

    it('is also what belongs to an operation that is open, and nothing else of its database', async () => {
      const [one] = sinks as [number];
      await backfill(one, 180, 170);
      const asked = await backfill(one, 160, 150);
      const made = await backfill(one, 150, 100);
      await backfill(one, 140, 130);
      await paused({ backfills: [asked] });
      expect(await left()).to.deep.equal([asked, made]);
    });

    it('is nothing for an operation that remembers none', async () => {
      await backfill(sinks[0]!, 180, 170);
      await paused({ pages: [] });
      expect(await left()).to.deep.equal([]);
    });
  });

  it('goes by itself, again and again, while a worker runs', async () => {
    await migrateJobs(m.db, log);
    const jobs = openJobs(
      { db: m.db, log },
      { tasks: { trim: async (payload, signal) => await trimming.task(payload, signal) }, concurrency: 1 },
    );
    const trimming = openTrimming(
      { db: m.db, jobs: () => jobs, log, also: async () => undefined },
      { firstMs: 1, everyMs: 50 },
    );
    const stop = new AbortController();
    const running = [jobs.run(stop.signal), trimming.run(stop.signal)];
    for (let times = 0; times < 3; times += 1) {
      await m.db.query(
        `insert into millrace_private.login_failures (at, account, address) values (now() - interval '2 h', '\\x00', '::1')`,
      );
      await until('it has gone', async () => (await count('login_failures')) === 0);
    }
    stop.abort();
    await Promise.all(running);
  });
});
