/**
 * The user's own writes never fail because of what we publish, or say: every table that Postgres would not let be updated
 * stays out of a publication of ours, goes out when it becomes one, and is said to be broken by another's. A remedy is run
 * as it is printed, and then the table is written.
 */
import { expect } from 'chai';
import { type Captured, captured, PULL, sinkSettings } from '../support/fixtures/captured.ts';
import { ofReplication } from '../support/postgres/capture-way.ts';
import { type Cluster, eachMajor } from '../support/postgres/postgres.ts';
import { until } from '../support/until.ts';

const identity = ofReplication('triggers need no replica identity');

const TIMING = { checkMs: 150, recheckMs: 100 };

/** A table `t` with a column `n`, and what makes it hard to publish. */
const TABLES: Record<string, string> = {
  'a deferrable key': 'create table t (id int primary key deferrable, n int)',
  'a deferrable key that is deferred': 'create table t (id int primary key deferrable initially deferred, n int)',
  'no key': 'create table t (id int, n int)',
  'no key, though a unique index': 'create table t (id int not null unique, n int)',
  'replica identity nothing': 'create table t (id int primary key, n int); alter table t replica identity nothing',
  'an identity whose index is gone': `create table t (id int primary key, n int, code int not null default 1);
    create unique index chosen on t (code); alter table t replica identity using index chosen; drop index chosen`,
  'no key, and an identity whose index is gone': `create table t (id int, n int, code int not null default 1);
    create unique index chosen on t (code); alter table t replica identity using index chosen; drop index chosen`,
  'partitions, a deferrable key':
    'create table t (id int primary key deferrable, n int) partition by range (id); create table t_1 partition of t for values from (0) to (1000)',
  'partitions, no key':
    'create table t (id int, n int) partition by range (id); create table t_1 partition of t for values from (0) to (1000)',
  'partitions, no key, full on the root alone': `create table t (id int, n int) partition by range (id);
    create table t_1 partition of t for values from (0) to (1000); alter table t replica identity full`,
  'partitions, no key, full on each': `create table t (id int, n int) partition by range (id);
    create table t_1 partition of t for values from (0) to (1000); alter table t replica identity full; alter table t_1 replica identity full`,
  'partitions of partitions, one with identity nothing': `create table t (id int primary key, n int) partition by range (id);
    create table t_1 partition of t for values from (0) to (10) partition by range (id);
    create table t_11 partition of t_1 for values from (0) to (5); create table t_12 partition of t_1 for values from (5) to (10);
    create table t_2 partition of t for values from (10) to (1000); alter table t_12 replica identity nothing`,
  'a child that inherits': 'create table t (id int primary key, n int); create table heir () inherits (t)',
  'a generated column in a full identity': `create table t (id int, n int, twice int generated always as (n * 2) stored);
    alter table t replica identity full`,
};
/** A table that 18 alone has. */
const VIRTUAL = `create table t (id int, n int, twice int generated always as (n * 2) virtual)`;

/** Throws what Postgres says. */
async function write(on: Captured, ...tables: string[]): Promise<void> {
  for (const table of tables) {
    await on.source.query(`insert into ${table} (id, n) values (7, 0)`);
    try {
      await on.source.query(`update ${table} set n = n + 1 where id = 7`);
      await on.source.query(`delete from ${table} where id = 7`);
    } catch (error) {
      await on.source.query(`truncate ${table}`);
      throw error;
    }
  }
}

const notices = async (on: Captured, sink: number, code: string) =>
  (await on.notices(sink)).filter((one) => one.code === code && ['public.t', 'public.heir'].includes(one.table));

