/** The SQL that people are told to run, run as it is printed: with pg_cron and pg_partman 4 of a real Postgres 15, pg_partman 5 on 18. */
import { expect } from 'chai';
import pg from 'pg';
import { type Database, openPool } from '../../../../src/db/pool.ts';
import type { QuotedTable } from '../../../../src/model/quote.ts';
import { quoteTable } from '../../../../src/model/quote.ts';
import { instructions } from '../../../../src/sinks/change-table/policies/instructions.ts';
import { verifyChangeTable } from '../../../../src/sinks/change-table/table.ts';
import { hasExtension15, partman5Obstacle, withPartman5 } from '../../../support/postgres/extensions.ts';
import { type Cluster, startCluster } from '../../../support/postgres/postgres.ts';

const NAMES = [
  { schema: 'public', name: 'orders_events' },
  { schema: 'My "own" Schema', name: 'Ann "s" $$ Events' },
  { schema: 'public', name: `A${'long_name_'.repeat(5)}` },
];
const KEEP = '30 days';

/** Entries of these ages. */
const insert = (table: string, ages: readonly string[]): string => `
  insert into ${table} (seq, source_database_id, source_table_oid, source_table_schema, source_table_name, record_pk, record,
                        action, committed_at)
  select n, gen_random_uuid(), 1, 's', 't', n, '{}', 'insert', now() - age
    from unnest('{${ages.join(',')}}'::interval[]) with ordinality as a (age, n)`;

describe('the printed SQL with pg_cron', () => {
  let cluster: Cluster;
  /** The database that has pg_cron. */
  let cron: pg.Client;

  before('needs postgresql-15-cron', async function () {
    if (!hasExtension15('pg_cron')) this.skip();
    const settings = { shared_preload_libraries: 'pg_cron', 'cron.database_name': 'postgres' };
    cluster = await startCluster({ major: 15, settings });
    const url = new URL(cluster.adminUrl);
    url.pathname = '/postgres';
    cron = new pg.Client({ connectionString: url.href });
    await cron.connect();
    await cron.query(`create schema "My ""own"" Schema"`);
  });
  after(async () => {
    await cron?.end();
    await cluster?.stop();
  });

  const jobs = async (): Promise<{ jobname: string; schedule: string; command: string; database: string }[]> =>
    (await cron.query(`select jobname, schedule, command, database from cron.job where active order by jobid`)).rows;
  const left = async (client: pg.Client, table: string): Promise<number[]> =>
    (await client.query<{ seq: string }>(`select seq from ${table} order by seq`)).rows.map(({ seq }) => Number(seq));

  for (const table of [...NAMES, { schema: 'public', name: "it's $q1$" }]) {
    it(`schedules a job that deletes what is 31 days old from ${quoteTable(table)}`, async () => {
      const sql = instructions({ table, variant: 'pg_cron', keep: KEEP });
      await cron.query(sql);
      const before = await jobs();
      const job = before.at(-1)!;
      expect(job).to.include({ schedule: '*/10 * * * *', database: 'postgres' });
      const name = quoteTable(table);
      expect(job.command).to.equal(`delete from ${name} where committed_at < now() - interval '30 days'`);
      const { rows } = await cron.query('select current_database()');
      expect(rows[0].current_database).to.equal('postgres');
      await cron.query(insert(name, ['1 day', '31 days', '29 days 23 hours', '30 days 1 hour', '0']));
      await cron.query(job.command);
      expect(await left(cron, name)).to.deep.equal([1, 3, 5]);
      await cron.query(sql);
      expect(await jobs(), 'the same job, not another one').to.deep.equal(before);
    });
  }

  it('schedules it from the database that has pg_cron, for one that has not', async () => {
    const archive = await cluster.createDatabase();
    const table = { schema: 'public', name: 'Orders Events' };
    const elsewhere = { cronDatabase: 'postgres', database: archive.name };
    const sql = instructions({ table, variant: 'pg_cron', keep: KEEP, elsewhere });
    const [there, here] = sql.split('-- In database postgres, which has pg_cron:\n');
    expect(there).to.match(new RegExp(`^-- In database ${archive.name}:\n`));
    const client = new pg.Client({ connectionString: archive.url });
    await client.connect();
    await client.query(there!);
    await cron.query(here!);
    const job = (await jobs()).at(-1)!;
    expect(job).to.include({ schedule: '*/10 * * * *', database: archive.name });
    await client.query(insert('"Orders Events"', ['31 days', '29 days']));
    await client.query(job.command);
    expect(await left(client, '"Orders Events"')).to.deep.equal([2]);
    await client.end();
    await cron.query('select cron.unschedule(jobid) from cron.job');
    await archive.drop();
  });
});

