/** `millrace database remove`: no slot stays without a reader, and what cannot be dropped is said as SQL. */
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { removeDatabase as removeHere } from '../../src/admin/remove-database.ts';
import { applyConfig } from '../../src/catalog/apply/apply.ts';
import { removeDatabase } from '../../src/catalog/apply/remove-database.ts';
import { loadCatalog } from '../../src/catalog/store.ts';
import { removing } from '../../src/cli/table/things.ts';
import { openPool } from '../../src/db/pool.ts';
import { ensureTriggers } from '../../src/source/triggers/ensure.ts';
import { KEYS, parse, SECRET_KEY } from '../catalog/support.ts';
import { removeSink } from '../support/fixtures/remove-sink.ts';
import { type MessageDatabase, messageDatabase } from '../support/postgres/message-database.ts';
import { sharedCluster, type TestDatabase } from '../support/postgres/postgres.ts';
import { runCli } from '../support/processes/cli.ts';
import { typed } from '../support/processes/typed.ts';
import { until } from '../support/until.ts';

let made = 0;

describe('millrace database remove', function () {
  this.timeout(120_000);
  let messages: MessageDatabase;
  let shop: TestDatabase;
  let slot: string;
  const said: string[] = [];

  async function declare(rest = ', create_if_not_exists: true', url = shop.url, way = 'replication'): Promise<void> {
    const file = `databases:
  - { name: shop, url: ${JSON.stringify(url)}, ssl: false, capture: ${way}, slot: { name: ${slot}${rest} }, publication: { name: of_shop${rest} } }
sinks:
  - { name: worker, database: shop, destination: { type: pull } }
`;
    await applyConfig({ db: messages.db, keys: KEYS }, parse(file).config, { from: 'start' });
  }
  const remove = async (): Promise<boolean> => {
    const { code, said: lines } = await typed({ DATABASE_URL: messages.url, SECRET_KEY }, removing('database'), {
      arguments: ['shop'],
      everywhere: { yes: true },
    });
    said.push(...lines);
    return code === 0;
  };
  /** As a request does, for two seconds of a clock of ours. */
  const removeAt = async () => {
    let now = 0;
    const catalog = await loadCatalog(messages.db, KEYS);
    return await removeHere(
      {
        ...{ db: messages.db, catalog, letGoMs: 2_000, now: () => (now += 500) },
        ...{ agree: async () => true, sleep: async () => undefined },
      },
      'shop',
    );
  };
  const refusal = async (work: Promise<unknown>): Promise<string> => {
    const error = (await work.then(
      () => undefined,
      (thrown: unknown) => thrown,
    )) as { code: string; message: string; remedy?: string };
    return `${error.code}: ${error.message}; ${error.remedy}`;
  };
  const atSource = async (sql: string) => {
    const db = openPool({ address: shop.url, max: 1, applicationName: 'test', path: 'role' });
    return await db.query<{ name: string }>(sql).finally(() => db.close());
  };
  const there = async () =>
    (
      await atSource(
        `select slot_name::text as name from pg_replication_slots where slot_name = '${slot}' union all select pubname from pg_publication`,
      )
    ).rows.map(({ name }) => name);
  const declared = async () => (await loadCatalog(messages.db, KEYS)).databases.length;

  beforeEach(async () => {
    messages = await messageDatabase();
    shop = await (await sharedCluster()).createDatabase();
    made += 1;
    slot = `remove_${process.pid}_${made}`;
    said.splice(0);
    await atSource(`select pg_create_logical_replication_slot('${slot}', 'pgoutput')`);
    await atSource('create publication of_shop');
  });
  afterEach(async () => {
    await messages.drop();
    await atSource(`select pg_drop_replication_slot(slot_name) from pg_replication_slots where slot_name = '${slot}'`);
    await shop.drop();
  });

  it('drops slot and publication, and forgets it', async () => {
    await declare();
    await removeSink(messages.db, 'worker');
    expect(await there()).to.deep.equal([slot, 'of_shop']);
    expect(await remove()).to.equal(true);
    expect(await there()).to.deep.equal([]);
    expect(await declared()).to.equal(0);
    expect(said).to.deep.equal([
      'database shop is removed.',
      'Its entry in the configuration file makes it again at the next apply: take it out there, too.',
    ]);
  });

  it('drops nothing that it has not made, and prints the SQL', async () => {
    await declare(', create_if_not_exists: false');
    await removeSink(messages.db, 'worker');
    expect(await remove()).to.equal(true);
    expect(await there()).to.deep.equal([slot, 'of_shop']);
    expect(said.slice(2)).to.deep.equal([
      'Still in the source (a slot that nobody reads keeps WAL):',
      `  select pg_drop_replication_slot('${slot}');`,
      '  drop publication "of_shop";',
    ]);
  });

  it('drops the triggers of each table by itself: whoever has written to one writes to another', async () => {
    const source = openPool({ address: shop.url, max: 3, applicationName: 'test' });
    try {
      await atSource('create table a (id int); create table b (id int); create table c (id int)');
      const { rows: tables } = await source.query<{ oid: number; schema: string; name: string }>(
        "select oid::bigint as oid, 'public' as schema, relname::text as name from pg_class where relname in ('a', 'b', 'c')",
      );
      await ensureTriggers(source, { tables });
      await declare(', create_if_not_exists: true', shop.url, 'triggers');
      await removeSink(messages.db, 'worker');
      const catalog = await loadCatalog(messages.db, KEYS);
      let removing: ReturnType<typeof removeHere> | undefined;
      await source.transaction(async (tx) => {
        await tx.query('insert into public.b values (1)');
        removing = removeHere(
          { db: messages.db, catalog, now: Date.now, sleep: async (ms) => await sleep(ms), agree: async () => true },
          'shop',
        );
        removing.catch(() => undefined);
        await until('the removal waits for the writer', async () => {
          const { rows } = await source.query('select from pg_locks where not granted');
          return rows.length > 0;
        });
        await tx.query("set local lock_timeout = '1ms'");
        await tx.query('insert into public.a values (1)');
        await tx.query('insert into public.c values (1)');
      });
      expect((await removing)?.left).to.deep.equal([]);
      const { rows } = await source.query("select from pg_trigger where tgname like '!millrace%'");
      expect(rows).to.have.length(0);
      expect(await there()).to.deep.equal([]);
    } finally {
      await source.close();
    }
  });

  it('leaves triggers whose notes another service reads', async () => {
    const source = openPool({ address: shop.url, max: 2, applicationName: 'test' });
    try {
      await ensureTriggers(source, { tables: [] });
      await declare(', create_if_not_exists: true', shop.url, 'triggers');
      await removeSink(messages.db, 'worker');
      await source.transaction(async (tx) => {
        await tx.query('lock table millrace_capture.reader in exclusive mode');
        const removal = await removeAt();
        expect(removal).to.deep.include({ left: [], fault: null });
        expect(removal?.warnings[0]).to.match(/^Publication of_shop stays: it may be used by another service,/);
      });
      const { rows } = await source.query("select to_regclass('millrace_capture.changes') is not null as made");
      expect(rows).to.deep.equal([{ made: true }]);
      expect(await there()).to.include('of_shop');
    } finally {
      await source.close();
    }
  });

  it('leaves a publication by which somebody else may read: another slot, another entry, another service', async () => {
    const other = `${slot}_2`;
    await atSource(`select pg_create_logical_replication_slot('${other}', 'pgoutput')`);
    await declare();
    await removeSink(messages.db, 'worker');
    expect(await remove()).to.equal(true);
    expect(await there()).to.deep.equal(['of_shop']);
    expect(said[1]).to.equal(
      `Publication of_shop stays: it may be used for replication slot ${other}. If it is not: drop publication "of_shop"`,
    );
    await atSource(`select pg_drop_replication_slot('${other}')`);

    await declare();
    const { host, pathname } = new URL(shop.url);
    const beside = `databases:
  - { name: beside, url: "postgres://else:secret@${host}${pathname}", slot: { name: ${other} }, publication: { name: of_shop } }
sinks:
  - { name: worker-beside, database: beside, destination: { type: pull } }
`;
    await applyConfig({ db: messages.db, keys: KEYS }, parse(beside).config);
    await removeSink(messages.db, 'worker');
    said.splice(0);
    expect(await remove()).to.equal(true);
    expect(said[1]).to.match(/^Publication of_shop stays: it is used for database beside\./);
    expect(await there()).to.deep.equal(['of_shop']);
  });

  it('goes on where it died: the slot is gone, the publication and the database are there', async () => {
    await declare();
    await removeSink(messages.db, 'worker');
    await atSource(`select pg_drop_replication_slot('${slot}')`);
    expect(await remove()).to.equal(true);
    expect([await there(), await declared()]).to.deep.equal([[], 0]);
    expect(said).to.have.length(2);
  });

  it('says what is left when something may not be dropped', async () => {
    const role = `remover_${process.pid}`;
    await atSource(`create role ${role} login replication password 'secret'`);
    const url = new URL(shop.url);
    [url.username, url.password] = [role, 'secret'];
    await declare(', create_if_not_exists: true', url.href);
    await removeSink(messages.db, 'worker');
    expect(await remove()).to.equal(true);
    expect(said[1]).to.match(/^Not all can be dropped in the source: must be owner of publication of_shop/);
    expect(said.slice(-1)).to.deep.equal(['  drop publication "of_shop";']);
    expect(await there()).to.deep.equal(['of_shop']);
    await atSource(`drop role ${role}`);
  });

  it('leaves a database in the catalog that a change table is in, though it was declared a moment ago', async () => {
    await declare();
    const file = `databases:
  - { name: shop, url: ${JSON.stringify(shop.url)}, ssl: false, slot: { name: ${slot} }, publication: { name: of_shop } }
  - { name: archive, url: ${JSON.stringify(shop.url)}, ssl: false }
change_retentions:
  - { name: history, source_database: shop, source_table_name: a, destination_database: archive, destination_table_name: b }
`;
    await applyConfig({ db: messages.db, keys: KEYS }, parse(file).config);
    expect(await removeDatabase(messages.db, 'archive')).to.equal(false);
    await removeSink(messages.db, 'history');
    expect(await removeDatabase(messages.db, 'archive')).to.equal(true);
  });

  it('prints the SQL when the source cannot be reached', async () => {
    await declare(', create_if_not_exists: true', shop.url.replace(/:\d+\//, ':1/'));
    await removeSink(messages.db, 'worker');
    expect(await remove()).to.equal(true);
    expect(said[1]).to.match(/^Not all can be dropped in the source: .*ECONNREFUSED/);
    expect(said.join('\n')).to.include(`select pg_drop_replication_slot('${slot}');`);
    expect(await declared()).to.equal(0);
  });

  it('waits for who reads the slot, and removes nothing when it stays', async () => {
    await declare();
    await removeSink(messages.db, 'worker');
    const reader = openPool({ address: shop.url, max: 1, applicationName: 'reader', path: 'role' });
    await reader.session(async (client) => {
      // A slot that is being made is active, and waits for this transaction.
      await client.query('begin; create table held (id int)');
      const other = `${slot}_held`;
      const maker = openPool({ address: shop.url, max: 1, applicationName: 'maker', path: 'role' });
      const creating = maker.query(`select pg_create_logical_replication_slot('${other}', 'pgoutput')`);
      slot = other;
      await declare();
      await removeSink(messages.db, 'worker');
      const isActive = async () =>
        (
          await atSource(
            `select slot_name::text as name from pg_replication_slots where active and slot_name = '${other}'`,
          )
        ).rowCount === 1;
      await until('it is active', isActive);
      expect(await refusal(removeAt())).to.match(
        /^unavailable: replication slot \w+ is still read by process \d+ \(maker\); nothing was removed; Stop it, or: select pg_terminate_backend\(\d+\)/,
      );
      expect(await declared()).to.equal(1);
      await client.query('rollback');
      await creating;
      await maker.close();
    });
    await reader.close();
    expect(await remove()).to.equal(true);
    expect(await there()).to.not.include(slot);
    await atSource(
      `select pg_drop_replication_slot(slot_name) from pg_replication_slots where slot_name = '${slot.replace(/_held$/, '')}'`,
    );
  });

  it('refuses one that is used, one that is not there, and to go on where nobody can be asked', async () => {
    await declare();
    expect(await refusal(remove())).to.equal(
      'in_use: database shop is used by worker; Remove it first: bin/millrace sink remove worker',
    );
    const env = { DATABASE_URL: messages.url, SECRET_KEY };
    const unknown = await runCli(['database', 'remove', 'shopp', '--yes'], env);
    expect(unknown.stderr).to.equal('there is no database shopp\n  Did you mean shop? There are: shop.\n');
    await removeSink(messages.db, 'worker');
    const silent = await runCli(['database', 'remove', 'shop'], env);
    expect(silent.stderr).to.include('removing database shop must be confirmed').and.include(`slot ${slot}`);
    const { code, stdout, stderr } = await runCli(['database', 'remove', 'shop', '--yes'], env);
    expect(code, stderr).to.equal(0);
    expect(stdout).to.include('database shop is removed.');
    expect(await there()).to.deep.equal([]);
  });
});
