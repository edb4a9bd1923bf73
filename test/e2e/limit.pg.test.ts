/**
 * A plan with 20 connections: two of each role want 22, and a deploy has twice as many for a while. Everything goes on with
 * what there is, whoever has none waits and says so once, and the new ones work as soon as the old ones are gone.
 */
import { expect } from 'chai';
import pg from 'pg';
import { type BulkServer, startBulkServer } from '../support/engines/bulk-server.ts';
import { accountsYaml, expectChangeTables, expectIndexes, INDEXES, PUSHED } from '../support/outages/accounts.ts';
import { createWriters, LEDGER_SCHEMA, type Writers } from '../support/outages/ledger.ts';
import { createService, runMain, SECRET_KEY, stopServices, type TestService } from '../support/processes/service.ts';
import { createWorld, TOKEN, type World } from '../support/processes/world.ts';
import { until } from '../support/until.ts';

const LIMIT = 20;
const ROLE = `plan_${process.pid}`;
const WORDS = ['capture', 'worker', 'web'] as const;

describe('a role with 20 connections', function () {
  this.timeout(150_000);
  let world: World;
  let engine: BulkServer;
  let writers: Writers;
  let url: string;
  let old: TestService[];
  let fresh: TestService[] = [];

  before(async () => {
    world = await createWorld(LEDGER_SCHEMA);
    engine = await startBulkServer({ indexes: INDEXES });
    await world.messages.query(`create role ${ROLE} login password 'plan' connection limit ${LIMIT}`);
    await world.messages.query(`do $$ declare o record; begin
      execute format('alter database %I owner to ${ROLE}', current_database());
      for o in select nspname from pg_namespace where nspname like 'millrace%' loop
        execute format('drop schema %I cascade', o.nspname);
      end loop; end $$`);
    const own = new URL(world.messagesUrl);
    own.username = ROLE;
    own.password = 'plan';
    url = own.href;
    // A change table lies in the message database too, and takes connections of the same role.
    const yaml = (world.yaml + accountsYaml(engine.url)).replace(
      `home, url: "${world.messagesUrl}"`,
      `home, url: "${url}"`,
    );
    expect(yaml).to.include(`"${url}"`);
    const env = {
      DATABASE_URL: url,
      SECRET_KEY,
      CONFIG_FILE_YAML: Buffer.from(yaml).toString('base64'),
    };
    const migrated = await runMain('migrate', env);
    expect(migrated.code, migrated.stderr).to.equal(0);
    writers = createWriters(world.shop, 1, 2);
  });
  after(async () => {
    await stopServices();
    await engine?.close();
    await world?.messages
      .query(`reassign owned by ${ROLE} to current_user; drop owned by ${ROLE}`)
      .catch(() => undefined);
    await world?.messages.query(`drop role if exists ${ROLE}`).catch(() => undefined);
    await world?.drop();
  });
  afterEach(function () {
    if (this.currentTest?.state !== 'failed') return;
    for (const part of [...(old ?? []), ...fresh]) console.error(part.output().slice(-1_500));
  });

  const twoOfEach = async (): Promise<TestService[]> =>
    await Promise.all(
      [...WORDS, ...WORDS].map((word) =>
        createService({ databaseUrl: world.messagesUrl, word, env: { DATABASE_URL: url } }),
      ),
    );
  const used = async (): Promise<number> => {
    const sql = 'select count(*)::integer as n from pg_stat_activity where usename = $1';
    return (await world.messages.query<{ n: number }>(sql, [ROLE])).rows[0]!.n;
  };
  const status = async (part: TestService, path: string): Promise<number> =>
    await fetch(`${part.url}${path}`, { signal: AbortSignal.timeout(5_000) }).then(
      async (response) => {
        await response.arrayBuffer();
        return response.status;
      },
      () => 0,
    );
  const receives = async (part: TestService): Promise<boolean> => {
    const response = await fetch(`${part.url}/api/http_pull_consumers/accounts-pull/receive?batch_size=1`, {
      headers: { Authorization: `Bearer ${TOKEN}` },
    });
    await response.arrayBuffer();
    return response.status === 200;
  };
  const delivers = async (): Promise<void> => {
    await writers.write(writers.written + 200);
    await world.settled(PUSHED, 30_000);
  };

  it('two of each role share them', async () => {
    old = await twoOfEach();
    // Ready for a capture is: it streams; only one does.
    await Promise.all(old.map((part) => part.start({ wait: false })));
    const webs = [old[2]!, old[5]!];
    for (const web of webs) await until('web is ready', async () => (await status(web, '/readyz')) === 200, 30_000);
    // What is written before there is a slot is nobody's to deliver.
    const streams = "select from millrace.database_status where database_name = 'shop' and state = 'streaming'";
    await until('one captures', async () => (await world.messages.query(streams)).rowCount === 1, 30_000);
    await delivers();
    for (const web of webs) await until('it receives', () => receives(web));
    expect(await used()).to.be.at.most(LIMIT);
  });

  it('a release migrates meanwhile', async () => {
    const { code, stderr } = await runMain('migrate', { DATABASE_URL: url, SECRET_KEY });
    expect(code, stderr).to.equal(0);
  });

  it('and two more of each, as in a deploy: nobody ends, nothing stops, the old ones stay ready', async () => {
    fresh = await twoOfEach();
    await Promise.all(fresh.map((part) => part.start({ wait: false })));
    for (const web of [fresh[2]!, fresh[5]!]) {
      await until('the new web is alive', async () => (await status(web, '/livez')) === 200, 30_000);
    }
    for (let n = 0; n < 3; n += 1) {
      await delivers();
      for (const web of [old[2]!, old[5]!]) expect(await status(web, '/readyz')).to.equal(200);
      expect(await receives(old[2]!)).to.equal(true);
    }
    for (const part of [...old, ...fresh]) expect(await part.processes(), part.output()).to.have.lengthOf.at.least(1);
  });

  it('the old ones stop, and the new ones work', async () => {
    await Promise.all(old.map((part) => part.stop()));
    for (const web of [fresh[2]!, fresh[5]!]) {
      await until('the new web is ready', async () => (await status(web, '/readyz')) === 200, 15_000);
      await until('it receives', () => receives(web), 15_000);
    }
    await delivers();
    await expectChangeTables(world);
    await expectIndexes(world, engine);
    for (const part of [...old, ...fresh]) {
      const said = part
        .output()
        .split('\n')
        .filter((line) => line.includes('gives no'));
      expect(said.length, part.output()).to.be.at.most(6);
    }
    await Promise.all(fresh.map((part) => part.stop()));
  });

  it('a process that starts when nothing is left waits, alive, and says so once', async () => {
    const clients = Array.from({ length: LIMIT }, () => new pg.Client({ connectionString: url }));
    await until('none is left', async () => (await used()) === 0);
    for (const client of clients) await client.connect();
    const [web, worker] = await Promise.all(
      (['web', 'worker'] as const).map((word) =>
        createService({ databaseUrl: world.messagesUrl, word, env: { DATABASE_URL: url } }),
      ),
    );
    await Promise.all([web!, worker!].map((part) => part.start({ wait: false })));
    await until('web is alive', async () => (await status(web!, '/livez')) === 200, 30_000);
    expect(await status(web!, '/readyz')).to.equal(503);
    expect(await status(web!, '/api/http_pull_consumers/accounts-pull/receive')).to.equal(503);
    const says = (part: TestService): string[] =>
      part
        .output()
        .split('\n')
        .filter((line) => line.includes('"msg":"the message database gives no connection now'));
    await until('both have said so', () => says(web!).length > 0 && says(worker!).length > 0, 30_000);
    await Promise.all(clients.map((client) => client.end()));
    await until('web is ready', async () => (await status(web!, '/readyz')) === 200, 15_000);
    await until('it receives', () => receives(web!));
    await until('the worker runs', () => worker!.output().includes('"started"'), 15_000);
    for (const part of [web!, worker!]) {
      expect((await part.stop()).code).to.equal(0);
      expect(says(part), part.output()).to.have.lengthOf(1);
    }
  });
});
