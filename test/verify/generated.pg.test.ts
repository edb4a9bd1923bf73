/**
 * Generated columns, sent or not: the stream, a backfill, a replay, verify and its repair have the same ones, so that none of
 * them undoes what another one wrote.
 */
import { expect } from 'chai';
import { type BulkServer, startBulkServer } from '../support/engines/bulk-server.ts';
import { backfilled, backfillsOf } from '../support/fixtures/backfilled.ts';
import { type RunVerify, verification } from '../support/fixtures/verification.ts';
import { ofReplication } from '../support/postgres/capture-way.ts';
import { type Cluster, hasPostgres15, sharedCluster, startCluster } from '../support/postgres/postgres.ts';
import { startService, stopServices } from '../support/processes/service.ts';
import { createWorld, type World } from '../support/processes/world.ts';
import { until } from '../support/until.ts';

interface Case {
  title: string;
  major?: 15;
  declare?: (title: string, run: Mocha.AsyncFunc) => void;
  /** Before the service makes a publication. */
  also?: string;
  /** What comes of the generated columns. */
  sent: (a: number) => object;
}

const TABLE = `create table sums (id int primary key, a int, twice int generated always as (a * 2) stored, b text);
  insert into sums (id, a, b) select n, n, 'b' || n from generate_series(1, 30) n;`;
const VIRTUAL = 'alter table sums add half int generated always as (a / 2) virtual;';

const CASES: Case[] = [
  { title: 'of Postgres 15', major: 15, sent: (a) => ({ twice: a * 2 }) },
  {
    title: 'of Postgres 15 with a full identity',
    major: 15,
    also: 'alter table sums replica identity full',
    sent: (a) => ({ twice: a * 2 }),
  },
  {
    title: 'of Postgres 15 that a function of the user makes',
    major: 15,
    also: `create function double(a int) returns int immutable language sql as 'select a * 2';
      alter table sums drop twice; alter table sums add twice int generated always as (double(a)) stored`,
    sent: () => ({}),
  },
  { title: 'that are published', also: VIRTUAL, sent: (a) => ({ twice: a * 2 }) },
  {
    title: 'that are not published',
    also: `${VIRTUAL} create publication of_the_test for table sums`,
    sent: () => ({}),
  },
  {
    title: 'that a list of columns names',
    declare: ofReplication('lists of columns are for it').it,
    also: `${VIRTUAL} create publication of_the_test for table sums (id, a, twice, b)`,
    sent: (a) => ({ twice: a * 2 }),
  },
];

const sinksOf = (engine: BulkServer): string => `
sinks:
  - name: index
    database: shop
    initial_backfill: true
    source: { include_tables: [sums] }
    destination: { type: elasticsearch, endpoint_url: "${engine.url}", index_name: sums, auth_type: none }
change_retentions:
  - name: history
    source_database: shop
    source_table_name: sums
    destination_database: archive
    destination_table_name: sums_events
    create_if_not_exists: true
`;

describe('verify and generated columns', function () {
  this.timeout(120_000);
  const clusters: Cluster[] = [];
  let engine: BulkServer;
  let world: World;
  let verify: RunVerify;

  afterEach(async () => {
    await stopServices();
    await engine?.close();
    await world?.drop();
  });
  after(async () => {
    for (const cluster of clusters) await cluster.stop();
  });

  const cluster15 = async (): Promise<Cluster> => {
    const [known] = clusters;
    if (known) return known;
    const made = await startCluster({ major: 15 });
    clusters.push(made);
    return made;
  };
  const isClean = async (what: string): Promise<void> => {
    await world.settled(['index', 'history'], 20_000);
    const { code, out } = await verify('index');
    expect(code, `${what}\n${out}`).to.equal(0);
  };

  for (const { title, major, declare = it, also = '', sent } of CASES) {
    declare(`agree about those ${title}`, async function () {
      if (major === 15 && !hasPostgres15()) return this.skip();
      engine = await startBulkServer({ indexes: ['sums'] });
      world = await createWorld(TABLE + also, { cluster: await (major === 15 ? cluster15() : sharedCluster()) });
      await startService({ databaseUrl: world.messagesUrl, yaml: world.yaml + sinksOf(engine) });
      verify = verification(world.messagesUrl, 300);
      const document = (id: number): unknown => engine.engine.documents('sums').get(String(id));
      await until('the rows are sent', async () =>
        (await backfillsOf(world.messages)).every(({ state }) => state === 'done'),
      );
      await isClean('after the first backfill');
      expect(document(3)).to.deep.equal({ id: 3, a: 3, ...sent(3), b: 'b3' });

      await world.shop.query(
        "update sums set a = a + 1 where id < 20; insert into sums (id, a, b) values (99, 99, 'b')",
      );
      await isClean('after updates');
      expect(document(3)).to.deep.equal({ id: 3, a: 4, ...sent(4), b: 'b3' });

      await backfilled(world.messages, `'index', 'sums'`);
      await isClean('after another backfill');

      await world.messages.query("select millrace.replay('history', 'index')");
      await until('it is replayed', async () =>
        (await backfillsOf(world.messages)).every(({ state }) => state === 'done'),
      );
      await isClean('after a replay');
      expect(document(99)).to.deep.equal({ id: 99, a: 99, ...sent(99), b: 'b' });

      engine.engine.plant('sums', '5', '{"id":5,"a":6,"twice":-1,"b":"b5"}');
      const { code, out } = await verify('index', { repair: true });
      expect(out).to.contain('1 document repaired');
      expect(code).to.equal(0);
      expect(document(5)).to.deep.equal({ id: 5, a: 6, ...sent(6), b: 'b5' });
    });
  }
});
