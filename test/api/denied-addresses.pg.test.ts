/**
 * Where no test of a connection may lead, however the address is written: endpoints, webhooks, sources and the databases of
 * change tables. The stream of a source is held to the same rule in test/db/reach.test.ts.
 */
import { expect } from 'chai';
import { applyConfig } from '../../src/catalog/apply/apply.ts';
import type { PrivateAllowed } from '../../src/runtime/addresses.ts';
import type { Resolver } from '../../src/runtime/checked-lookup.ts';
import { KEYS, parse } from '../catalog/support.ts';
import { type BulkServer, startBulkServer } from '../support/engines/bulk-server.ts';
import { type MessageDatabase, messageDatabase } from '../support/postgres/message-database.ts';
import { sharedSource, type TestDatabase } from '../support/postgres/postgres.ts';
import { type TestWeb, testWeb } from '../support/processes/web.ts';
import { type Endpoint, startEndpoint } from '../support/webhook/endpoint.ts';

const DATABASES = '/api/postgres_databases';

describe('a test of a connection leads to no address that is denied', () => {
  let m: MessageDatabase;
  let source: TestDatabase;
  let engine: BulkServer;
  let endpoint: Endpoint;
  const open: TestWeb[] = [];

  before(async () => {
    m = await messageDatabase();
    source = await (await sharedSource()).createDatabase();
    engine = await startBulkServer({ indexes: ['products'] });
    endpoint = await startEndpoint();
    const text = `databases: [{ name: shop, url: '${source.url}', slot: { name: s }, publication: { name: p } }]
change_retentions:
  - { name: history, source_database: shop, source_table_name: orders, destination_database: shop, destination_table_name: history }
`;
    await applyConfig({ db: m.db, keys: KEYS }, parse(text).config);
  });
  after(async () => {
    for (const one of open) await one.close();
    await engine?.close();
    await endpoint?.close();
    await source?.drop();
    await m?.drop();
  });
  const serving = async (deps: { privateAllowed: PrivateAllowed; resolver?: Resolver }): Promise<TestWeb> => {
    const one = await testWeb({ db: m.db, ...deps }, { keepHealthMs: 0 });
    open.push(one);
    return one;
  };
  const SPELLINGS = [
    ...['127.0.0.1', '127.1', '2130706433', '0x7f.1', '0177.0.0.1', '[::1]', '[::ffff:127.0.0.1]', '[::ffff:7f00:1]'],
    ...['[64:ff9b::7f00:1]', '[2002:7f00:1::]', '10.0.0.1', '[fd00::1]', 'localhost', '0.0.0.0', '169.254.169.254'],
    ...['[::ffff:169.254.169.254]', '[fe80::1]', '100.100.100.200', '[fd00:ec2::254]', '224.0.0.1'],
  ];
  const drafts = (host: string): [string, object][] => [
    ['/api/sinks', { destination: { type: 'webhook', url: `http://${host}:${endpoint.port}/hook` } }],
    [
      '/api/sinks',
      {
        destination: {
          ...{ type: 'elasticsearch', endpoint_url: `http://${host}:${engine.port}`, index_name: 'products' },
          auth_type: 'none',
        },
      },
    ],
    [DATABASES, { hostname: host.replace(/^\[(.*)\]$/, '$1'), port: Number(new URL(source.url).port), database: 'x' }],
  ];

  it('in any spelling, as an endpoint, a webhook and a source', async () => {
    const strict = await serving({ privateAllowed: 'declared' });
    const before = [engine.connections(), endpoint.connections()];
    const wrong: string[] = [];
    for (const host of SPELLINGS) {
      for (const [path, body] of drafts(host)) {
        const { status, json, text } = await strict.call('POST', `${path}/test_connection`, { body });
        const isRefused = json.code === 'destination_denied' || text.includes('cannot be connected to');
        if (status !== 422 || !isRefused) wrong.push(`${path} ${host}: ${status} ${text}`);
      }
    }
    const socket = { hostname: '/var/run/postgresql', database: 'postgres' };
    const { json } = await strict.call('POST', `${DATABASES}/test_connection`, { body: socket });
    expect(json.code).to.equal('destination_denied');
    expect(wrong).to.deep.equal([]);
    expect([engine.connections(), endpoint.connections()]).to.deep.equal(before);
  });

  it('whatever a name says the next time: the connection goes to the address that was looked up for it', async () => {
    const asked: string[] = [];
    const turning: Resolver = (name, _options, done) => {
      asked.push(name);
      done(null, [{ address: asked.length === 1 ? '127.0.0.1' : '169.254.169.254', family: 4 }]);
    };
    const turned = await serving({ privateAllowed: ['127.0.0.0/8'], resolver: turning });
    for (const [path, body] of drafts('rebound.example')) {
      asked.length = 0;
      const first = await turned.call('POST', `${path}/test_connection`, { body });
      // Of a source there are several connections: the second one is looked up again.
      if (path === DATABASES) expect(first.json.code, first.text).to.equal('destination_denied');
      else expect(first.json.code, first.text).to.not.equal('destination_denied');
      const second = await turned.call('POST', `${path}/test_connection`, { body });
      expect([second.status, second.json.code]).to.deep.equal([422, 'destination_denied']);
    }
  });

  it('as the database of a change table', async () => {
    const strict = await serving({ privateAllowed: false });
    const { status, json } = await strict.call('POST', '/api/change_retentions/history/test_connection');
    expect([status, json.code]).to.deep.equal([422, 'destination_denied']);
  });

  it('and where something is declared, that is said, with the setting that allows it', async () => {
    const strict = await serving({ privateAllowed: 'declared' });
    const yaml = (
      url: string,
    ): string => `databases: [{ name: shop, url: '${source.url}', slot: { name: s }, publication: { name: p } }]
sinks: [{ name: hooks, database: shop, destination: { type: webhook, url: '${url}' } }]
`;
    const warned = async (method: string, path: string, body: object): Promise<string> => {
      const { status, json, text } = await strict.call(method, path, { body });
      expect(status, text).to.be.within(200, 201);
      return json.warnings.join('\n');
    };
    const sentence = (thing: string, host: string, network: string): string =>
      `${thing}: ${host} is refused: ${host} is private, and ALLOW_PRIVATE_DESTINATIONS does not allow it: it is not connected to. ` +
      `Add ${network}, or a smaller network that holds it, to ALLOW_PRIVATE_DESTINATIONS.`;
    const local = { yaml: yaml(`http://127.0.0.1:${endpoint.port}/a`) };
    for (const path of ['/api/config/plan', '/api/config/apply'])
      expect(await warned('POST', path, local), path).to.equal(sentence('sink hooks', '127.0.0.1', '127.0.0.0/8'));
    expect(await warned('POST', '/api/config/plan', { yaml: yaml('https://93.184.216.34/a') })).to.equal('');
    const destination = { type: 'webhook', url: 'http://10.0.0.9/a' };
    const draft = { name: 'more', database: 'shop', destination };
    for (const path of ['/api/sinks/plan', '/api/sinks'])
      expect(await warned('POST', path, draft), path).to.equal(sentence('sink more', '10.0.0.9', '10.0.0.0/8'));
    const moved = { destination: { url: 'http://192.168.1.1/a' } };
    expect(await warned('PATCH', '/api/sinks/more', moved)).to.equal(
      sentence('sink more', '192.168.1.1', '192.168.0.0/16'),
    );
    const database = {
      name: 'far',
      hostname: '10.0.0.9',
      database: 'x',
      slot: { name: 'far' },
      publication: { name: 'far' },
    };
    expect(await warned('POST', `${DATABASES}?test=false`, database)).to.equal(
      sentence('database far', '10.0.0.9', '10.0.0.0/8'),
    );
    // What whoever runs the machine has declared stays allowed, also when it is changed over HTTP.
    await applyConfig({ db: m.db, keys: KEYS }, parse(local.yaml).config);
    const same = { yaml: local.yaml.replace('/a', '/b') };
    expect(await warned('POST', '/api/config/apply', same)).to.equal('');
  });
});
