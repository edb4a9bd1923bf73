/**
 * Every command, as its help and docs/cli.md have it: each printed example runs as it stands, over HTTP and on DATABASE_URL,
 * beside a service that captures and delivers. Names in them are those of the service here; ids are those that there are.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import { GROUPS } from '../../src/cli/table/groups.ts';
import { type BulkServer, startBulkServer } from '../support/engines/bulk-server.ts';
import { type CliBatch, openCliBatch } from '../support/processes/cli-batch.ts';
import { startService, stopServices, type TestService } from '../support/processes/service.ts';
import { createWorld, TOKEN, type World } from '../support/processes/world.ts';
import { until } from '../support/until.ts';

const SCHEMA = `
  create schema sales;
  create table products (id int primary key, name text);
  create table orders (id int primary key, status text);
  create table sales.orders (id int primary key, updated_at date);
  insert into products select n, 'product ' || n from generate_series(1, 5) n;
  insert into orders select n, 'new' from generate_series(16, 20) n;
  insert into sales.orders values (31, '2026-02-01');
`;
const SHAPE = '(action, record) => record';
const REFUSED = { status: 400, error: { type: 'mapper_parsing_exception', reason: 'no place for it' } };
const PASSWORD = 'a long enough password';
const MESSAGE = '1795250360075568';
const OPERATION = '3f0c1c4e-6a36-4b5e-9f6e-0a8d6a1f7b11';

/** A line with the exit code that it must have, if it is another one than 0. */
type Line = string | [line: string, code: number];

/** In this order; what is made in it is taken away in it. */
const SCENARIO: readonly Line[] = [
  ...['config validate millrace.yaml', 'config apply'],
  ...['config plan', 'config plan millrace.yaml --prune', 'config apply millrace.yaml --prune --auto-approve'],
  ...['config export', 'status', 'status --json', 'whoami', 'openapi', 'secret rotate'],
  ...['change-table sql --table orders_events'],
  ...['change-table sql --table sales.orders_events --variant pg_cron --keep "30 days"'],
  ...['doctor', 'doctor --database shop --sql'],
  ...['database list', 'database show shop', 'database checks shop'],
  ...(['database accept-gap shop'] as const).map((line): Line => [line, 1]),
  ...['database test shop', 'database test -f shop.yaml', 'database test shop -f changes.yaml'],
  ...['database tables shop', 'database tables shop --name order', 'database types shop public.orders'],
  ...['database rows shop public.orders --limit 3', 'database setup-sql shop', 'database setup-sql shop --version 16'],
  ...['database setup-sql -f shop.yaml --version 17', 'database metrics shop --step hour', 'database slots shop'],
  ...['database refresh shop', 'database edit shop'],
  // Of the file, of which there is one already, and in use.
  ['database edit shop -f changes.yaml', 1],
  ['database create -f shop.yaml', 1],
  ['database remove shop', 1],
  ...['sink list', 'sink list --health error', 'sink show orders-worker', 'sink metrics orders-worker'],
  ...['sink metrics orders-worker --step hour', 'sink attempts orders-worker', 'sink test orders-worker'],
  ...['sink test -f orders-worker.yaml', 'sink test orders-worker -f changes.yaml'],
  ...['sink dismiss orders-worker invalid_utf8', 'sink pause orders-worker', 'sink disable orders-worker'],
  ...['sink resume orders-worker', 'sink probe orders-worker'],
  ['sink plan orders-worker -f changes.yaml', 2],
  ['retention plan orders-history -f changes.yaml', 2],
  ['sink plan -f orders-worker.yaml', 1],
  ...['release sink orders-worker', 'adopt sink orders-worker', 'release change_retention orders-history'],
  ...['sink edit orders-worker', 'retention edit orders-history', 'retention edit orders-history -f changes.yaml'],
  ['sink edit orders-worker -f changes.yaml', 1],
  ...['retention list', 'retention list --database shop', 'retention show orders-history'],
  ...['retention attempts orders-history', 'retention metrics orders-history'],
  ...['retention metrics orders-history --step hour', 'retention test orders-history'],
  ...['retention test -f orders-history.yaml', 'retention test orders-history -f changes.yaml'],
  ...['retention dismiss orders-history invalid_utf8', 'retention pause orders-history'],
  ...['retention disable orders-history', 'retention resume orders-history', 'retention probe orders-history'],
  ['retention plan -f orders-history.yaml', 1],
  ...['retention entries orders-history --key 17', 'retention entries orders-history --order newest --limit 10'],
  ...['retention policy orders-history', 'retention sql orders-history'],
  ...['retention sql orders-history --variant pg_partman --interval "1 day"'],
  ...[
    'function list',
    'function list --type filter',
    'function show product-document',
    'function edit product-document',
  ],
  ['function edit product-document -f changes.yaml', 1],
  ['function create -f product-document.yaml', 1],
  ['function remove product-document', 1],
  ...['backfill products-index', 'backfills list', 'backfills list --all', 'backfills show 3f0c1c4e'],
  ...(['pause', 'resume', 'cancel'] as const).map((verb): Line => [`backfills ${verb} 3f0c1c4e`, 1]),
  ...['backfill products-index sales.orders --from updated_at=2026-01-31 --no-wait'],
  ...['replay orders-history orders-worker --since 2026-11-20'],
  ...['replay orders-history orders-worker --key 17 18 --dry-run'],
  ...['pending', 'pending orders-worker --table public.orders', 'pending orders-worker --order newest', 'parked'],
  ...['parked products-index --error mapper_parsing_exception', 'message groups products-index'],
  ...[`message show products-index ${MESSAGE}`, `message attempts products-index ${MESSAGE}`],
  ...[`retry products-index ${MESSAGE}`, 'retry products-index --table products --dry-run'],
  ...[`discard products-index ${MESSAGE}`, 'discard products-index --state parked --yes'],
  ...['verify products-index', `operation watch ${OPERATION}`],
  ...['operation list', 'operation list --state running', `operation show ${OPERATION}`],
  ...[`operation differences ${OPERATION}`],
  ...(['pause', 'resume', 'cancel'] as const).map((verb): Line => [`operation ${verb} ${OPERATION}`, 1]),
  ...['verify products-index --repair --show 100'],
  ['tail orders-worker', 1],
  ['tail orders-worker --ack --json', 1],
  ['sink preview products-index', 1],
  ['sink preview products-index --json --timeout 60', 1],
  ['function run product-document --sink products-index', 0],
  ['function run --code shape.js --type transform --sink products-index', 0],
  ['resync shop', 1],
  ...['token create --name ci --scope operate', 'token list'],
  ...['token create --name dashboard --scope read --expires 2027-01-31T08:00:00Z', 'token revoke ci'],
  ...['user create ann@example.org --scope operate read:data', 'user list', 'user edit ann@example.org --scope read'],
  ...['user password ann@example.org', 'session list ann@example.org', 'session end --user ann@example.org'],
  [`session end ${OPERATION}`, 1],
  ...['user remove ann@example.org', 'audit', 'audit --subject "sink products-index" --limit 10'],
  ...['retention remove orders-history', 'retention create -f orders-history.yaml'],
  ...['sink remove orders-worker', 'sink create -f orders-worker.yaml'],
  ...['rebuild products-index --index products-2 --alias shop-products', 'resync shop --force --yes --no-wait'],
];

