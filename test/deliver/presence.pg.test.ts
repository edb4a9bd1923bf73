/** Lanes of a process whose session is gone are free after a moment; of one that is there, or lost its session briefly, not. */
import { expect } from 'chai';
import { type Listener, openListener } from '../../src/db/listen.ts';
import { openPool, type Queryable } from '../../src/db/pool.ts';
import { createHeartbeat, type Heartbeat, type Hold } from '../../src/deliver/heartbeat.ts';
import { type Deaths, openDeaths, openPresence, type Presence } from '../../src/deliver/presence.ts';
import { type LaneId, takeLane } from '../../src/deliver/settle.ts';
import { addPushSink } from '../support/fixtures/fixtures.ts';
import { type MessageDatabase, messageDatabase } from '../support/postgres/message-database.ts';
import { hasPgbouncer, type Pgbouncer, startPgbouncer } from '../support/postgres/pgbouncer.ts';
import { until } from '../support/until.ts';

const GRACE_MS = 2_000;
const silent = { warn: () => undefined, error: () => undefined };

/** As much of a worker as matters here. */
class Worker {
  readonly presence: Presence = openPresence();
  readonly heartbeat: Heartbeat;
  readonly deaths: Deaths;
  readonly listener: Listener;
  readonly #stop = new AbortController();
  readonly #running: Promise<void>;
  now = 0;
  lost = 0;
  #hold: Hold | undefined;

  readonly db: Queryable;

  /** `wait`: between two tries to connect. */
  constructor(db: Queryable, url: string, wait?: () => Promise<void>) {
    this.db = db;
    this.listener = openListener(
      { address: url, max: 1, applicationName: 'millrace presence' },
      { log: silent, session: this.presence, random: () => 0, ...(wait ? { sleep: wait } : {}) },
    );
    this.heartbeat = createHeartbeat(db, { presence: this.presence });
    this.deaths = openDeaths(db, this.presence, { graceMs: GRACE_MS, now: () => this.now });
    this.#running = this.listener.run(this.#stop.signal);
  }

  async ready(): Promise<this> {
    await until('its session holds the lock', () => this.presence.key);
    return this;
  }

  async take(id: LaneId): Promise<boolean> {
    const taken = await takeLane(this.db, id, this.heartbeat.session());
    if (taken) this.#hold = this.heartbeat.hold(id, { since: this.heartbeat.clock(), onLost: () => (this.lost += 1) });
    return taken;
  }

  /** Its process dies: nothing is said any more, and its sessions end. */
  async die(): Promise<void> {
    this.#hold?.end();
    this.#stop.abort();
    await this.#running;
    await this.listener.close();
  }
}

