import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import { parse } from 'yaml';
import { playgroundYaml } from '../../src/playground/declaration.ts';
import { nextStep } from '../../src/playground/trickle.ts';
import { commandIn, type EmbeddedPlace, type Surroundings, welcome } from '../../src/playground/welcome.ts';

const EMBEDDED: EmbeddedPlace = { port: 7377, dataDir: '/home/ann/shop/.millrace/postgres', moved: false };
const AROUND: Surroundings = {
  baseUrl: 'http://127.0.0.1:7376',
  answering: true,
  command: 'bin/millrace',
  messages: EMBEDDED,
  playground: { apiToken: 'mr_token' },
};

describe('playground', () => {
  it('says what runs where, and three commands for psql', () => {
    const text = welcome({ ...AROUND, messages: { ...EMBEDDED, passfile: '.millrace/pgpass' } });
    expect(text).to.contain('http://127.0.0.1:7376').and.to.contain('127.0.0.1:7377');
    expect(text).to.contain('/home/ann/shop/.millrace/postgres\n').and.not.to.contain('not answering');
    expect(text).to.contain(
      'curl -s -H "Authorization: Bearer mr_token" "http://127.0.0.1:7376/api/http_pull_consumers/orders-worker/receive?batch_size=5&wait_for=10s"',
    );
    expect(text).to.contain(
      `psql "postgres://playground@127.0.0.1:7377/playground?passfile=.millrace%2Fpgpass" -c "insert into orders (customer_id, payload) values (1, '{}')"`,
    );
    expect(text).to.match(/psql "[^"]*\/millrace\?[^"]*" -c "select \* from millrace.pending_messages/);
  });

  it('shows the token on a terminal alone: elsewhere it says where it is', () => {
    const text = welcome({ ...AROUND, playground: { tokenIn: '.millrace/state.json' } });
    expect(text).to.contain('Bearer $TOKEN"').and.not.to.contain('mr_token');
    const folder = mkdtempSync(path.join(tmpdir(), 'welcome-'));
    mkdirSync(path.join(folder, '.millrace'));
    writeFileSync(
      path.join(folder, '.millrace/state.json'),
      JSON.stringify({ a: 1, apiToken: 'mr_x-Y_9' }, undefined, 2),
    );
    const line = text.split('\n').find((each) => each.includes('TOKEN=$('))!;
    const found = execFileSync('sh', ['-c', `${line.trim()}; printf %s "$TOKEN"`], { cwd: folder, encoding: 'utf8' });
    rmSync(folder, { recursive: true });
    expect(found).to.equal('mr_x-Y_9');
  });

  it('shows where the console is, with what makes the first user as long as there is none', () => {
    expect(welcome({ ...AROUND, setup: { token: 'abc' } })).to.contain(
      'console        http://127.0.0.1:7376/setup#k=abc ',
    );
    const logged = welcome({ ...AROUND, setup: { token: null } });
    expect(logged).to.contain('first user     none yet').and.not.contain('#k=');
    expect(welcome({ ...AROUND, setup: null }))
      .to.contain('console        http://127.0.0.1:7376/\n')
      .and.not.contain('first user');
  });

  it('prints our own prompt without psql', () => {
    const text = welcome(AROUND);
    expect(text).not.to.contain('psql');
    expect(text).to.contain('bin/millrace sql --database playground "insert into orders');
    expect(text).to.contain('bin/millrace sql "select * from millrace.pending_messages');
  });

  it('names the folder that the data moved to, and an API that does not answer', () => {
    const text = welcome({
      ...AROUND,
      messages: { ...EMBEDDED, moved: true, dataDir: '/var/lib/millrace-abc' },
      answering: false,
    });
    expect(text).to.contain('/var/lib/millrace-abc (the server');
    expect(text).to.contain('not answering yet');
  });

  it('names its command as a shell in that folder takes it', () => {
    expect(commandIn('/home/ann/shop', '/home/ann/shop/bin/millrace')).to.equal('bin/millrace');
    expect(commandIn('/home/ann', '/opt/millrace/bin/millrace')).to.equal('/opt/millrace/bin/millrace');
    expect(commandIn('/', "/home/ann's/bin/millrace")).to.equal("'home/ann'\\''s/bin/millrace'");
  });

  it('says how to look at a configuration of your own', () => {
    const { playground: _, ...rest } = AROUND;
    for (const messages of [EMBEDDED, 'shop on db.example.com:5432']) {
      const text = welcome({ ...rest, command: "'/opt/my tools/bin/millrace'", messages });
      expect(text).to.contain('7376').and.not.to.contain('curl');
      expect(text).to.contain(
        `'/opt/my tools/bin/millrace' sql "select sink_name, health, pending, parked, error from millrace.sink_status"`,
      );
    }
    const given = welcome({ ...rest, messages: 'shop on db.example.com:5432' });
    expect(given).to.contain('messages       database shop on db.example.com:5432, of DATABASE_URL');
    expect(given).to.contain('with the same DATABASE_URL').and.not.to.contain('Postgres 18');
  });

  it('declares itself in the YAML that a user would write', () => {
    const url = 'postgres://postgres:p%23@127.0.0.1:7377/playground';
    const declared = parse(playgroundYaml({ url, apiToken: 'mr_token' }));
    expect(declared).to.deep.equal({
      api_tokens: [{ name: 'playground', token: 'mr_token', scopes: ['admin'] }],
      databases: [
        {
          name: 'playground',
          url,
          ssl: false,
          slot: { name: 'millrace_playground', create_if_not_exists: true },
          publication: { name: 'millrace_playground', create_if_not_exists: true },
        },
      ],
      sinks: [
        {
          name: 'orders-worker',
          database: 'playground',
          source: { include_tables: ['public.orders', 'public.order_lines'] },
          destination: { type: 'pull' },
        },
      ],
      change_retentions: [
        {
          name: 'orders-history',
          source_database: 'playground',
          source_table_schema: 'public',
          source_table_name: 'orders',
          actions: ['insert', 'update', 'delete'],
          destination_database: 'playground',
          destination_table_schema: 'public',
          destination_table_name: 'orders_events',
          create_if_not_exists: true,
        },
      ],
    });
  });

  it('chooses its next change by a random number', () => {
    const names = [0, 0.3, 0.75, 0.95].map((choice) => {
      const step = nextStep(() => choice);
      return `${step.statement.name}/${step.values.length}`;
    });
    expect(names).to.deep.equal([
      'playground/place-order/2',
      'playground/advance-order/1',
      'playground/change-price/2',
      'playground/forget-order/0',
    ]);
  });
});
