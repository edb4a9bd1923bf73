import { expect } from 'chai';
import { applyConfig } from '../../../src/catalog/apply/apply.ts';
import type { ApplySummary } from '../../../src/catalog/apply/summary.ts';
import type { Declared } from '../../../src/catalog/declare/declaration.ts';
import { catalogGeneration, loadCatalog } from '../../../src/catalog/store.ts';
import { MillraceError } from '../../../src/model/errors.ts';
import { keyRing } from '../../../src/runtime/secret-key.ts';
import { type MessageDatabase, messageDatabase } from '../../support/postgres/message-database.ts';
import { until } from '../../support/until.ts';
import { KEYS, parse, SECRET_KEY, SHOP } from '../support.ts';

const FILE = `${SHOP}  - { name: archive, url: "postgres://keeper:archivepw@two/archive" }
functions:
  - { name: open, type: filter, code: "(a, record) => record.open" }
sinks:
  - name: worker
    database: shop
    destination: { type: pull }
  - name: shaped
    database: shop
    filter: open
    destination: { type: sequin_stream }
  - name: index
    database: shop
    destination: { type: elasticsearch, endpoint_url: "http://h", index_name: i, auth_value: bXlrZXk6c2VjcmV0 }
change_retentions:
  - name: history
    source_database: shop
    source_table_name: orders
    destination_database: archive
    destination_table_name: orders_events
    retention: { by: job, keep: 1 day }
api_tokens:
  - { name: ops, token: k3jd8sj2ls9dk3js8dk2ls, scopes: [read, "consume:worker"] }
`;

