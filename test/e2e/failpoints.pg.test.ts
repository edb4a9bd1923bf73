/**
 * Each role dies by kill -9 at each place where its death could lose or double something, under a small load, and is
 * started again: every change comes out of every end, once where that is promised. In SQL the backend dies instead, at a
 * lock that it waits for. A worker that stalls past its lease settles nothing when it wakes up.
 */
import { expect } from 'chai';
import type { Failpoint } from '../../src/runtime/failpoint.ts';
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
import { createService, runMain, SECRET_KEY, stopServices, type TestService } from '../support/processes/service.ts';
import { startWatch, type Watch } from '../support/processes/watch.ts';
import { createWorld, TOKEN, type World } from '../support/processes/world.ts';
import { pullByHttp, pullBySql } from '../support/pull/client.ts';
import { type Crowd, startCrowd } from '../support/pull/crowd.ts';
import { until } from '../support/until.ts';

const SEED = Number(process.env.SEED ?? 7_376);
const CHANGES = 20;

type Role = 'capture' | 'worker' | 'web';

type Round = Record<Role, `${Failpoint}@${number}`>;

/** Where each role dies, and at which pass; one of each role in a round. In the gate each way of writing has its places. */
const IN_THE_GATE: Round[] = [
  { capture: 'capture/mid-transaction@2', worker: 'deliver/before-commit@2', web: 'receive/after-lease@2' },
  { capture: 'capture/before-confirm@2', worker: 'change-table/after-commit@2', web: 'receive/before-answer@2' },
  { capture: 'capture/before-again@3', worker: 'deliver/after-send@3', web: 'receive/after-answer@2' },
];
/** Every place; in .ci/long. */
const ELSEWHERE: Round[] = [
  { capture: 'capture/before-persist@2', worker: 'deliver/after-send@4', web: 'receive/after-lease@4' },
  { capture: 'capture/in-persist@2', worker: 'deliver/before-commit@3', web: 'receive/before-answer@3' },
  { capture: 'capture/mid-transaction@3', worker: 'deliver/after-settle@3', web: 'receive/after-answer@3' },
  { capture: 'capture/before-confirm@3', worker: 'deliver/before-store@2', web: 'receive/after-lease@3' },
  { capture: 'capture/in-persist@3', worker: 'change-table/before-commit@2', web: 'receive/after-answer@4' },
  { capture: 'capture/refused@3', worker: 'deliver/before-send@2', web: 'receive/before-answer@4' },
];
const ROUNDS = process.env.MILLRACE_TEST_EVERY_PLACE === '1' ? [...IN_THE_GATE, ...ELSEWHERE] : IN_THE_GATE;

