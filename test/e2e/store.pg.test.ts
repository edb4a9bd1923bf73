/**
 * The message database is away, full, out of connections, slow, cut off in the middle of a transaction: capture waits
 * with bounded memory and confirms nothing, the pull API says 503 and when to come again, and everything goes on by
 * itself when it is back, with nothing lost or doubled. The source away: that is a state with a reason.
 */
import { expect } from 'chai';
import { type BulkServer, startBulkServer } from '../support/engines/bulk-server.ts';
import {
  accountsYaml,
  EVERY_SINK,
  expectChangeTables,
  expectCrowd,
  expectIndexes,
  INDEXES,
  readPlain,
  readShaped,
} from '../support/outages/accounts.ts';
import { createWriters, LEDGER_SCHEMA, seeded, type Writers } from '../support/outages/ledger.ts';
import { readerPid } from '../support/postgres/capture-way.ts';
import { type PostgresRelay, startPostgresRelay } from '../support/postgres/postgres-relay.ts';
import { startService, stopServices, type TestService } from '../support/processes/service.ts';
import { type Store, startStore } from '../support/processes/store.ts';
import { CONNECTIONS_MAX, startWatch, type Watch } from '../support/processes/watch.ts';
import { createWorld, TOKEN, type World } from '../support/processes/world.ts';
import { pullByHttp, pullBySql } from '../support/pull/client.ts';
import { type Crowd, startCrowd } from '../support/pull/crowd.ts';
import { promised, until } from '../support/until.ts';

const SEED = Number(process.env.SEED ?? 7_378);
const RSS_MAX_MB = 256;
/** From the moment that the message database is back. */
const RECOVERY_MS = 45_000;