for (const version of [4, 5] as const) {
  describe(`the printed SQL with pg_partman ${version}`, () => {
    let cluster: Cluster;
    let client: pg.Client;
    let db: Database;
    let files: Awaited<ReturnType<typeof withPartman5>> | undefined;

    before(`needs pg_partman ${version}`, async function () {
      const obstacle = version === 5 ? partman5Obstacle() : undefined;
      if (obstacle !== undefined) console.log(`    ${obstacle}`);
      if (obstacle !== undefined || (version === 4 && !hasExtension15('pg_partman'))) this.skip();
      if (version === 5) files = await withPartman5();
      cluster = await startCluster(files ? { settings: files.settings } : { major: 15 });
      const { url } = await cluster.createDatabase();
      client = new pg.Client({ connectionString: url });
      await client.connect();
      db = openPool({ address: url, max: 1, applicationName: 'millrace test', path: 'role' });
      await client.query(`create schema "My ""own"" Schema"`);
    });
    after(async () => {
      await client?.end();
      await db?.close();
      await cluster?.stop();
      await files?.remove();
    });

    const days = async (table: string): Promise<number[]> => {
      const { rows } = await client.query<{ day: number }>(
        `select floor(extract(epoch from (substring(pg_get_expr(c.relpartbound, c.oid) from $$FROM \\('([^']+)'$$)::timestamptz
                                          - date_trunc('day', now()))) / 86400 + 0.5)::int as day
           from pg_inherits i join pg_class c on c.oid = i.inhrelid
          where i.inhparent = $1::regclass order by day`,
        [table],
      );
      return rows.map(({ day }) => day);
    };

    it('is what a table that is missing is to be made by, whatever the database has of the extension', async () => {
      const policy = { by: 'pg_partman', keep_seconds: 30 * 86_400, interval_seconds: 86_400 } as const;
      await client.query('drop schema if exists partman cascade');
      for (const name of ['first', 'second']) {
        const table = { schema: 'public', name };
        const { faults } = await verifyChangeTable(db, table, policy);
        expect(faults).to.deep.include({
          ...faults[0]!,
          kind: 'missing',
          field: 'table',
          sql: printed(table, version),
        });
        await client.query(faults[0]!.sql!);
        expect(await days(name)).to.have.length(9);
        expect(await verifyChangeTable(db, table, policy)).to.deep.equal({ faults: [], warnings: [] });
      }
      await client.query('drop table first, second; delete from partman.part_config');
    });

    for (const table of NAMES) {
      it(`makes and drops partitions of ${quoteTable(table)}`, async () => {
        await client.query(printed(table, version));
        const { rows: installed } = await client.query(
          `select split_part(extversion, '.', 1)::int as major from pg_extension where extname = 'pg_partman'`,
        );
        expect(installed).to.deep.equal([{ major: version }]);
        const name = quoteTable(table);
        expect(await days(name), 'a day each, four ahead, and no default one').to.deep.equal([
          -4, -3, -2, -1, 0, 1, 2, 3, 4,
        ]);
        expect(await verifyChangeTable(db, table, null)).to.deep.equal({ faults: [], warnings: [] });
        const parent = `${table.schema}.${table.name}`;
        const { rows: config } = await client.query(
          `select control, partition_type, partition_interval::interval = '1 day' as daily, retention, retention_keep_table,
                  infinite_time_partitions, automatic_maintenance, template_table
             from partman.part_config where parent_table = $1`,
          [parent],
        );
        expect(config).to.deep.equal([
          {
            control: 'committed_at',
            partition_type: version === 4 ? 'native' : 'range',
            daily: true,
            retention: KEEP,
            retention_keep_table: false,
            infinite_time_partitions: true,
            automatic_maintenance: 'on',
            template_table: parent,
          },
        ]);
        await client.query(
          // At midnight: a partition begins where it is told to.
          `select partman.create_partition_time($1, array[date_trunc('day', now()) - interval '32 days',
                                                          date_trunc('day', now()) - interval '28 days'])`,
          [parent],
        );
        await client.query(insert(name, ['32 days', '28 days', '0']));
        await client.query(`do $do$ begin execute (select 'drop table ' || inhrelid::regclass from pg_inherits
          join pg_class c on c.oid = inhrelid where inhparent = '${name.replaceAll("'", "''")}'::regclass
          order by pg_get_expr(c.relpartbound, c.oid) desc limit 1); end $do$`);
        expect(await days(name)).to.deep.equal([-32, -28, -4, -3, -2, -1, 0, 1, 2, 3]);
        await client.query('select partman.run_maintenance()');
        // In the second half of a day it may count the day as over, and makes one more.
        const kept = (await days(name)).filter((day) => day < 5);
        expect(kept).to.deep.equal([-28, -4, -3, -2, -1, 0, 1, 2, 3, 4]);
        const { rows } = await client.query(`select seq::int from ${name} order by seq`);
        expect(rows).to.deep.equal([{ seq: 2 }, { seq: 3 }]);
      });
    }
  });
}

/** What the command line prints. */
const printed = (table: QuotedTable, version: 4 | 5): string =>
  instructions({ table, variant: 'pg_partman', keep: KEEP, interval: '1 day', version });
