/**
 * A source whose changes were missed is repaired by one command: whatever happened in the gap, and whatever dies or is away
 * on the way, in the end the index holds what the transform makes of the table, and nothing else.
 */
import { expect } from 'chai';
import { resync as begin } from '../../src/cli/jobs/begin.ts';
import { type Database, openPool } from '../../src/db/pool.ts';
import { type BulkServer, startBulkServer } from '../support/engines/bulk-server.ts';
import { type EngineRelay, startEngineRelay } from '../support/engines/relay.ts';
import { refusal } from '../support/fixtures/verification.ts';
import { type MessageDatabase, messageDatabase } from '../support/postgres/message-database.ts';
import { hasPostgres15 } from '../support/postgres/postgres.ts';
import { type SourceServer, startSourceServer } from '../support/postgres/source-server.ts';
import { SECRET_KEY, startService, stopServices, type TestService } from '../support/processes/service.ts';
import { typed } from '../support/processes/typed.ts';
import { until } from '../support/until.ts';

const SCHEMA = `
  create table items (id int primary key, name text not null, price numeric(12, 2) not null);
  insert into items select n, 'item ' || n, n * 1.10 from generate_series(1, 6000) n;
  create table filler (a text);
`;
const ROWS = 300;

const yamlOf = (sourceUrl: string, engineUrl: string): string => `
databases:
  - name: shop
    url: ${sourceUrl}
    ssl: false
    slot: { name: resynced, create_if_not_exists: true }
    publication: { name: resynced, create_if_not_exists: true }
functions:
  - { name: priced, type: transform, code: "(action, record) => ({ title: record.name, cents: Math.round(Number(record.price) * 100) })" }
sinks:
  - name: items
    database: shop
    initial_backfill: true
    source: { include_tables: [items] }
    transform: priced
    destination: { type: elasticsearch, endpoint_url: "${engineUrl}", index_name: items, auth_type: none }
  - { name: pulled, database: shop, source: { include_tables: [items] }, destination: { type: pull } }
change_retentions:
  - name: kept
    source_database: shop
    source_table_schema: public
    source_table_name: items
    destination_database: shop
    destination_table_schema: public
    destination_table_name: items_events
    create_if_not_exists: true
`;