describe('store trouble', function () {
  this.timeout(120_000);
  let store: Store;
  let source: PostgresRelay;
  let world: World;
  let engine: BulkServer;
  let service: TestService;
  let writers: Writers;
  let crowds: Crowd[];
  let watch: Watch;
  let pids: string[];

  before(async () => {
    store = await startStore();
    world = await createWorld(LEDGER_SCHEMA, { messages: store });
    await world.shop.query(
      `do $$ begin execute format('alter database %I set wal_sender_timeout = ''3s''', current_database()); end $$`,
    );
    source = await startPostgresRelay(world.shopUrl);
    engine = await startBulkServer({ indexes: INDEXES });
    // The retention in the source's own database does not go through the relay.
    const yaml = `${world.yaml}  - { name: shop-itself, url: "${world.shopUrl}", ssl: false }\n`
      .replace(world.shopUrl, source.url)
      .concat(accountsYaml(engine.url).replace('destination_database: shop', 'destination_database: shop-itself'));
    service = await startService({ databaseUrl: world.messagesUrl, yaml });
    watch = startWatch(world);
    writers = createWriters(world.shop, SEED, 2);
    const crowd = (name: string, read: typeof readPlain, seed: number): Crowd => {
      const bySql = pullBySql(world.messages, name, { shaped: read === readShaped });
      return startCrowd({ clients: [pullByHttp(service.url, name), bySql], random: seeded(seed), read });
    };
    crowds = [crowd('accounts-pull', readPlain, SEED + 1), crowd('accounts-shaped', readShaped, SEED + 2)];
    for (const each of crowds) each.finish();
    await load();
    await world.settled(EVERY_SINK);
    pids = await roles();
  });
  after(async () => {
    await Promise.all([...(crowds ?? []).map((crowd) => crowd.stop()), watch?.stop()]);
    await stopServices();
    await engine?.close();
    await source?.close();
    await world?.drop();
  });
  afterEach(async function () {
    // What a failed test left behind is not the next one's trouble.
    store.relay.delay(0);
    store.relay.loseCommits(false);
    if (this.currentTest?.state !== 'failed') return;
    console.error(`SEED=${SEED}\n${service.output().slice(-6_000)}\n${await positions().catch(String)}`);
  });

  /** What is recorded, what is confirmed, and who has a transaction open. */
  const positions = async (): Promise<string> => {
    const log = await world.messages.query(
      `select g.seq, g.confirmed_lsn::text, g.commit_lsn::text, g.xmin::text, pg_current_wal_lsn()::text as wal
         from millrace_private.position_log g order by g.seq desc limit 8`,
    );
    const open = await world.messages.query(
      `select a.pid, a.application_name, a.state, a.backend_start, a.xact_start, a.query
         from pg_stat_activity a where a.xact_start is not null`,
    );
    const [faults, seen] = [watch.faults.slice(0, 3), await reader()];
    return JSON.stringify({ faults, slot: seen, log: log.rows, open: open.rows }, null, 1);
  };

  const load = (): Promise<void> => writers.write(writers.written + 100);
  /** Several megabytes in one transaction: more than capture keeps. */
  const large = async (): Promise<void> => {
    const steps = Array.from({ length: 300 }, (_, place) => [
      'put',
      1 + (place % 60),
      'south',
      `${place} `.repeat(1_500),
    ]);
    await world.shop.query('select churn($1::jsonb)', [JSON.stringify(steps)]);
  };
  const roles = async (): Promise<string[]> =>
    (await Promise.all((['capture', 'worker', 'web'] as const).map((role) => service.find(role)))).map(
      (process) => `${process?.pid} ${process?.args}`,
    );
  const ask = async (): Promise<Response> => {
    const response = await fetch(`${service.url}/api/http_pull_consumers/accounts-pull/receive`, {
      method: 'POST',
      headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' },
      body: JSON.stringify({ batch_size: 1 }),
    });
    return response;
  };
  /** The pull API refuses, and says when to come again; it never says anything else. */
  const refused = async (): Promise<void> => {
    const answer = await until('the pull API refuses', async () => {
      const response = await ask();
      const text = await response.text();
      return response.status !== 200 && { status: response.status, after: response.headers.get('retry-after'), text };
    });
    expect([answer.status, answer.after], answer.text).to.deep.equal([503, '1']);
    expect(JSON.parse(answer.text)).to.have.property('code', 'unavailable');
  };
  const captureState = async (): Promise<{ state: string; reason: string | null }> => {
    const sql = "select state, reason from millrace.database_status where database_name = 'shop'";
    return (await world.messages.query<{ state: string; reason: string | null }>(sql)).rows[0]!;
  };
  /** Who reads the source, and what its slot was told, if there is one. */
  const reader = async (): Promise<{ pid: number | null; confirmed: string | undefined }> => {
    const sql = 'select confirmed_flush_lsn::text as confirmed from pg_replication_slots where slot_name = $1';
    const { rows } = await world.shop.query<{ confirmed: string }>(sql, [world.slot]);
    return { pid: await readerPid(world.shop, world.slot), confirmed: rows[0]?.confirmed };
  };
  const expectSmall = async (): Promise<void> => {
    for (const role of ['capture', 'worker', 'web'] as const) {
      expect((await service.find(role))?.rssMb, role).to.be.within(20, RSS_MAX_MB);
    }
  };

  /** Everything goes on by itself, in the same processes, and holds what it must. */
  const recovered = async (): Promise<void> => {
    const begun = performance.now();
    await load();
    await until('the pull API answers', async () => (await ask()).status === 200, RECOVERY_MS);
    await until('capture streams', async () => (await captureState()).state === 'streaming', RECOVERY_MS);
    await world.settled(EVERY_SINK, RECOVERY_MS);
    expect(performance.now() - begun).to.be.lessThan(promised(RECOVERY_MS));
    expect(await roles()).to.deep.equal(pids);
    const circuits = await world.messages.query('select sink_no, reason, error from millrace_private.circuits');
    expect(circuits.rows).to.deep.equal([]);
    const changes = await expectChangeTables(world);
    await expectIndexes(world, engine);
    expectCrowd(crowds[0]!, changes, 'accounts-pull');
    const notWest = changes.filter(({ record }) => record.region !== 'west');
    expectCrowd(crowds[1]!, notWest, 'accounts-shaped');
    expect(watch.faults).to.deep.equal([]);
  };

  it('stopped, and started again', async () => {
    const writing = load();
    await store.stopServer();
    await refused();
    expect((await fetch(`${service.url}/livez`)).status).to.equal(200);
    expect((await fetch(`${service.url}/readyz`)).status).to.equal(503);
    await writing;
    await load();
    await large();
    await until('the log says so', () => service.output().includes('capture interrupted'));
    const { confirmed } = await reader();
    await expectSmall();
    expect((await reader()).confirmed).to.equal(confirmed);
    await store.startServer();
    await watch.begin();
    await recovered();
  });

  it('full', async () => {
    await world.messages.query(`
      create function public.full_disk() returns trigger language plpgsql as $$
      begin
        raise exception 'could not extend file: No space left on device' using errcode = 'disk_full';
      end $$`);
    const tables = ['position_log', 'cursor_log', 'leases'];
    for (const table of tables) {
      await world.messages.query(
        `create trigger full_disk before insert on millrace_private.${table} execute function public.full_disk()`,
      );
    }
    await load();
    await large();
    const shown = await until('the state says so', async () => {
      const found = await captureState();
      return found.state === 'error' && found;
    });
    expect(shown.reason).to.contain('No space left on device');
    const { rows } = await world.messages.query('select distinct health from millrace.sink_status');
    expect(rows).to.deep.equal([{ health: 'source_error' }]);
    await expectSmall();
    for (const table of tables) await world.messages.query(`drop trigger full_disk on millrace_private.${table}`);
    await recovered();
  });

  it('out of connections', async () => {
    const limit = (connections: number) =>
      world.messages.query(`alter database messages connection limit ${connections}`);
    await limit(0);
    const ended = await world.messages.query(
      "select pg_terminate_backend(pid) from pg_stat_activity where application_name like 'millrace %'",
    );
    expect(ended.rowCount).to.be.greaterThan(3);
    await refused();
    await load();
    await large();
    await until('the log says so', () => service.output().includes('too many connections'));
    await expectSmall();
    await limit(-1);
    await watch.begin();
    await recovered();
  });

  it('slow: two seconds a statement', async () => {
    const before = await reader();
    const said = service.output().length;
    store.relay.delay(2_000);
    await load();
    await large();
    // Longer than the source's patience: keep-alives are answered meanwhile.
    const end = performance.now() + 7_000;
    await until('twice the wal_sender_timeout has passed', () => performance.now() > end);
    await expectSmall();
    expect((await reader()).pid).to.equal(before.pid);
    expect((await captureState()).state).to.equal('streaming');
    store.relay.delay(0);
    await recovered();
    // Lanes that wait for each other's connections have not failed.
    expect(service.output().slice(said)).not.to.match(/timeout exceeded when trying to connect|Failed task/);
  });

  it('cut off in the middle of transactions, and at their commits', async () => {
    // Each try takes the position over. (The log says it once.)
    const tries = async (): Promise<number> => {
      const { rows } = await world.messages.query<{ generation: number }>(
        'select max(p.generation)::integer as generation from millrace_private.positions p',
      );
      return rows[0]!.generation;
    };
    const before = await tries();
    store.relay.loseCommits(true);
    // What is persisted before the answer is lost is not tried again: there must be more.
    await until('it was cut off several times', async () => {
      await load();
      return (await tries()) >= before + 4;
    });
    store.relay.loseCommits(false);
    await watch.begin();
    await recovered();
  });

  it('the source away, with the message database up', async () => {
    await source.leave();
    const shown = await until('the state says so', async () => {
      const found = await captureState();
      return found.state === 'error' && found.reason?.includes('ECONNREFUSED') && found;
    });
    expect(shown.reason).to.contain('127.0.0.1');
    const { rows } = await world.messages.query('select distinct health from millrace.sink_status');
    expect(rows).to.deep.equal([{ health: 'source_error' }]);
    expect((await ask()).status).to.equal(200);
    await load();
    await source.comeBack();
    await recovered();
  });

  it('all roles together kept to their connections', () => {
    expect(watch.looks).to.be.greaterThan(100);
    expect(watch.connections).to.be.within(5, CONNECTIONS_MAX);
  });
});
