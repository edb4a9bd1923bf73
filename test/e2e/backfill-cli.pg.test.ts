/** `millrace backfill` and `millrace backfills` against a running service: progress, reasons, exit codes. */
import { expect } from 'chai';
import { type BulkServer, startBulkServer } from '../support/engines/bulk-server.ts';
import { runCli, startCli } from '../support/processes/cli.ts';
import { startService, stopServices, type TestService } from '../support/processes/service.ts';
import { createWorld, type World } from '../support/processes/world.ts';
import { until } from '../support/until.ts';

const ROWS = 5_000;
const SCHEMA = `
  create table products (id int primary key, name text not null);
  create table "My Things" (id int primary key, made date not null);
  insert into products select n, 'product ' || n from generate_series(1, ${ROWS}) n;
  insert into "My Things" select n, date '2026-01-01' + n from generate_series(1, 100) n;
`;

describe('the commands of backfill', function () {
  this.timeout(120_000);
  let engine: BulkServer;
  let world: World;
  let service: TestService;
  const cli = (...args: string[]) => runCli(args, { DATABASE_URL: world.messagesUrl });
  const id = async (of: string): Promise<string> =>
    (
      await world.messages.query<{ id: string }>(
        `select id from millrace.backfill_status where ${of} order by created_at desc`,
      )
    ).rows[0]!.id;

  before(async () => {
    engine = await startBulkServer({ indexes: ['products', 'things'] });
    world = await createWorld(SCHEMA);
    const search = (index: string): string =>
      `{ type: elasticsearch, endpoint_url: "${engine.url}", index_name: ${index}, auth_type: none }`;
    service = await startService({
      databaseUrl: world.messagesUrl,
      yaml: `${world.yaml}
sinks:
  - { name: products, database: shop, source: { include_tables: [products] }, destination: ${search('products')} }
  - { name: everything, database: shop, destination: { type: pull } }
  - { name: things, database: shop, source: { include_tables: [My Things] }, initial_backfill: true, destination: ${search('things')} }
change_retentions:
  - { name: history, source_database: shop, source_table_name: products, destination_database: archive, destination_table_name: h, create_if_not_exists: true }
`,
    });
  });
  after(async () => {
    await stopServices();
    await world?.drop();
    await engine?.close();
  });

  it('the rows that are there come to a new sink', async () => {
    await until('all are there', () => engine.engine.documents('things').size === 100);
  });

  it('sends all tables of a sink, shows how far it is, and ends with 0', async () => {
    const { code, stdout, stderr } = await cli('backfill', 'products');
    expect(code, stdout + stderr).to.equal(0);
    expect(stdout).to.match(/^backfill [0-9a-f-]{36}\n/);
    expect(stdout).to.include('done: 5,000 rows read, 5,000 sent\n');
    expect(stdout).to.not.include('\u001b');
    await until('all are there', () => engine.engine.documents('products').size === ROWS);
  });

  it('sends the rows from a value on, of a table with an odd name', async () => {
    const { code, stdout, stderr } = await cli('backfill', 'things', '"My Things"', '--from', 'made=2026-04-02');
    expect(code, stdout + stderr).to.equal(0);
    expect(stdout).to.include('done: 10 rows read, 10 sent\n');
  });

  it('ends with 1 when it fails, with the reason and the remedy', async () => {
    const { code, stderr } = await cli('backfill', 'everything', 'nothing');
    expect(code).to.equal(1);
    expect(stderr).to.include('public.nothing failed: there is no table public.nothing in the source\n  Write it as');
    const wrong = await cli('backfill', 'things', '"My Things"', '--from', 'made=yesterdayish');
    expect(wrong.code).to.equal(1);
    expect(wrong.stderr).to.include('start_position is not a value of the column made');
    const listed = await cli('backfills', 'list');
    expect(listed.stdout).to.match(/ everything +\| public\.nothing +\| failed /);
    const failed = await id("table_name = 'nothing'");
    expect((await cli('backfills', 'cancel', failed.slice(0, 13))).stdout).to.include('cancelled');
    expect((await cli('backfills', 'list')).stdout).to.not.include('public.nothing');
    expect((await cli('backfills', 'list', '--all')).stdout).to.match(/public\.nothing +\| cancelled/);
  });

  it('pauses, resumes and cancels', async () => {
    await service.stop();
    const started = await cli('backfill', 'everything', 'products', '--no-wait');
    expect(started.code, started.stderr).to.equal(0);
    const one = started.stdout.trim();
    expect((await cli('backfills', 'pause', one)).stdout).to.include('paused');
    expect((await cli('backfills', 'show', one.slice(0, 8))).stdout).to.match(/^state +paused$/m);
    const again = await cli('backfills', 'pause', one);
    expect(again.code).to.equal(0);
    expect((await cli('backfills', 'resume', one)).stdout).to.include('continues');
    const twice = await cli('backfill', 'everything', 'products', '--no-wait');
    expect([twice.code, twice.stdout]).to.deep.equal([0, `${one}\n`]);
    expect(twice.stderr).to.include('A backfill of everything is under way');
    expect((await cli('backfills', 'cancel', one)).stdout).to.include('cancelled');
  });

  it('says that nobody works on it, and leaves it there after Ctrl-C', async () => {
    const command = startCli(['backfill', 'products'], { DATABASE_URL: world.messagesUrl });
    await until('it is said', () =>
      command.output().includes('waiting: is `bin/millrace start` (or the capture process) running?'),
    );
    expect(command.output()).to.include('database shop: ');
    command.interrupt();
    const { code, stderr } = await command.ended();
    expect(code).to.equal(130);
    const one = /^It continues without this command.* operation watch ([0-9a-f-]{36})\n$/.exec(stderr)?.[1];
    expect((await cli('backfills', 'cancel', one!)).code).to.equal(0);
  });

  it('says what is wrong with what was asked for, and what would be right', async () => {
    const wrong = async (...args: string[]): Promise<string> => {
      const { code, stderr, stdout } = await cli(...args);
      expect([code, stdout], stderr).to.deep.equal([1, '']);
      expect(stderr).to.not.match(/\n\s+at /);
      return stderr;
    };
    expect(await wrong('backfill', 'product'))
      .to.include('there is no sink product')
      .and.include('Did you mean products?');
    expect(await wrong('backfill', 'history')).to.include('a change table takes changes only');
    expect(await wrong('backfill', 'products', 'public.product'))
      .to.include('sink products does not take in public.product')
      .and.include('Did you mean public.products?');
    expect(await wrong('backfill', 'products', 'a.b.c')).to.include('names no table');
    expect(await wrong('backfill', 'products', 'My Things')).to.include("'My Things' names no table");
    expect(await wrong('backfill', 'products', 'products', '--from', 'id')).to.include('--from must be COLUMN=VALUE');
    expect(await wrong('backfill', 'products', '--from', 'id=3')).to.include('--from needs a table');
    expect(await wrong('backfills', 'show', 'abcdef00')).to.include('there is no backfill abcdef00');
    const nowhere = await runCli(['backfills', 'list'], {});
    expect(nowhere.stderr).to.include('There is no embedded server').and.include('bin/millrace start');
  });
});
