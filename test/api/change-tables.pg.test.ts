/** How old entries of a change table are deleted, and the SQL that makes one, over HTTP. */
import { expect } from 'chai';
import { readEntries, readRun } from '../../src/admin/change-entries.ts';
import { findSink } from '../../src/admin/find-sink.ts';
import { applyConfig } from '../../src/catalog/apply/apply.ts';
import { openPool } from '../../src/db/pool.ts';
import { KEYS, parse } from '../catalog/support.ts';
import { hasExtension15 } from '../support/postgres/extensions.ts';
import { startCluster } from '../support/postgres/postgres.ts';
import { FILE, type Managed, managed } from './support.ts';

describe('api: change tables', () => {
  let all: Managed;
  before(async () => {
    all = await managed();
  });
  after(async () => await all?.close());

  const get = async (path: string) =>
    await all.web.call('GET', `/api/change_retentions/history/${path}`, { token: 'read-token' });

  it('say how their old entries are deleted, when that was done, and what is wrong with it', async () => {
    const no = await all.noOf('history');
    const { json: fresh } = await get('policy');
    expect(fresh).to.deep.include({ by: 'job', keep: '30 days', state: 'waiting', last_run: null, reason: null });
    expect(fresh.sql).to.contain('create table if not exists');
    await all.m.db.query(
      `insert into millrace_private.retention_runs (sink_no, ran_at, deleted, next_at)
       values ($1, now(), 12, now() + interval '10 min')`,
      [no],
    );
    const { json: ran } = await get('policy');
    expect(ran).to.deep.include({ state: 'ok', deleted: 12, partitions_ahead: null });
    expect(Date.parse(ran.next_run) - Date.parse(ran.last_run)).to.equal(600_000);
    await all.m.db.query(
      `insert into millrace_private.notices (sink_no, code, table_name, message, remedy)
       values ($1, 'job_fails', 'public.b', 'cannot be deleted', 'Fix it.')`,
      [no],
    );
    const { json: failing } = await get('policy');
    expect(failing).to.deep.include({ state: 'failing', reason: 'cannot be deleted', remedy: 'Fix it.' });
  });

  it('are not found where the retention is removed after it was named', async () => {
    const { db } = all.m;
    const gone = { ...(await findSink(db, 'history')), no: 0 };
    const on = { db, messages: db, keys: KEYS, privateAllowed: 'declared' } as const;
    const wanted = { retention: gone, filter: {}, limit: 1, after: undefined, newestFirst: true };
    for (const read of [() => readRun(db, gone), () => readEntries(on, wanted, AbortSignal.timeout(60_000))]) {
      const error: unknown = await read().catch((thrown: unknown) => thrown);
      expect(error).to.include({ code: 'not_found', message: 'the change retention history is not declared any more' });
    }
  });

  it('have their SQL as declared, as asked for, and for a draft; what is wrong is said by its field', async () => {
    const { json: declared } = await get('sql');
    expect(declared.run_on).to.equal('database shop');
    expect(declared.sql).to.contain('"public"."b"').and.to.contain('committed_at');
    expect((await get('sql?variant=pg_cron&keep=2 days')).json.sql).to.contain("interval '2 days'");
    expect((await get('sql?variant=pg_cron&every=1 hour')).json.sql).to.contain("'0 * * * *'");
    expect((await get('sql?variant=pg_partman&partman_version=4')).json.sql).to.contain('partman');
    const bad = await get('sql?variant=x&keep=soon&partman_version=3&more=1');
    expect([bad.status, Object.keys(bad.json.validation_errors).toSorted()]).to.deep.equal([
      400,
      ['keep', 'more', 'partman_version', 'variant'],
    ]);
    const draft = async (body: object) =>
      await all.web.call('POST', '/api/change_retentions/sql', { token: 'read-token', body });
    const { status, json } = await draft({ destination_table_name: 'odd "name"', variant: 'job' });
    expect([status, json.run_on]).to.deep.equal([200, 'the database of the change table']);
    expect(json.sql).to.contain('"public"."odd ""name"""');
    const named = { destination_table_name: "a'b", destination_database: 'shop', variant: 'pg_partman' };
    const refused = await draft(named);
    expect([refused.status, Object.keys(refused.json.validation_errors)]).to.deep.equal([422, ['variant']]);
    for (const odd of [{ every: '7 minutes', variant: 'pg_cron' }, { every: '1 hour' }]) {
      const wrong = await draft({ destination_table_name: 'b', ...odd });
      expect([wrong.status, Object.keys(wrong.json.validation_errors)]).to.deep.equal([422, ['every']]);
    }
    expect(Object.keys((await draft({ keep: 'x' })).json.validation_errors).toSorted()).to.deep.equal([
      'destination_table_name',
      'keep',
    ]);
  });

  it('have the SQL of a job of pg_cron that runs as often as declared', async () => {
    const body = { retention: { by: 'pg_cron', every: '1 hour' } };
    expect((await all.web.call('PATCH', '/api/change_retentions/history', { body })).status).to.equal(200);
    for (const { json } of [await get('sql'), await get('policy')]) expect(json.sql).to.contain("'0 * * * *'");
    const { json } = await all.web.call('GET', '/api/change_retentions/history');
    expect(json.retention).to.deep.equal({ by: 'pg_cron', keep: '30 days', every: '1 hour' });
  });

  it('say how many partitions pg_partman has made ahead, after the SQL that makes them', async function () {
    if (!hasExtension15('pg_partman')) this.skip();
    const cluster = await startCluster({ major: 15 });
    const { url } = await cluster.createDatabase();
    const archive = openPool({ address: url, max: 1, applicationName: 'test', path: 'role' });
    try {
      const file = FILE.replace(
        'functions:',
        `  - { name: archive, url: '${url}', slot: { name: c }, publication: { name: c } }\nfunctions:`,
      )
        .replace('destination_database: shop', 'destination_database: archive')
        .replace('by: job, keep: 30 days', 'by: pg_partman, keep: 30 days, interval: 1 day');
      await applyConfig({ db: all.m.db, keys: KEYS }, parse(file).config);
      const ahead = async () => (await get('policy')).json.partitions_ahead;
      expect(await ahead(), 'there is no table').to.equal(null);
      await archive.query((await get('sql?partman_version=4')).json.sql);
      expect(await ahead()).to.equal(4);
      const { rows } = await archive.query<{ newest: string }>(
        `select max(i.inhrelid::regclass::text) as newest from pg_inherits i
          where i.inhparent = 'public.b'::regclass and i.inhrelid::regclass::text !~ 'default'`,
      );
      await archive.query(`drop table ${rows[0]!.newest}`);
      expect(await ahead()).to.equal(3);
      await archive.query('drop table public.b');
      await archive.query(`create table public.b (id bigint) partition by range (id);
        create table public.b_1 partition of public.b for values from (1) to (2)`);
      expect(await ahead(), 'partitions of numbers').to.equal(null);
    } finally {
      await archive.close();
      await cluster.stop();
    }
  });
});