function suite(cluster: () => Cluster, tables: Record<string, string>): void {
  let on: Captured;
  afterEach(() => on.close());

  for (const [what, schema] of Object.entries(tables)) {
    const written = schema.includes('heir') ? ['t', 'heir'] : ['t'];
    it(`with ${what}, in a publication of ours`, async () => {
      on = await captured(schema, { cluster: cluster(), timing: TIMING });
      const sink = await on.addSink(sinkSettings({ name: 'all', destination: PULL }));
      on.start();
      await on.streaming();
      await write(on, ...written);
      const [left] = await notices(on, sink, 'not_published');
      if (!left) return;
      await runRemedy(on, left.remedy!);
      await write(on, ...written);
      await until('the table is published', async () => (await notices(on, sink, 'not_published')).length === 0);
      await write(on, ...written);
    });

    it(`with ${what}, in a publication of all tables`, async () => {
      on = await captured(`${schema}; create publication own for all tables`, {
        cluster: cluster(),
        timing: TIMING,
        settings: { publication: { name: 'own', create_if_not_exists: false, init_sql: null } },
      });
      const sink = await on.addSink(sinkSettings({ name: 'all', destination: PULL }));
      on.start();
      await on.streaming();
      const isRefused = await write(on, ...written).then(
        () => false,
        () => true,
      );
      const broken = await until('it is looked at', async () => ({ found: await notices(on, sink, 'breaks_updates') }));
      expect(broken.found.length > 0).to.equal(isRefused);
      for (const { remedy } of broken.found) await runRemedy(on, remedy!);
      await write(on, ...written);
      await until('nothing breaks', async () => (await notices(on, sink, 'breaks_updates')).length === 0);
    });
  }

  identity.it('when a published table loses its key', async () => {
    on = await captured('create table t (id int primary key, n int); create table other (id int primary key, n int)', {
      cluster: cluster(),
      timing: TIMING,
    });
    const sink = await on.addSink(sinkSettings({ name: 'all', destination: PULL }));
    on.start();
    await on.streaming();
    await write(on, 't', 'other');
    await on.source.query('alter table t drop constraint t_pkey');
    await until('it went out of the publication', async () => (await notices(on, sink, 'not_published')).length > 0);
    await write(on, 't', 'other');
    await on.source.query('insert into t values (950, 0); alter table t add primary key (id)');
    await until(
      'it came back, and what was missed is said',
      async () => (await notices(on, sink, 'changes_left_out')).length > 0,
    );
    await write(on, 't', 'other');
  });

  identity.it('when a partition comes to a table that has a key, and to one that has none', async () => {
    on = await captured(
      `create table t (id int primary key, n int) partition by range (id);
       create table u (id int, n int) partition by range (id); create table u_1 partition of u for values from (0) to (1);
       alter table u replica identity full; alter table u_1 replica identity full`,
      { cluster: cluster(), timing: TIMING },
    );
    const sink = await on.addSink(sinkSettings({ name: 'all', destination: PULL }));
    on.start();
    await on.streaming();
    await on.source.query(`create table t_1 partition of t for values from (0) to (1000);
      create table u_2 partition of u for values from (1) to (1000)`);
    await write(on, 't', 'u');
    expect(
      (await on.notices(sink)).filter(({ code }) => code === 'not_published').map(({ table }) => table),
    ).to.deep.equal(['public.u']);
  });
}

/** As printed, but for the columns of a key, which somebody must choose. */
async function runRemedy(on: Captured, remedy: string): Promise<void> {
  const rebuilt = /^Create the primary key of (\S+) again, not deferrable; then: (.*)$/.exec(remedy);
  const sql = rebuilt
    ? `alter table ${rebuilt[1]} drop constraint t_pkey; alter table ${rebuilt[1]} add primary key (id); ${rebuilt[2]}`
    : remedy.replace('(...)', '(id)');
  await on.source.query(sql);
}

/** On 18 alone. */
const VIRTUAL_TABLES: Record<string, string> = {
  'a virtual column': VIRTUAL,
  'a virtual column in a full identity': `${VIRTUAL}; alter table t replica identity full`,
  'a virtual column in a full identity, and a key': `${VIRTUAL}; alter table t add primary key (id); alter table t replica identity full`,
};

describe('writes of the user do not fail', function () {
  this.timeout(120_000);
  eachMajor((cluster, major) => suite(cluster, major === 18 ? { ...TABLES, ...VIRTUAL_TABLES } : TABLES));
});