describe('resync', function () {
  this.timeout(120_000);
  let server: SourceServer;
  let shop: Database;
  let messages: MessageDatabase;
  let engine: BulkServer;
  let relay: EngineRelay;
  let service: TestService;
  let yaml: string;
  let place = 0;

  const resync = async (
    { database = 'shop', yes = true, ...options }: { database?: string; yes?: boolean; force?: boolean } = {},
    onLine: (line: string) => void = () => undefined,
  ): Promise<{ code: number; said: string[] }> => {
    const lines: string[] = [];
    const say = (line: string): void => {
      lines.push(line);
      onLine(line);
    };
    const { code, said } = await typed({ DATABASE_URL: messages.url, SECRET_KEY }, begin, {
      ...{ arguments: [database], options, everywhere: { yes, timeoutMs: 50_000 } },
      screen: { say, show: (shown) => shown.forEach(onLine) },
    });
    return { code, said: [...said, ...lines] };
  };

  /** Rows come, change and go, with nobody looking. */
  const writeUnseen = async (): Promise<void> => {
    place += 1;
    const [from, to] = [place * 1_000, place * 1_000 + ROWS];
    await shop.query(`
      delete from items where id > ${from} and id <= ${to};
      update items set price = price + 7, name = name || ' again' where id % 5 = ${place % 5};
      insert into items select n, 'new ' || n, n from generate_series(${100_000 * place}, ${100_000 * place + ROWS}) n`);
  };
  const dropSlot = async (): Promise<void> => {
    await until('the slot is dropped', async () => {
      try {
        await shop.query(`do $$ begin
          perform pg_terminate_backend(active_pid, 5000) from pg_replication_slots where active;
          perform pg_drop_replication_slot('resynced');
        end $$`);
        return true;
      } catch {
        return false;
      }
    });
  };
  const becomes = async (wanted: string): Promise<{ reason: string | null; remedy: string | null }> =>
    await until(
      `the state ${wanted}`,
      async () => {
        const { rows } = await messages.db.query<{ state: string; reason: string | null; remedy: string | null }>(
          'select state, reason, remedy from millrace.database_status',
        );
        return rows[0]?.state === wanted && rows[0];
      },
      30_000,
    );
  const expectSame = async (): Promise<void> => {
    const { rows } = await shop.query<{ id: number; name: string; price: string }>('select * from items');
    const wanted = rows.map(({ id, name, price }): [string, object] => [
      String(id),
      { title: name, cents: Math.round(Number(price) * 100) },
    ]);
    const held = engine.engine.documents('items');
    expect(held.size).to.equal(wanted.length);
    expect(held).to.deep.equal(new Map(wanted));
  };
  const gap = async (): Promise<void> => {
    await dropSlot();
    await writeUnseen();
    await becomes('needs_resync');
  };
  const connect = (): void => {
    shop = openPool({
      address: server.database.url,
      max: 2,
      applicationName: 'test',
      path: 'role',
      onError: () => undefined,
    });
  };

  before(async () => {
    server = await startSourceServer(
      hasPostgres15() ? { major: 15, settings: { max_wal_size: '32MB', restore_command: 'false' } } : {},
    );
    connect();
    await shop.query(SCHEMA);
    messages = await messageDatabase();
    engine = await startBulkServer({ indexes: ['items'] });
    relay = await startEngineRelay(engine.url);
    yaml = yamlOf(server.database.url, relay.url);
    service = await startService({ databaseUrl: messages.url, yaml });
    await until('the first rows are there', () => engine.engine.documents('items').size === 6_000);
  });
  after(async () => {
    await stopServices();
    await shop?.close();
    await relay?.close();
    await engine?.close();
    await messages?.drop();
    await server?.close();
  });
  afterEach(function () {
    if (this.currentTest?.state === 'failed') console.error(service?.output().slice(-5_000));
  });

  it('is refused where nothing is missing, by the command and by the function', async () => {
    await becomes('streaming');
    const refused = await refusal(resync());
    expect(refused.message).to.equal('database shop needs no resync: it is streaming');
    expect(refused.remedy)
      .to.contain('bin/millrace verify items --repair')
      .and.contain('bin/millrace resync shop --force');
    const unknown = await refusal(resync({ database: 'ship' }));
    expect(unknown.message).to.contain('there is no database ship');
    for (const call of ["resync('shop')", "resync('shop', null)"]) {
      const said = await messages.db.query(`select millrace.${call}`).catch((error: unknown) => String(error));
      expect(said, call).to.contain('needs no resync: it is streaming');
    }
  });

  it('repairs a slot that was dropped: the index is the table, and what is gone is gone', async () => {
    await gap();
    const unasked = await refusal(resync({ yes: false }));
    expect(unasked.remedy).to.equal('bin/millrace resync shop --yes');
    const { code, said } = await resync();
    expect(code, said.join('\n')).to.equal(0);
    expect(said.join('\n')).to.contain(`kept: the changes of the gap cannot be had.`);
    await expectSame();
    const { rows } = await messages.db.query<{ sink: string; code: string; remedy: string }>(
      `select s.name as sink, n.code, n.remedy from millrace_private.notices n
         join millrace_private.sinks s on s.no = n.sink_no where n.code = 'gap' order by 1`,
    );
    expect(rows.map(({ sink }) => sink)).to.deep.equal(['kept', 'pulled']);
    for (const { remedy } of rows) expect((await messages.db.query(remedy)).rows[0]).to.deep.equal({ dismiss: true });
    await shop.query("update items set name = 'seen' where id = 42");
    await until('changes come again', () =>
      JSON.stringify(engine.engine.documents('items').get('42')).includes('seen'),
    );
  });

  it('repairs a slot that is lost, by the statement that the state prints', async () => {
    // It is stopped, not gone: the server ends its connection, and removes the WAL.
    const { pid } = (await service.find('capture'))!;
    await server.execute("alter system set max_slot_wal_keep_size = '2MB'");
    await server.execute('select pg_reload_conf()');
    process.kill(pid, 'SIGSTOP');
    await shop.query(
      "insert into filler select repeat('x', 1000) from generate_series(1, 20000) n; select pg_switch_wal()",
    );
    await shop.query('checkpoint');
    await writeUnseen();
    process.kill(pid, 'SIGCONT');
    await server.execute('alter system reset max_slot_wal_keep_size');
    await server.execute('select pg_reload_conf()');
    const { reason, remedy } = await becomes('needs_resync');
    expect(reason).to.contain('is lost');
    await messages.db.query(
      `insert into millrace_private.notices (sink_no, code, table_name, message)
       select no, code, 'public.items', 'before' from millrace_private.sinks, unnest('{truncated,added_late}'::text[]) code
        where name = 'items'`,
    );
    const { rows } = await messages.db.query<{ resync: string }>(remedy ?? '');
    expect(rows).to.have.length(2);
    const left = async () =>
      (await messages.db.query("select from millrace_private.notices where message = 'before'")).rowCount;
    // The command takes it up where it is.
    const { code, said } = await resync();
    expect(code).to.equal(0);
    expect(said).to.include('A resync of shop is under way.');
    expect(await left()).to.equal(0);
    await expectSame();
  });

  it('goes on when everything is killed in the middle of it', async () => {
    await gap();
    let killed: Promise<void> | undefined;
    const { code } = await resync({}, (line) => {
      if (!line.includes('is captured again')) return;
      killed = service.kill().then(async () => {
        await messages.db.query('update millrace_private.lanes set until = clock_timestamp()');
        await messages.db.query('update millrace_private.operations set until = clock_timestamp()');
        await service.start();
      });
    });
    await killed;
    expect(code).to.equal(0);
    await expectSame();
  });

  // As long as a circuit is open: half a minute.
  if (process.env.MILLRACE_TEST_EVERY_PLACE === '1')
    it('waits for an engine that is away', async () => {
      await gap();
      let isAway = false;
      await relay.leave();
      const { code, said } = await resync({}, (line) => {
        if (!/^items: [\d,]+ messages to deliver: unreachable/.test(line) || isAway) return;
        isAway = true;
        // Half a minute passes.
        void relay
          .comeBack()
          .then(() => messages.db.query('update millrace_private.circuits set probe_at = clock_timestamp()'));
      });
      expect(isAway, said.join('\n')).to.equal(true);
      expect(code, said.join('\n')).to.equal(0);
      await expectSame();
    });

  it('repairs a source that was restored from an old backup', async function () {
    if (!hasPostgres15()) return this.skip();
    await server.backUp();
    await writeUnseen();
    await until('they are captured', () => engine.engine.documents('items').has(String(100_000 * place)));
    await shop.close();
    await server.end('SIGQUIT');
    await server.start();
    connect();
    await becomes('needs_resync');
    const { code, said } = await resync();
    expect(code, said.join('\n')).to.equal(0);
    expect(engine.engine.documents('items').has(String(100_000 * place))).to.equal(false);
    await expectSame();
  });
});
