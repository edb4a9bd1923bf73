/**
 * Verifications, rebuilds, resyncs and many messages while workers die: the process is killed at a place, another worker goes on, and
 * the result is that of a run that nobody disturbed. Cancelled on their way, they leave nothing running. MILLRACE_TEST_EVERY_PLACE=1:
 * at each place.
 */
import { expect } from 'chai';
import type { Failpoint } from '../../src/runtime/failpoint.ts';
import { type BulkServer, startBulkServer } from '../support/engines/bulk-server.ts';
import { appendMessages, parkOnArrival } from '../support/fixtures/fixtures.ts';
import { createService, runMain, SECRET_KEY, stopServices, type TestService } from '../support/processes/service.ts';
import { createWorld, type World } from '../support/processes/world.ts';
import { until } from '../support/until.ts';

const EVERY = process.env.MILLRACE_TEST_EVERY_PLACE === '1';

type Kind = 'verify' | 'rebuild' | 'resync' | 'discard';

/** Where the worker dies, or (`verify/...`) the process that compares. */
const PLACES: Record<Kind, Failpoint[]> = {
  verify: ['verify/after-table', 'operation/after-take', 'operation/before-end'],
  rebuild: ['rebuild/after-make', 'operation/after-take', 'operation/before-end'],
  resync: ['resync/after-begin', 'operation/after-take', 'operation/before-end'],
  discard: ['settle/after-thousand', 'operation/after-take', 'operation/before-end'],
};
const CANCELLED = Object.entries(PLACES).flatMap(([kind, places]) =>
  places.map((place) => [kind as Kind, place] as const),
);
const PARKED = 2_500;
const REFRESH_MS = 100;

interface Seen {
  id: string;
  state: string;
  attempt: number;
  reason: string | null;
  result: Record<string, unknown> | null;
  steps: { text: string }[];
}