describe('the presence of workers', () => {
  let on: MessageDatabase;
  let sinkNo: number;
  let workers: Worker[];
  let pooler: Pgbouncer | undefined;
  beforeEach(async () => {
    on = await messageDatabase();
    ({ no: sinkNo } = await addPushSink(on.db, { name: 'index', kind: 'search_index' }));
    workers = [];
  });
  afterEach(async () => {
    for (const worker of workers) await worker.die();
    await pooler?.stop();
    pooler = undefined;
    await on.drop();
  });

  const start = async (url = on.url, wait?: () => Promise<void>): Promise<Worker> => {
    const worker = new Worker(on.db, url, wait);
    workers.push(worker);
    return await worker.ready();
  };
  const lane = (owner: string): LaneId => ({ sinkNo, lane: 0, owner });
  const named = async (): Promise<string | null> => {
    const { rows } = await on.db.query<{ session: string | null }>(
      'select session::text as session from millrace_private.lanes where sink_no = $1 and lane = 0',
      [sinkNo],
    );
    return rows[0]!.session;
  };
  const cut = async (): Promise<void> => {
    await on.db.query(`select pg_terminate_backend(pid, 5000) from pg_stat_activity
                        where application_name = 'millrace presence' and datname = current_database()`);
  };
  const dies = async (worker: Worker): Promise<void> => {
    const { key } = worker.presence;
    await worker.die();
    const sql = 'select pg_try_advisory_xact_lock_shared($1::bigint) as free';
    await until('its session is gone', async () => (await on.db.query<{ free: boolean }>(sql, [key])).rows[0]!.free);
  };
  /** Both looks of one who stays: at first sight, and after the grace. */
  const looks = async (worker: Worker): Promise<number[]> => {
    const first = await worker.deaths.look();
    worker.now += GRACE_MS;
    return [first, await worker.deaths.look()];
  };

  it('frees the lane of one that is gone, after a moment', async () => {
    const [dying, staying] = [await start(), await start()];
    expect(await dying.take(lane('dying'))).to.equal(true);
    expect(await looks(staying)).to.deep.equal([0, 0]);
    expect(await staying.take(lane('staying'))).to.equal(false);
    await dies(dying);
    expect(await looks(staying)).to.deep.equal([0, 1]);
    expect(await staying.take(lane('staying'))).to.equal(true);
  });

  it('frees nothing of one that says nothing of its session, or that is asked by itself', async () => {
    const [silentOne, staying] = [await start(), await start()];
    await takeLane(on.db, lane('unknown'), null);
    await silentOne.die();
    expect(await looks(staying)).to.deep.equal([0, 0]);
    await on.db.query('update millrace_private.lanes set owner = null');
    await staying.take(lane('staying'));
    expect(await looks(staying)).to.deep.equal([0, 0]);
  });

  it('leaves the lane to one that lost its session and has another one', async () => {
    const [losing, staying] = [await start(), await start()];
    await losing.take(lane('losing'));
    const before = await named();
    await cut();
    await until('it has another session', () => losing.presence.key !== null && losing.presence.key !== before);
    await until('its lane names it', async () => (await named()) === losing.presence.key);
    await until('so has the other one', () => staying.presence.key);
    expect(await looks(staying)).to.deep.equal([0, 0]);
    expect(losing.lost).to.equal(0);
  });

  it('leaves the lane to one that cannot have another session, but says so', async () => {
    const gate = Promise.withResolvers<void>();
    const losing = await start(on.url, () => gate.promise);
    await losing.take(lane('losing'));
    await cut();
    await until('its lane names no session', async () => (await named()) === null);
    const staying = await start();
    expect(await looks(staying)).to.deep.equal([0, 0]);
    gate.resolve();
    const again = await until('it has another session', () => losing.presence.key);
    await until('its lane names that one', async () => (await named()) === again);
  });

  it('forgets a death that was none', async () => {
    const [away, staying] = [await start(), await start()];
    await away.take(lane('away'));
    const real = await named();
    await on.db.query('update millrace_private.lanes set session = 8 where owner is not null');
    expect(await staying.deaths.look()).to.equal(0);
    await on.db.query('update millrace_private.lanes set session = $1::bigint where owner is not null', [real]);
    expect(await looks(staying)).to.deep.equal([0, 0]);
  });

  it('overtakes nobody whose token is not worth anything any more by that: what it settles is refused', async () => {
    const [dying, staying] = [await start(), await start()];
    await dying.take(lane('dying'));
    await dies(dying);
    await looks(staying);
    await staying.take(lane('staying'));
    const late = on.db.query("select millrace_private.settle($1, 0, 'dying', 0, 0, '{}', null, '{}')", [sinkNo]);
    expect(await late.catch((error: unknown) => error)).to.have.property('code', 'MR002');
  });

  for (const clears of ['discard all', '']) {
    it(`works through a pooler in session mode, where server_reset_query = '${clears}'`, async function () {
      if (!hasPgbouncer()) this.skip();
      pooler = await startPgbouncer(on.url, { pool_mode: 'session', server_reset_query: clears });
      const [dying, staying] = [await start(pooler.url), await start(pooler.url)];
      await dying.take(lane('dying'));
      expect(await looks(staying)).to.deep.equal([0, 0]);
      await dying.die();
      // What the pooler does not clear up, the next one who gets the session does.
      const next = openPool({ address: pooler.url, max: 1, applicationName: 'test' });
      await next.query('select 1');
      await next.close();
      expect(await looks(staying)).to.deep.equal([0, 1]);
    });
  }
});