describe('failpoints', function () {
  this.timeout(120_000);
  let world: World;
  let engine: BulkServer;
  let roles: Record<Role, TestService>;
  let writers: Writers;
  let plain: Crowd;
  let shaped: Crowd;
  let watch: Watch;

  before(async () => {
    world = await createWorld(LEDGER_SCHEMA);
    engine = await startBulkServer({ indexes: INDEXES });
    const yaml = Buffer.from(world.yaml + accountsYaml(engine.url)).toString('base64');
    const { code, stderr } = await runMain('migrate', {
      DATABASE_URL: world.messagesUrl,
      SECRET_KEY,
      CONFIG_FILE_YAML: yaml,
      LOG_LEVEL: 'warn',
    });
    expect(code, stderr).to.equal(0);
    const role = (word: Role): Promise<TestService> => createService({ databaseUrl: world.messagesUrl, word });
    roles = { capture: await role('capture'), worker: await role('worker'), web: await role('web') };
    watch = startWatch(world);
    await Promise.all(Object.values(roles).map((each) => each.start()));
    writers = createWriters(world.shop, SEED, 2);
    const crowd = (name: string, read: typeof readPlain, seed: number): Crowd => {
      const bySql = pullBySql(world.messages, name, { shaped: read === readShaped });
      return startCrowd({ clients: [pullByHttp(roles.web.url, name), bySql], random: seeded(seed), read });
    };
    plain = crowd('accounts-pull', readPlain, SEED + 1);
    shaped = crowd('accounts-shaped', readShaped, SEED + 2);
    for (const each of [plain, shaped]) each.finish();
    await load();
    await world.settled(EVERY_SINK);
  });
  after(async () => {
    await Promise.all([plain?.stop(), shaped?.stop(), watch?.stop()]);
    await stopServices();
    await engine?.close();
    await world?.drop();
  });
  afterEach(function () {
    if (this.currentTest?.state !== 'failed') return;
    for (const [name, role] of Object.entries(roles))
      console.error(`${name} SEED=${SEED}\n${role.output().slice(-3_000)}`);
  });

  const load = (): Promise<void> => writers.write(writers.written + CHANGES);

  /** One transaction of several megabytes a sink, so that it is persisted in parts. */
  const large = async (): Promise<void> => {
    const steps = Array.from({ length: 120 }, (_, place) => [
      'put',
      1 + (place % 60),
      'south',
      `${place} `.repeat(1_500),
    ]);
    await world.shop.query('select churn($1::jsonb)', [JSON.stringify(steps)]);
  };

  /** The catalog changes: one sink is to be matched anew, though nothing of it is another. */
  const change = async (): Promise<void> =>
    await world.messages.transaction(async (tx) => {
      await tx.query(
        `update millrace_private.sinks set settings = settings || jsonb_build_object('changed', clock_timestamp())
          where name = 'accounts-pull'`,
      );
      await tx.query('select millrace_private.publish_catalog()');
    });

  /** A dead worker's lanes are taken over when their leases have ended: time passes. */
  const timePasses = async (): Promise<void> => {
    await world.messages.query('update millrace_private.lanes set until = clock_timestamp()');
  };

  /** Kills the role and starts it anew, perhaps with a failpoint. */
  const restart = async (role: Role, failpoints?: string): Promise<void> => {
    await roles[role].kill();
    if (role === 'worker') await timePasses();
    await watch.begin();
    const env = failpoints === undefined ? {} : { env: { MILLRACE_FAILPOINTS: failpoints }, wait: false };
    await roles[role].start(env);
  };

  const expectAll = async (): Promise<void> => {
    await world.settled(EVERY_SINK, 40_000);
    const changes = await expectChangeTables(world);
    await expectIndexes(world, engine);
    expectCrowd(plain, changes, 'accounts-pull');
    const notWest = changes.filter(({ record }) => record.region !== 'west');
    expectCrowd(shaped, notWest, 'accounts-shaped');
    const { rows } = await world.messages.query(
      `select (select count(*) from millrace_private.messages) as messages,
              (select count(*) from millrace_private.delivery_states) as states`,
    );
    expect(rows).to.deep.equal([{ messages: 0, states: 0 }]);
    expect(watch.faults).to.deep.equal([]);
  };

  const dies = async (role: Role, at: string): Promise<void> => {
    await restart(role, at.replace('@', '=kill@'));
    expect(await roles[role].died(60_000), `${role} at ${at}`).to.equal('SIGKILL');
    await restart(role);
  };

  for (const round of ROUNDS) {
    const places = Object.entries(round) as [Role, string][];
    it(`they die at ${Object.values(round).join(', ')}: nothing is lost or doubled`, async () => {
      let over = false;
      const deaths = Promise.all(places.map(([role, at]) => dies(role, at))).finally(() => {
        over = true;
      });
      while (!over) {
        if (/refused|again/.test(round.capture)) await change();
        await (round.capture.startsWith('capture/mid') ? large() : load());
        await Promise.race([deaths, world.captured()]);
      }
      await deaths;
      await load();
      await expectAll();
    });
  }

  describe('in SQL, where the backend dies at a lock', () => {
    const consumer = 'accounts-pull';
    const ask = async (
      verb: string,
      body: object,
    ): Promise<{ status: number; retryAfter: string | null; json: Answer }> => {
      const response = await fetch(`${roles.web.url}/api/http_pull_consumers/${consumer}/${verb}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
      return {
        status: response.status,
        retryAfter: response.headers.get('retry-after'),
        json: (await response.json()) as Answer,
      };
    };
    const sinkNo = async (): Promise<number> => {
      const sql = 'select no from millrace_private.sinks where name = $1::text';
      return (await world.messages.query<{ no: number }>(sql, [consumer])).rows[0]!.no;
    };
    /** Ends the web role's backend as soon as it waits for a lock in a statement like this. */
    const endWhoWaits = (statement: string): Promise<unknown> =>
      until('the backend waits for a lock', async () => {
        const { rowCount } = await world.messages.query(
          `select pg_terminate_backend(a.pid) from pg_stat_activity a
            where a.application_name = 'millrace web' and a.wait_event_type = 'Lock' and a.query like $1::text`,
          [statement],
        );
        return rowCount > 0;
      });
    const deliveryStates = async (): Promise<unknown[]> =>
      (await world.messages.query('select state from millrace_private.delivery_states')).rows;

    before(async () => {
      await Promise.all([plain.stop(), shaped.stop()]);
      await load();
      await world.captured();
    });

    it('in ack: it did not happen, the client is told so, and acknowledges again', async () => {
      const { json } = await ask('receive', { batch_size: 1 });
      const ids = json.data!.map(({ ack_id }) => ack_id);
      expect(ids.length).to.equal(1);
      const no = await sinkNo();
      const refused = await world.messages.transaction(async (tx) => {
        await tx.query(`select millrace_private.lock_consumer($1, 'alone')`, [no]);
        const acked = ask('ack', { ack_ids: ids });
        await endWhoWaits('%millrace_private.acknowledge%');
        return await acked;
      });
      expect([refused.status, refused.retryAfter]).to.deep.equal([503, '1']);
      expect((await ask('ack', { ack_ids: ids })).json).to.deep.equal({ success: true, count: 1 });
      expect((await ask('ack', { ack_ids: ids })).json).to.deep.equal({ success: true, count: 0 });
    });

    it('in the sweep: the leases that it ended stay, and end with the next one', async () => {
      const { json } = await ask('receive', { batch_size: 1 });
      const [first] = json.data!;
      const id = Number(first!.ack_id.split('-')[1]);
      // Between two receives, as time passes.
      await world.messages.query(
        `with locked as materialized (
           select c.sink_no, millrace_private.lock_consumer(c.sink_no, 'turn') from millrace_private.consumers c order by c.sink_no)
         update millrace_private.leases l set until = clock_timestamp() from locked c where c.sink_no = l.sink_no`,
      );
      const before = await world.messages.query('select token, remaining from millrace_private.leases');
      const refused = await world.messages
        .transaction(async (tx) => {
          // The sweep has deleted the lease when it comes to this row, and waits to see whether it stays.
          await tx.query(
            `insert into millrace_private.delivery_states (sink_no, id, lane, state, attempts) values ($1, $2, 0, 'held', 0)`,
            [await sinkNo(), id],
          );
          const received = ask('receive', { batch_size: 10 });
          await endWhoWaits('%receive_together%');
          throw Object.assign(new Error('taken back'), { received });
        })
        .catch(async (error: { received?: ReturnType<typeof ask> }) => await error.received);
      expect([refused?.status, refused?.retryAfter]).to.deep.equal([503, '1']);
      expect(await deliveryStates()).to.deep.equal([]);
      const { rows } = await world.messages.query('select token, remaining from millrace_private.leases');
      expect(rows).to.deep.equal(before.rows).and.have.length(1);
      const again = await ask('receive', { batch_size: 1_000 });
      const found = again.json.data!.map(({ metadata }) => metadata.idempotency_key);
      expect(found.filter((key) => key === String(id))).to.have.length(1);
      expect(await deliveryStates()).to.deep.equal([{ state: 'leased' }]);
    });
  });
});

interface Answer {
  data?: { ack_id: string; metadata: { idempotency_key: string } }[];
  success?: boolean;
  count?: number;
}