describe('jobs of a worker', function () {
  this.timeout(120_000);
  let world: World;
  let engine: BulkServer;
  let capture: TestService;
  let worker: TestService;
  let other: TestService;
  /** Indexes that were made for it. */
  let fresh = 0;

  before(async () => {
    engine = await startBulkServer({ indexes: ['items', 'items-2'] });
    engine.engine.refreshMs = 50;
    world = await createWorld(`
      create table items (id int primary key, name text not null);
      insert into items select n, 'item ' || n from generate_series(1, 500) n;
      create table lines (id int primary key, name text not null);
      insert into lines select n, 'line ' || n from generate_series(1001, 1300) n`);
    const yaml = `${world.yaml}
sinks:
  - name: items
    database: shop
    initial_backfill: true
    source: { include_tables: [items, lines] }
    destination: { type: elasticsearch, endpoint_url: "${engine.url}", index_name: items, auth_type: none }
  - { name: queue, database: shop, status: paused, source: { include_tables: [lines] }, destination: { type: pull } }
`;
    const env = { DATABASE_URL: world.messagesUrl, SECRET_KEY, LOG_LEVEL: 'warn' };
    const { code, stderr } = await runMain('migrate', {
      ...env,
      CONFIG_FILE_YAML: Buffer.from(yaml).toString('base64'),
    });
    expect(code, stderr).to.equal(0);
    const role = (word: 'capture' | 'worker') => createService({ databaseUrl: world.messagesUrl, word });
    [capture, worker, other] = [await role('capture'), await role('worker'), await role('worker')];
    await Promise.all([capture.start(), worker.start()]);
    await until('the first rows are there', () => engine.engine.documents('items').size === 800);
  });
  after(async () => {
    await stopServices();
    await world?.drop();
    await engine?.close();
  });
  afterEach(function () {
    if (this.currentTest?.state === 'failed')
      console.error(worker?.output().slice(-4_000), other?.output().slice(-4_000));
  });

  const ask = async (sql: string): Promise<string> =>
    (await world.messages.query<{ id: string }>(`select ${sql} as id`)).rows[0]!.id;
  const START: Record<Kind, () => Promise<string>> = {
    verify: () => ask(`millrace.verify('items', true, ${REFRESH_MS})`),
    rebuild: () => ask("millrace.rebuild('items', 'items-2')"),
    resync: () =>
      ask(
        `millrace_private.begin_operation('resync', null, millrace_private.database_no('shop'), '{"force": true, "verify": true}')`,
      ),
    async discard() {
      const queue = "select no from millrace_private.sinks where name = 'queue'";
      const { no } = (await world.messages.query<{ no: number }>(queue)).rows[0]!;
      const fresh = Array.from({ length: PARKED }, () => ({}));
      await parkOnArrival(world.messages, no, await appendMessages(world.messages, no, fresh));
      return await ask("millrace.discard_all('queue')");
    },
  };
  const show = async (id: string): Promise<Seen> =>
    (
      await world.messages.query<Seen>(
        'select id, state, attempt, reason, result, steps from millrace.operation_status where id = $1',
        [id],
      )
    ).rows[0]!;
  /** A worker has its lock (presence.ts). */
  const present = async (): Promise<boolean> =>
    (
      await world.messages.query(
        `select from pg_locks l join pg_stat_activity a on a.pid = l.pid
          where l.locktype = 'advisory' and l.granted and a.application_name = 'millrace worker' and a.datname = current_database()`,
      )
    ).rowCount > 0;
  /** A worker that died is given up. */
  const timePasses = async (): Promise<void> => {
    await world.messages.query(
      `update millrace_private.lanes set until = clock_timestamp();
       update millrace_private.operations set until = clock_timestamp() where state = 'running';
       select pg_notify('millrace_operations', '')`,
    );
  };
  const ended = (id: string): Promise<Seen> =>
    until(
      'the operation has ended',
      async () => {
        const seen = await show(id);
        return ['done', 'failed', 'cancelled'].includes(seen.state) && seen;
      },
      60_000,
    );
  /** A row that is missing, one that is another, and a document that no row has. */
  const disturb = (): void => {
    engine.engine.plant('items', '7', undefined);
    engine.engine.plant('items', '1007', '{"id":1007,"name":"another"}');
    engine.engine.plant('items', '99999', '{"id":99999,"name":"no row"}');
  };
  const expectSame = (index: string): void => {
    const held = engine.engine.documents(index);
    expect(held.size).to.equal(800);
    for (const id of [7, 500, 1_007])
      expect(held.get(String(id))).to.deep.equal({ id, name: `${id > 1_000 ? 'line' : 'item'} ${id}` });
  };
  const comparing = async (): Promise<boolean> =>
    (await worker.processes()).some(({ args }) => args.includes('verify-process.ts'));
  const epoch = async (): Promise<number> =>
    (await world.messages.query<{ epoch: number }>('select epoch from millrace.database_status')).rows[0]!.epoch;

  for (const kind of Object.keys(PLACES) as Kind[]) {
    for (const [n, place] of PLACES[kind].entries()) {
      if (n > 0 && !EVERY) continue;
      it(`a ${kind} is whole though a process is killed at ${place}`, async () => {
        if (kind !== 'discard') disturb();
        const before = await epoch();
        const isChild = place.startsWith('verify/');
        await Promise.all([worker.kill(), other.kill()]);
        await timePasses();
        await worker.start({ env: { MILLRACE_FAILPOINTS: `${place}=kill${isChild ? '@2' : ''}` }, wait: false });
        await until('its session says that it is there', present);
        const id = await START[kind]();
        if (!isChild) {
          expect(await worker.died(60_000)).to.equal('SIGKILL');
          await other.start({ wait: false });
          if (kind !== 'discard') await timePasses();
          // Only that its session has ended tells that it is gone.
          else await world.messages.query("update millrace_private.operations set until = until + interval '1 hour'");
        }
        const seen = await ended(id);
        expect([seen.state, seen.attempt > 1], JSON.stringify(seen)).to.deep.equal(['done', true]);
        if (kind === 'verify') {
          expect(seen.result).to.deep.include({ drift: false, compared: 800, documents: 800, repaired: 3 });
        } else if (kind === 'rebuild') {
          expect(seen.result).to.deep.include({ sink: 'items-items-2', index: 'items-2', parked: 0 });
          expectSame('items-2');
        } else if (kind === 'discard') {
          expect(seen.result).to.deep.equal({ count: PARKED });
          expect((await world.messages.query('select from millrace_private.delivery_states')).rowCount).to.equal(0);
        } else {
          expect(await epoch()).to.equal(before + 1);
          const texts = seen.steps.map(({ text }) => text);
          expect(new Set(texts).size, texts.join('\n')).to.equal(texts.length);
        }
        if (kind === 'verify' || kind === 'resync') expectSame('items');
        await Promise.all([worker.kill(), other.kill()]);
        await worker.start();
      });
    }
  }

  it('of two workers one has it, also when several are asked for at once', async () => {
    await other.start();
    const ids = await Promise.all([START.verify(), START.rebuild()]);
    for (const id of ids) {
      const seen = await ended(id);
      expect([seen.state, seen.attempt], JSON.stringify(seen)).to.deep.equal(['done', 1]);
    }
    await other.kill();
    expectSame('items');
  });

  it('a verification that is paused lets go, and goes on when it is resumed; cancelled, it ends', async () => {
    const id = await ask("millrace.verify('items', false, 600000)");
    for (const [verb, state] of [
      ['pause', 'paused'],
      ['cancel', 'cancelled'],
    ] as const) {
      await until('it is compared', comparing);
      await ask(`millrace.${verb}_operation('${id}')`);
      await until('nothing is compared', async () => !(await comparing()));
      expect((await show(id)).state).to.equal(state);
      if (verb === 'pause') await ask(`millrace.resume_operation('${id}')`);
    }
  });

  for (const [kind, place] of CANCELLED) {
    if (!EVERY && place !== 'rebuild/after-make') continue;
    it(`a ${kind} that is cancelled at ${place} leaves nothing under way`, async () => {
      await worker.kill();
      // Else what it begins might have ended.
      if (place !== 'operation/before-end') await capture.kill();
      await worker.start({ env: { MILLRACE_FAILPOINTS: `${place}=stop` }, wait: false });
      fresh += 1;
      engine.engine.createIndex(`fresh-${fresh}`);
      const id = kind === 'rebuild' ? await ask(`millrace.rebuild('items', 'fresh-${fresh}')`) : await START[kind]();
      const { pid } = await until('it stands there', async () =>
        (await worker.processes()).find(({ stopped }) => stopped),
      );
      await ask(`millrace.cancel_operation('${id}')`);
      if (!place.startsWith('verify/')) process.kill(pid, 'SIGCONT');
      await ask("millrace.discard('queue', array(select id from millrace.parked_messages where sink_name = 'queue'))");
      await worker.kill();
      await worker.start();
      if (place !== 'operation/before-end') await capture.start();
    });
  }

  it('a rebuild and a resync that are cancelled leave no backfill, and the next one makes it good', async () => {
    await world.messages.query("delete from millrace_private.operations where kind = 'rebuild'");
    disturb();
    await capture.kill();
    const id = await START.resync();
    const begun = async (): Promise<boolean> =>
      (await world.messages.query("select from millrace_private.backfills where state = 'waiting'")).rowCount > 0;
    await until('it has begun', begun);
    await ask(`millrace.cancel_operation('${id}')`);
    expect(await begun()).to.equal(false);
    const notices = async (): Promise<{ remedy: string }[]> =>
      (
        await world.messages.query<{ remedy: string }>(
          "select n.remedy from millrace_private.notices n join millrace_private.sinks s on s.no = n.sink_no where n.code = 'gap' and s.name = 'items'",
        )
      ).rows;
    expect(await notices()).to.deep.equal([{ remedy: 'bin/millrace resync shop --force' }]);
    await capture.start();
    const next = await ended(await START.resync());
    expect(next.state, JSON.stringify(next)).to.equal('done');
    expect(await notices()).to.deep.equal([]);
    expectSame('items');
    expect((await show(id)).state).to.equal('cancelled');
  });

  it('one that kills its worker each time fails after five times', async () => {
    const id = await world.messages.transaction(async (tx) => {
      const { rows } = await tx.query<{ id: string }>("select millrace.verify('items') as id");
      await tx.query(
        `update millrace_private.operations
            set attempt = 5, state = 'running', until = clock_timestamp(), token = gen_random_uuid() where id = $1`,
        [rows[0]!.id],
      );
      return rows[0]!.id;
    });
    const { state, reason } = await ended(id);
    expect([state, reason]).to.deep.equal(['failed', 'the worker died 5 times while it did this verify']);
  });

  it('a destination that is well again takes messages as soon as somebody has it asked', async () => {
    const open = async (): Promise<boolean> =>
      (await world.messages.query("select from millrace_private.circuits where reason = 'index_missing'")).rowCount > 0;
    engine.engine.deleteIndex('items');
    await world.shop.query("update items set name = 'again' where id = 1");
    await until('nothing can be delivered', open);
    // By itself the worker would not ask for an hour.
    await world.messages.query("update millrace_private.circuits set probe_at = now() + interval '1 hour'");
    engine.engine.createIndex('items');
    expect((await world.messages.query("select millrace.probe('items') as probed")).rows).to.deep.equal([
      { probed: true },
    ]);
    await until('it is there', () => engine.engine.documents('items').has('1'));
    await until('and known to be well', async () => !(await open()));
  });
});
