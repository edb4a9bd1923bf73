/** A retention job that fails is seen where health is, until it has succeeded. */
import { expect } from 'chai';
import { type Database, openPool } from '../../../../src/db/pool.ts';
import { quoteIdentifier } from '../../../../src/model/quote.ts';
import { createLog } from '../../../../src/runtime/log.ts';
import { openExpiries } from '../../../../src/sinks/change-table/policies/expire.ts';
import type { ChangeTableDestination } from '../../../../src/sinks/change-table/section.ts';
import type { SinkEntry } from '../../../../src/sinks/contract.ts';
import { sinkSettings } from '../../../support/fixtures/captured.ts';
import { type Bench, changeTableBench } from '../../../support/fixtures/change-table.ts';

const DAY = 86_400;

describe('retention jobs', () => {
  let bench: Bench;
  before(async () => {
    bench = await changeTableBench('other');
  });
  after(() => bench.drop());
  let role: string | undefined;
  const urlOfRole = (): string =>
    role === undefined
      ? bench.destinationUrl
      : Object.assign(new URL(bench.destinationUrl), { username: encodeURIComponent(role), password: 'plain' }).href;

  it('show that they fail, until they succeed', async () => {
    const policy = { by: 'job', keep_seconds: DAY, every_seconds: 600 } as const;
    await bench.open({ retention: policy });
    const { rows } = await bench.messages.db.query<{ no: number; name: string }>(
      'select no, name from millrace_private.sinks where id = $1',
      [bench.retentionId],
    );
    const { no, name } = rows[0]!;
    const destination: ChangeTableDestination = {
      type: 'change_table',
      database: 'archive',
      table_schema: 'public',
      table_name: 'orders_events',
      retention: policy,
      create_if_not_exists: true,
    };
    const sink: SinkEntry<ChangeTableDestination> = {
      id: bench.retentionId,
      no,
      name,
      settings: sinkSettings({ name, destination }),
      sourceId: 'shop',
      secret: () => null,
      reach: { allowed: 'declared' },
    };
    let ifMissing = (): Promise<unknown> => Promise.resolve();
    const missing = (db: Database): Database => ({
      ...db,
      session: (work) =>
        db.session(work).catch(async (error: unknown) => {
          await ifMissing();
          throw error;
        }),
    });
    const expiries = openExpiries({
      jobs: () => {
        throw new Error('no job is added here');
      },
      load: async () => ({
        sinks: [sink],
        openDatabase: async () => ({
          db: missing(openPool({ address: urlOfRole(), max: 1, applicationName: 'millrace test' })),
          refuseSharedSessions: async () => undefined,
        }),
      }),
      messages: bench.messages.db,
      log: createLog({ level: 'silent' }),
    });
    const run = async (): Promise<{ reasons: string[]; message: string | null; remedy: string | null }> => {
      await expiries.task({ sink: no }, new AbortController().signal);
      const status = await bench.messages.db.query<{
        reasons: string[];
        message: string | null;
        remedy: string | null;
      }>(
        `select reasons, notices->0->>'message' as message, notices->0->>'remedy' as remedy from millrace.sink_status where sink_name = $1`,
        [name],
      );
      return status.rows[0]!;
    };
    const lastRun = async () =>
      (
        await bench.messages.db.query<{ deleted: number; error: string | null; next: number }>(
          `select deleted, error, extract(epoch from next_at - ran_at)::integer as next
             from millrace_private.retention_runs where sink_no = $1`,
          [no],
        )
      ).rows[0];
    expect((await run()).reasons).to.not.include('job_fails');
    expect(await lastRun()).to.deep.equal({ deleted: 0, error: null, next: 600 });
    await bench.destination.query('alter table orders_events rename column committed_at to committed');
    const failing = await run();
    expect(failing.reasons).to.include('job_fails');
    expect((await lastRun())!.error).to.contain('committed_at');
    expect(failing.message).to.match(/^old entries of public\.orders_events cannot be deleted: .*committed_at/);
    await bench.destination.query('alter table orders_events rename column committed to committed_at');
    expect((await run()).reasons).to.not.include('job_fails');
    // Also when it is another table that a trigger looks for.
    const oldEntry = `insert into orders_events (seq, source_database_id, source_table_oid, source_table_schema, source_table_name, record_pk, record, action, committed_at)
       values (1, gen_random_uuid(), 1, 'public', 'orders', '1', '{}', 'insert', '2020-01-01')`;
    await bench.destination.query(
      `${oldEntry}; create function archive_entry() returns trigger language plpgsql as 'begin insert into archived values (old.id); return old; end';
       create trigger archive_entry before delete on orders_events for each row execute function archive_entry()`,
    );
    const hidden = await run();
    expect(hidden.message).to.contain('relation "archived" does not exist');
    await bench.destination.query('create table archived (id bigint)');
    expect((await run()).reasons).to.not.include('job_fails');
    expect(await lastRun()).to.deep.equal({ deleted: 1, error: null, next: 600 });
    // With the rights that writing needs, and no others.
    role = `Schreibt "nur" ${process.pid}`;
    const quoted = quoteIdentifier(role);
    await bench.destination.query(
      `create role ${quoted} login password 'plain'; grant insert on orders_events to ${quoted}`,
    );
    try {
      const { message, remedy } = await run();
      expect(message).to.match(/cannot be deleted: permission denied for table orders_events$/);
      await bench.destination.query(remedy!.replace(/^Run there: /, ''));
      expect((await run()).reasons).to.not.include('job_fails');
      // Of what a trigger may not do, that is no remedy.
      await bench.destination.query(oldEntry);
      const ofTrigger = await run();
      expect(ofTrigger.message).to.match(/permission denied for table archived$/);
      expect(ofTrigger.remedy).to.match(/^Fix what the message says/);
      await bench.destination.query('drop trigger archive_entry on orders_events');
      expect((await run()).reasons).to.not.include('job_fails');
    } finally {
      await bench.destination.query(`drop owned by ${quoted}; drop role ${quoted}`);
      role = undefined;
    }
    // What is not there yet is the sink's own matter.
    await bench.destination.query('alter table orders_events rename to elsewhere');
    expect((await run()).reasons).to.not.include('job_fails');
    // Nor when the sink makes it a moment later.
    ifMissing = () => bench.destination.query('alter table if exists elsewhere rename to orders_events');
    expect((await run()).reasons).to.not.include('job_fails');
    expect(await lastRun()).to.deep.include({ error: null });
  });
});