describe('applying a configuration', () => {
  let messages: MessageDatabase;
  const apply = (config: Declared | string, options?: Parameters<typeof applyConfig>[2]): Promise<ApplySummary> =>
    applyConfig({ db: messages.db, keys: KEYS }, typeof config === 'string' ? parse(config).config : config, {
      from: 'start',
      ...options,
    });
  const rows = async (sql: string): Promise<Record<string, unknown>[]> => (await messages.db.query(sql)).rows;
  const refused = async (config: Declared | string): Promise<MillraceError> => {
    const error = await apply(config).then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    expect(error).to.be.instanceOf(MillraceError);
    return error as MillraceError;
  };

  beforeEach(async () => {
    messages = await messageDatabase();
  });
  afterEach(async () => await messages.drop());

  it('makes all that is declared, with the storage of each sink', async () => {
    const summary = await apply(FILE);
    expect(summary.created).to.deep.equal([
      'token ops',
      'database shop',
      'database archive',
      'function open',
      'sink worker',
      'sink shaped',
      'sink index',
      'change retention history',
    ]);
    const catalog = await loadCatalog(messages.db, KEYS);
    expect(catalog.generation).to.equal(2);
    expect(
      catalog.sinks.map(({ name, kind, status, lanes, secret }) => [name, kind, status, lanes, secret()]),
    ).to.deep.equal([
      ['worker', 'pull', 'active', 0, null],
      ['shaped', 'pull', 'active', 1, null],
      ['index', 'search_index', 'active', 2, 'bXlrZXk6c2VjcmV0'],
      ['history', 'change_table', 'active', 1, null],
    ]);
    const shop = catalog.databases.find(({ settings }) => settings.name === 'shop')!;
    expect(shop.address()).to.deep.equal({
      host: 'db.example.com',
      port: 6432,
      database: 'shop',
      user: 'app',
      password: 'hunter22',
    });
    expect(catalog.sinks.every(({ databaseNo }) => databaseNo === shop.no)).to.equal(true);
    expect(catalog.functions).to.deep.equal(parse(FILE).config.functions);
    expect(catalog.sinks.map(({ settings }) => settings)).to.deep.equal(
      parse(FILE).config.sinks.map(({ settings }) => settings),
    );
    expect(await rows('select database_no from millrace_private.positions')).to.deep.equal([{ database_no: shop.no }]);
    const partitions = await rows(
      "select count(*)::integer as n from pg_inherits where inhparent = 'millrace_private.messages'::regclass",
    );
    expect(partitions).to.deep.equal([{ n: 4 }]);
    expect(await rows('select count(*)::integer as n from millrace_private.consumers where active')).to.deep.equal([
      { n: 2 },
    ]);
    const lanes = await rows(
      `select s.name, array_agg(l.lane order by l.lane)::integer[] as lanes
         from millrace_private.lanes l join millrace_private.sinks s on s.no = l.sink_no group by s.name order by s.name`,
    );
    expect(lanes).to.deep.equal([
      { name: 'history', lanes: [0] },
      { name: 'index', lanes: [0, 1] },
      { name: 'shaped', lanes: [1] },
    ]);
  });

  it('changes nothing the second time, although secrets are sealed again', async () => {
    await apply(FILE);
    const before = await rows('select s.xmin::text, s.name from millrace_private.sinks s order by s.no');
    const summary = await apply(FILE);
    expect([summary.created, summary.changed]).to.deep.equal([[], []]);
    expect(summary.unchanged).to.have.lengthOf(8);
    expect(await catalogGeneration(messages.db)).to.equal(2);
    expect(await rows('select s.xmin::text, s.name from millrace_private.sinks s order by s.no')).to.deep.equal(before);
  });

  it('changes what differs, and leaves what is not declared', async () => {
    await apply(FILE);
    const next = FILE.replace(
      'name: worker\n    database: shop',
      'name: worker\n    status: paused\n    database: shop',
    )
      .replace('hunter22', 'hunter23')
      .replace('bXlrZXk6c2VjcmV0', 'b3RoZXI')
      .replace('record.open', '!record.done')
      .replace(/change_retentions:[\s\S]*(?=api_tokens)/, '');
    const summary = await apply(next);
    expect(summary.changed).to.deep.equal(['database shop', 'function open', 'sink worker', 'sink index']);
    const catalog = await loadCatalog(messages.db, KEYS);
    expect(catalog.generation).to.equal(3);
    expect(catalog.sinks.map(({ name, status }) => `${name} ${status}`)).to.deep.equal([
      'worker paused',
      'shaped active',
      'index active',
      'history active',
    ]);
    expect(catalog.databases[0]!.address().password).to.equal('hunter23');
    expect(catalog.sinks[2]!.secret()).to.equal('b3RoZXI');
    expect(catalog.functions[0]!.code).to.contain('!record.done');
    expect(await rows('select active from millrace_private.consumers order by sink_no limit 1')).to.deep.equal([
      { active: false },
    ]);
  });

  it('leaves a sink paused whose functions bring their process down, until somebody resumes it', async () => {
    await apply(FILE);
    await messages.db.query("select millrace.pause('worker')");
    await messages.db.query(`
      insert into millrace_private.notices (sink_no, code, message, remedy)
      select s.no, 'function_kills', 'paused', 'fix it' from millrace_private.sinks s where s.name = 'worker'`);
    for (const _start of [1, 2]) {
      const { changed, notes } = await apply(FILE);
      expect(changed).to.deep.equal([]);
      expect(notes.join()).to.contain("select millrace.resume('worker')");
    }
    expect((await loadCatalog(messages.db, KEYS)).sinks[0]).to.include({ status: 'paused' });
    await messages.db.query("select millrace.resume('worker')");
    const { changed, notes } = await apply(FILE);
    expect([changed, notes]).to.deep.equal([[], []]);
    expect((await loadCatalog(messages.db, KEYS)).sinks[0]).to.include({ status: 'active' });
  });

  it('keeps the shaping lane of a consumer whose functions go, so that nothing is overtaken', async () => {
    await apply(FILE);
    expect((await apply(FILE.replace('    filter: open\n', ''))).changed).to.deep.equal(['sink shaped']);
    expect((await loadCatalog(messages.db, KEYS)).sinks[1]).to.include({ lanes: 1 });
    await apply(FILE.replace('name: worker\n', 'name: worker\n    filter: open\n'));
    expect((await loadCatalog(messages.db, KEYS)).sinks[0]).to.include({ lanes: 1 });
  });

  it('changes nothing at all when something refers to nothing', async () => {
    const config = parse(FILE).config;
    config.sinks[3]!.settings.database = 'elsewhere';
    config.sinks[1]!.settings.filter = 'gone';
    const error = await refused(config);
    expect(error.code).to.equal('bad_configuration');
    expect(error.faults.map(({ field, message }) => `${field} ${message}`)).to.deep.equal([
      'shaped names the function `gone`, which does not exist',
      'history names the database `elsewhere`, which does not exist',
    ]);
    expect((await loadCatalog(messages.db, KEYS)).databases).to.deep.equal([]);
    expect(await catalogGeneration(messages.db)).to.equal(1);
  });

  it('refuses another kind or another database for an existing sink, with the remedy', async () => {
    await apply(FILE);
    const error = await refused(
      FILE.replace(', "consume:worker"', '')
        .replace(
          'destination: { type: pull }',
          'destination: { type: elasticsearch, endpoint_url: "http://h", index_name: i, auth_type: none }',
        )
        .replace(
          '  - { name: archive,',
          '  - { name: two, url: "postgres://h3/two", slot: { name: two }, publication: { name: two } }\n  - { name: archive,',
        )
        .replace('name: shaped\n    database: shop', 'name: shaped\n    database: two'),
    );
    expect(error.faults.map(({ field, message }) => `${field} ${message}`)).to.deep.equal([
      'worker is of kind pull and cannot become search_index',
      'shaped reads from database `shop` and cannot move to `two`',
    ]);
    expect(error.faults[0]!.remedy).to.contain('another name');
    expect((await loadCatalog(messages.db, KEYS)).databases).to.have.lengthOf(2);
  });

  it('shows no secret in the tables', async () => {
    await apply(FILE);
    const dump = JSON.stringify([
      await rows('select * from millrace_private.databases'),
      await rows('select * from millrace_private.sinks'),
      await rows('select * from millrace_private.functions'),
      await rows("select t.name, t.scopes, encode(t.hash, 'escape') as hash from millrace_private.api_tokens t"),
    ]);
    for (const secret of ['hunter22', 'archivepw', 'bXlrZXk6c2VjcmV0', 'k3jd8sj2ls9dk3js8dk2ls']) {
      expect(dump).to.not.contain(secret);
    }
  });

  it('says so when SECRET_KEY is another one', async () => {
    await apply(FILE);
    const other = keyRing({ secretKey: `${SECRET_KEY} other`, previousKeys: [] });
    for (const tried of [
      loadCatalog(messages.db, other),
      applyConfig({ db: messages.db, keys: other }, parse(FILE).config),
    ]) {
      const error = await tried.then(
        () => undefined,
        (thrown: unknown) => thrown,
      );
      expect(error).to.be.instanceOf(MillraceError).with.property('code', 'bad_setting');
      expect((error as MillraceError).message).to.match(/SECRET_KEY/);
    }
  });

  it('runs twice at once without doing anything twice', async () => {
    const summaries = await Promise.all([apply(FILE), apply(FILE), apply(FILE)]);
    expect(summaries.map(({ created }) => created.length).sort()).to.deep.equal([0, 0, 8]);
    expect(await catalogGeneration(messages.db)).to.equal(2);
  });

  it('tries again when a lock is not to be had, and gives up in the end', async () => {
    await messages.db.transaction(async (tx) => {
      await tx.query('lock table millrace_private.lock_catalog in row share mode');
      const pauses: number[] = [];
      const error = await apply(FILE, { attempts: 2, pause: async (ms) => pauses.push(ms) }).then(
        () => undefined,
        (thrown: unknown) => thrown,
      );
      expect(error).to.be.instanceOf(MillraceError).with.property('code', 'unavailable');
      expect(pauses).to.have.lengthOf(1);
    });
    const held = await messages.db.pool.connect();
    await held.query('begin');
    await held.query('lock table millrace_private.lock_catalog in row share mode');
    const summary = await apply(FILE, {
      pause: async () => {
        await held.query('commit');
      },
    }).finally(() => held.release());
    expect(summary.created).to.have.lengthOf(8);
  });

  it('stalls no capture before its last step', async () => {
    const held = await messages.db.pool.connect();
    await held.query('begin');
    // In the way of a new partition, as autovacuum or a long read may be.
    await held.query('lock table millrace_private.messages in share update exclusive mode');
    const applied = apply(FILE, {
      pause: async () => {
        await held.query('rollback');
      },
    });
    await until('the apply waits for the partition', async () => {
      const { rows: waiting } = await messages.db.query(
        "select from pg_stat_activity a where a.datname = current_database() and a.wait_event_type = 'Lock'",
      );
      return waiting.length > 0;
    });
    // What a transaction that persists takes is free.
    await messages.db.transaction(async (tx) => {
      await tx.query('lock table millrace_private.lock_catalog in row share mode nowait');
    });
    expect((await applied.finally(() => held.release())).created).to.have.lengthOf(8);
  });
});