/** The engine here finds at once what was written; a real one is waited for, several times in a verification. */
const REFRESH_MS = 10;

/** These follow what comes: they are left after a while. */
const FOLLOWING = /^(tail|sink preview) /;

describe('cli: every command', function () {
  this.timeout(120_000);
  let engine: BulkServer;
  let world: World;
  let service: TestService;
  let folder: string;
  before(async () => {
    engine = await startBulkServer({ indexes: ['products', 'products-2'] });
    world = await createWorld(SCHEMA);
    folder = await mkdtemp(path.join(os.tmpdir(), 'every-'));
    const worker = `{ name: orders-worker, database: shop, source: { include_tables: [orders] }, destination: { type: pull } }`;
    const history = `{ name: orders-history, source_database: shop, source_table_name: orders, destination_database: archive, destination_table_name: orders_events, create_if_not_exists: true }`;
    const code = JSON.stringify(SHAPE);
    const document = `{ name: product-document, type: transform, code: ${code} }`;
    const yaml = `${world.yaml}
functions: [${document}]
sinks:
  - ${worker}
  - { name: products-index, database: shop, transform: product-document, destination: { type: elasticsearch, endpoint_url: "${engine.url}", index_name: products, auth_type: none } }
change_retentions:
  - ${history}
`;
    const shop = `{ name: shop, url: "${world.shopUrl}", ssl: false, slot: { name: ${world.slot} }, publication: { name: of_the_test } }`;
    const files = { 'millrace.yaml': yaml, 'shop.yaml': shop, 'orders-worker.yaml': worker };
    const more = { 'orders-history.yaml': history, 'product-document.yaml': document, 'shape.js': SHAPE };
    for (const [name, text] of Object.entries({ ...files, ...more })) await writeFile(path.join(folder, name), text);
    const env = { ALLOW_PRIVATE_DESTINATIONS: 'true' };
    service = await startService({ databaseUrl: world.messagesUrl, yaml, env });
  });
  after(async () => {
    await stopServices();
    await world?.drop();
    await engine?.close();
    await rm(folder, { recursive: true, force: true });
  });

  it('has each example of the help in its scenario', () => {
    const examples = GROUPS.flatMap(({ name, commands }) =>
      commands.flatMap((command) => command.examples.map((one) => [name, one].filter(Boolean).join(' '))),
    );
    const lines = SCENARIO.map((line) => (typeof line === 'string' ? line : line[0]));
    expect(lines).to.have.members(examples.map((one) => one.replace(/ > .*/, '')));
  });

  /** Of the last job, as the command line says it. */
  async function idFor(batch: CliBatch, line: string): Promise<string> {
    const id = async (words: string[]): Promise<unknown> =>
      JSON.parse((await batch.call([...words, '--json'])).stdout).data[0]?.id;
    if (line.includes(MESSAGE))
      return line.replace(MESSAGE, String((await id(['parked', 'products-index'])) ?? MESSAGE));
    if (line.startsWith('backfills'))
      return line.replace('3f0c1c4e', String(await id(['operation', 'list', '--kind', 'backfill'])));
    if (!line.startsWith('operation')) return line;
    return line.replace(OPERATION, String(await id(['operation', 'list', '--kind', 'verify'])));
  }

  /** Of what is sent next, a message is parked until it is tried again. */
  const refuse = ({ id }: { id: string }) => (id === '5' ? REFUSED : undefined);
  const isParked = async (): Promise<boolean> =>
    (await world.messages.query("select from millrace.sink_status where sink_name = 'products-index' and parked = 1"))
      .rowCount === 1;

  const wordsOf = (line: string): string[] =>
    (line.match(/"[^"]*"|\S+/g) ?? []).map((word) => word.replace(/^"(.*)"$/, '$1'));

  for (const way of ['over HTTP', 'on DATABASE_URL']) {
    it(`runs as printed ${way}, and asks what it says that it asks`, async () => {
      const remote = { MILLRACE_URL: service.url, MILLRACE_TOKEN: TOKEN };
      const env = way === 'over HTTP' ? remote : { DATABASE_URL: world.messagesUrl };
      const batch = openCliBatch(folder, { ...env, EDITOR: 'true' });
      const wrong: string[] = [];
      const asked = new Set<string>();
      try {
        for (const step of SCENARIO) {
          const [line, code] = typeof step === 'string' ? [step, 0] : step;
          if (line === 'parked') await until('one is parked', isParked);
          if (line === 'backfill products-index') engine.fail({ kind: 'items', decide: refuse }, { body: /"_id":"5"/ });
          const changes = line.startsWith('retention')
            ? 'actions: [insert, update]\n'
            : 'annotations: { team: sales }\n';
          await writeFile(path.join(folder, 'changes.yaml'), changes);
          const limit = FOLLOWING.test(line) ? ['--timeout', '0.5'] : [];
          const refresh = line.startsWith('verify ') ? ['--refresh', String(REFRESH_MS)] : [];
          const words = [...wordsOf(await idFor(batch, line)), '--yes', '--verbose', ...limit, ...refresh];
          const called = await batch.call(words, PASSWORD);
          for (const [, route] of called.stderr.matchAll(/^([A-Z]+ \/api\/\S+): \d+, \d+ ms$/gm)) asked.add(route!);
          const told = called.stderr.replaceAll(/^(asking .*|[A-Z]+ \/api\/\S+: \d+, \d+ ms)\n/gm, '');
          if (called.code !== code) wrong.push(`${line}: ${called.code}, not ${code}\n${called.stdout}${told}`);
          if (/\n\s+at |internal|undefined|\[object/.test(called.stdout + told)) wrong.push(`${line}:\n${told}`);
        }
      } finally {
        batch.close();
      }
      await world.messages.query(
        `select millrace.cancel_operation(id) from millrace.operation_status where kind = 'resync' and ended_at is null`,
      );
      await world.messages.query("delete from millrace_private.api_tokens where name = 'dashboard'");
      // What the rebuild has made: the other way makes it again.
      const made = `${service.url}/api/sinks/products-index-products-2?force=true`;
      const gone = await fetch(made, { method: 'DELETE', headers: { authorization: `Bearer ${TOKEN}` } });
      expect(gone.status).to.equal(200);
      await world.settled(['products-index']);
      expect(wrong.join('\n')).to.equal('');
      const declared = GROUPS.flatMap(({ commands }) =>
        commands.flatMap((command) => ('route' in command ? [command.route] : command.asks)),
      );
      expect(declared).to.include.members([...asked]);
      expect(asked.size).to.be.greaterThan(80);
    });
  }
});
