/** Several sources in one capture process: each has its own stream, and one that cannot be captured touches no other. */
import { expect } from 'chai';
import { editDatabase } from '../../src/admin/edit-database.ts';
import { openCaptures } from '../../src/capture/service.ts';
import { applyConfig } from '../../src/catalog/apply/apply.ts';
import { loadCatalog } from '../../src/catalog/store.ts';
import { openPool } from '../../src/db/pool.ts';
import { createLog } from '../../src/runtime/log.ts';
import { KEYS, parse } from '../catalog/support.ts';
import { type MessageDatabase, messageDatabase } from '../support/postgres/message-database.ts';
import { sharedCluster, type TestDatabase } from '../support/postgres/postgres.ts';
import { until } from '../support/until.ts';

const NAMES = ['shop', 'stock', 'gone', 'unfit'] as const;

describe('several sources', function () {
  this.timeout(120_000);
  let messages: MessageDatabase;
  let sources: Map<string, TestDatabase>;
  let stop: AbortController;
  let running: Promise<void>;

  const at = async (name: string, sql: string): Promise<void> => {
    const db = openPool({ address: sources.get(name)!.url, max: 1, applicationName: 'test', path: 'role' });
    await db.query(sql).finally(() => db.close());
  };
  const states = async () =>
    (
      await messages.db.query<{ database_name: string; state: string; reason: string }>(
        'select database_name, state, reason from millrace.database_status order by database_name',
      )
    ).rows;
  const records = async (sink: string): Promise<string[]> =>
    (
      await messages.db.query<{ record: string }>(
        `select m.record from millrace_private.messages m join millrace_private.sinks s on s.no = m.sink_no
          where s.name = $1 order by m.id`,
        [sink],
      )
    ).rows.map(({ record }) => record);

  before(async () => {
    messages = await messageDatabase();
    const cluster = await sharedCluster();
    sources = new Map();
    for (const name of NAMES) sources.set(name, await cluster.createDatabase());
    for (const name of NAMES) await at(name, 'create table items (id int primary key, place text)');
    await at('unfit', 'create publication of_unfit for table items with (publish = $$insert$$)');
    const declared = NAMES.map((name) => {
      const { url } = sources.get(name)!;
      const address = name === 'gone' ? url.replace(/:\d+\//, ':1/') : url;
      return `  - { name: ${name}, url: ${JSON.stringify(address)}, ssl: false, slot: { name: several_${name}_${process.pid}, create_if_not_exists: true }, publication: { name: of_${name}, create_if_not_exists: true } }`;
    });
    const sinks = NAMES.map((name) => `  - { name: of-${name}, database: ${name}, destination: { type: pull } }`);
    const file = `databases:\n${declared.join('\n')}\nsinks:\n${sinks.join('\n')}\n`;
    await applyConfig({ db: messages.db, keys: KEYS }, parse(file).config);
    stop = new AbortController();
    const captures = openCaptures({
      messages: messages.db,
      // What comes over HTTP may be in a private network here.
      load: () => loadCatalog(messages.db, KEYS, true),
      log: createLog({ level: 'silent', role: 'test' }),
      onPersisted: () => undefined,
    });
    running = captures.run(stop.signal);
  });
  after(async () => {
    stop.abort();
    await running;
    await messages.drop();
    for (const [name, source] of sources) {
      await at(
        name,
        `select pg_drop_replication_slot(slot_name) from pg_replication_slots where database = current_database()`,
      );
      await source.drop();
    }
  });

  it('are captured side by side, and each says how it is', async () => {
    await until('all were tried', async () => (await states()).every(({ state }) => state !== 'starting'));
    expect((await states()).map(({ database_name, state }) => `${database_name} ${state}`)).to.deep.equal([
      'gone error',
      'shop streaming',
      'stock streaming',
      'unfit error',
    ]);
    for (let id = 1; id <= 5; id++) {
      await at('shop', `insert into items values (${id}, 'shop')`);
      await at('stock', `insert into items values (${id}, 'stock')`);
    }
    for (const name of ['shop', 'stock']) {
      await until(`those of ${name} are there`, async () => (await records(`of-${name}`)).length === 5);
      expect(await records(`of-${name}`)).to.deep.equal([1, 2, 3, 4, 5].map((id) => `{"id":${id},"place":"${name}"}`));
    }
    const [gone, , , unfit] = await states();
    expect(gone!.reason).to.contain('ECONNREFUSED');
    expect(unfit!.reason).to.contain('leaves out inserts, updates or deletes');
  });

  it('go on although one ends, and that one goes on when it is fixed', async () => {
    await at('unfit', 'alter publication of_unfit set (publish = $$insert, update, delete, truncate$$)');
    await at(
      'shop',
      `select pg_terminate_backend(active_pid) from pg_replication_slots where database = current_database()`,
    );
    await at('stock', "insert into items values (6, 'stock')");
    await until('stock goes on', async () => (await records('of-stock')).length === 6);
    await at('shop', "insert into items values (6, 'shop')");
    await until('shop goes on', async () => (await records('of-shop')).length === 6);
    await until('unfit is captured', async () =>
      (await states()).some(({ database_name, state }) => database_name === 'unfit' && state === 'streaming'),
    );
    await at('unfit', "insert into items values (1, 'unfit')");
    await until('its messages are there', async () => (await records('of-unfit')).length === 1);
  });

  it('connects anew to the one whose address was changed, and to no other', async () => {
    const pidOf = async (name: string): Promise<number | null> => {
      const slot = `several_${name}_${process.pid}`;
      const { rows } = await messages.db.query<{ pid: number | null }>(
        'select active_pid as pid from pg_catalog.pg_replication_slots where slot_name = $1',
        [slot],
      );
      return rows[0]?.pid ?? null;
    };
    const before = { shop: await pidOf('shop'), stock: await pidOf('stock') };
    expect(before.shop).to.be.a('number');
    const { username, password } = new URL(sources.get('shop')!.url);
    const body = { hostname: 'localhost', username, password };
    await editDatabase({ db: messages.db, keys: KEYS }, { ref: 'shop', body, ifMatch: null });
    // Whoever persists with the catalog of before is refused.
    await at('shop', "insert into items values (7, 'shop')");
    await until('it is read by another session', async () => ![null, before.shop].includes(await pidOf('shop')));
    await until('its message is there, once', async () => (await records('of-shop')).length === 7);
    await at('stock', "insert into items values (7, 'stock')");
    await until('stock goes on', async () => (await records('of-stock')).length === 7);
    expect(await pidOf('stock')).to.equal(before.stock);
    expect((await states()).map(({ database_name, state }) => `${database_name} ${state}`)).to.include(
      'shop streaming',
    );
  });
});
