/**
 * Every secret field of every kind of thing has a recognisable value, and servers that quote what they are sent: no answer of any
 * route that reads, no plan, export, error, audit row, log line or table has one.
 */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { ROUTES } from '../../src/api/routes.ts';
import { applyConfig } from '../../src/catalog/apply/apply.ts';
import { loadCatalog } from '../../src/catalog/store.ts';
import { KEYS, parse, SECRET_KEY } from '../catalog/support.ts';
import { appendMessages } from '../support/fixtures/fixtures.ts';
import { type MessageDatabase, messageDatabase } from '../support/postgres/message-database.ts';
import { sharedSource, type TestDatabase } from '../support/postgres/postgres.ts';
import { type Reply, type TestWeb, testWeb } from '../support/processes/web.ts';

const base64 = (text: string): string => Buffer.from(text).toString('base64');
/** Of things of the file; edits and plans replace each by one that begins with it. */
const SECRETS = {
  token: 'canary-token-8sj2ls9dk3',
  person: 'canary-person-staple',
  database: 'canary-database-pw',
  apiKey: 'canary-api-key-value',
  basic: 'canary-basic-password',
  bearer: 'canary-bearer-value',
  header: 'canary-header-value',
  signing: 'canary-signing-key-of-enough-bytes',
} as const;
type Secrets = Record<keyof typeof SECRETS, string>;

const fileOf = (secrets: Secrets, engine: string, source: string): string => {
  const search = (name: string, type: string, value: string): object => ({
    ...{ name, database: 'shop' },
    destination: { type: 'elasticsearch', endpoint_url: engine, index_name: name, auth_type: type, auth_value: value },
  });
  const { hostname, port, pathname, username } = new URL(source);
  return JSON.stringify({
    users: [{ email: 'filed@example.com', password: secrets.person }],
    api_tokens: [{ name: 'filed', token: secrets.token, scopes: ['read'] }],
    databases: [
      {
        ...{ name: 'shop', hostname, port: Number(port), database: pathname.slice(1), username },
        ...{ password: secrets.database, ssl: false, slot: { name: 'a' }, publication: { name: 'a' } },
      },
    ],
    functions: [{ name: 'document', type: 'path', path: 'record' }],
    sinks: [
      { name: 'orders', database: 'shop', destination: { type: 'pull' } },
      search('by-key', 'api_key', secrets.apiKey),
      search('by-password', 'basic', `elastic:${secrets.basic}`),
      search('by-bearer', 'bearer', secrets.bearer),
      {
        ...{ name: 'hook', database: 'shop', transform: 'document' },
        destination: {
          ...{ type: 'webhook', url: `${engine}/in`, encrypted_headers: { authorization: `Bearer ${secrets.header}` } },
          signing_secrets: [`whsec_${base64(secrets.signing)}`],
        },
      },
    ],
    change_retentions: [
      {
        ...{ name: 'history', source_database: 'shop', source_table_name: 'a' },
        ...{ destination_database: 'shop', destination_table_name: 'b' },
      },
    ],
  });
};
const others = (secrets: Secrets): Secrets =>
  Object.fromEntries(Object.entries(secrets).map(([key, text]) => [key, `${text}-b`])) as Secrets;

describe('api: secrets', function () {
  this.timeout(60_000);
  let m: MessageDatabase;
  let web: TestWeb;
  let source: TestDatabase;
  let engine: Server;
  /** Of the engine. */
  let url: string;
  /** What it was sent, and quoted. */
  const credentials = new Set<string>();
  const told: { where: string; text: string }[] = [];
  /** Made here and shown once. */
  const made: string[] = [];

  before(async () => {
    engine = createServer((request, response) => {
      credentials.add(request.headers.authorization ?? '');
      response.writeHead(401, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ error: { type: 'quoted', reason: JSON.stringify(request.headers) } }));
    });
    await new Promise<void>((resolve) => engine.listen(0, '127.0.0.1', resolve));
    url = `http://127.0.0.1:${(engine.address() as AddressInfo).port}`;
    source = await (await sharedSource()).createDatabase();
    m = await messageDatabase();
    web = await testWeb({ db: m.db, privateAllowed: true }, { keepHealthMs: 0 });
    await applyConfig({ db: m.db, keys: KEYS }, parse(fileOf(SECRETS, url, source.url)).config, { from: 'start' });
  });
  after(async () => {
    await web?.close();
    await m?.drop();
    await source?.drop();
    engine?.close();
  });

  const call = async (method: string, at: string, body?: unknown, token = 'admin-token'): Promise<Reply> => {
    const reply = await web.call(method, `/api/${at}`, { body, token });
    told.push({ where: `${method} ${at}`, text: `${reply.text} ${JSON.stringify([...reply.headers])}` });
    return reply;
  };
  const foundIn = (text: string): string[] => {
    const texts = [...Object.values(SECRETS), `elastic:${SECRETS.basic}`, SECRET_KEY, ...made];
    const spelled = texts.flatMap((one) => [one, base64(one).slice(0, -4), Buffer.from(one).toString('hex')]);
    const low = text.toLowerCase();
    return spelled.filter((one) => low.includes(one.toLowerCase()));
  };

  it('are stored, each of them', async () => {
    const { databases, sinks } = await loadCatalog(m.db, KEYS);
    const stored = JSON.stringify([databases.map((one) => one.address()), sinks.map((one) => one.secret())]);
    const { token: _, person: __, ...sealed } = SECRETS;
    for (const secret of Object.values(sealed))
      expect(stored.includes(secret) || stored.includes(base64(secret)), secret).to.equal(true);
    expect(foundIn(stored).length).to.be.at.least(Object.keys(sealed).length);
  });

  it('are in no answer of what changes, tries and refuses', async () => {
    const next = fileOf(others(SECRETS), url, source.url);
    const key = await web.call('POST', '/api/api_keys', { body: { name: 'made', scopes: ['read'] } });
    const person = { email: 'ann@example.com', password: 'canary-made-person' };
    await call('POST', 'users', { ...person, scopes: ['read'] });
    const session = await web.call('POST', '/api/sessions', { token: null, body: person });
    made.push(key.json.token, person.password, session.headers.get('set-cookie')!.split(/[=;]/)[1]!);
    expect(made.map((text) => typeof text === 'string' && text.length > 16)).to.deep.equal([true, true, true]);

    const planned = await call('POST', 'config/plan', { yaml: next });
    expect(planned.json.changes.length, planned.text).to.be.at.least(6);
    for (const verb of ['plan', 'apply']) {
      const broken = next.replaceAll('"pull"', '"pul"').replaceAll('"auth_type"', '"auth_typ"');
      expect((await call('POST', `config/${verb}`, { yaml: broken })).status).to.equal(422);
      expect((await call('POST', `config/${verb}`, { yaml: next.slice(0, -9) })).status).to.equal(422);
    }
    for (const [list, entries] of Object.entries(JSON.parse(next) as Record<string, { name: string }[]>)) {
      const at = list === 'databases' ? 'postgres_databases' : list;
      if (list === 'api_tokens') continue;
      for (const entry of entries) {
        await call('POST', at, { ...entry, nonsense: 1 });
        await call('POST', at, { ...entry, name: 7 });
        if (list === 'users' || list === 'functions') continue;
        await call('PATCH', `${at}/${entry.name}`, entry);
        await call('POST', `${at}/${entry.name}/test_connection`, {});
        await call('POST', `${at}/test_connection`, { ...entry, name: 'another' });
        if (list === 'sinks' || list === 'change_retentions') {
          await call('POST', `${at}/plan`, { ...entry, name: 'another' });
          await call('POST', `${at}/${entry.name}/plan`, entry);
        }
        await call('POST', `${at}/${entry.name}/release`, {});
        const edited = await call('PATCH', `${at}/${entry.name}`, { annotations: { a: 'b' } });
        expect(edited.status, edited.text).to.be.oneOf([200, 422]);
      }
    }
    const sent = [...credentials].filter((text) => foundIn(text).length > 0);
    expect(sent, [...credentials].join()).to.have.length.of.at.least(4);
    expect((await call('POST', 'sessions', { email: person.email, password: SECRETS.person })).status).to.equal(401);
    expect((await call('GET', 'whoami', undefined, `${SECRETS.token}x`)).status).to.equal(401);
  });

  it('are in no answer of what reads', async () => {
    const { rows } = await m.db.query<{ no: number; name: string }>(
      "select no, name from millrace_private.sinks where name in ('orders', 'hook')",
    );
    const ids = await Promise.all(rows.map(async ({ no, name }) => [name, (await appendMessages(m.db, no, [{}]))[0]]));
    const message = Object.fromEntries(ids);
    const backfill = await call('POST', 'sinks/hook/backfills', { table: 'public.orders' });
    const idOf = async (list: string): Promise<string> => (await call('GET', list)).json.data[0].id;
    const known: Record<string, string> = {
      api_keys: await idOf('api_keys'),
      users: await idOf('users'),
      operations: backfill.json.id ?? '1',
    };
    const sinks = ['orders', 'by-key', 'by-password', 'by-bearer', 'hook'];
    const userId = `?user=${known.users}`;
    let read = 0;
    for (const { method, path, input } of ROUTES) {
      if (method !== 'GET') continue;
      const [, , first] = path.split('/') as [string, string, string];
      for (const sink of first === 'sinks' ? sinks : ['history']) {
        const at = path
          .replace('/api/', '')
          .replace(':sink', sink)
          .replace(':database', 'shop')
          .replace(':table', 'public.orders')
          .replace(':function', 'document')
          .replace(':id', () => (path.includes('/messages/') ? `${message[sink] ?? 1}` : (known[first] ?? '1')));
        const query = 'include' in input.shape ? '?include=message,shaped' : path.endsWith('/sessions') ? userId : '';
        const { status } = await call('GET', at + query);
        if (status === 200) read += 1;
        expect(status, at).to.be.oneOf([200, 400, 404, 409, 422, 502]);
      }
    }
    expect(read).to.be.at.least(30);
    for (const shown of ['true', 'false']) await call('GET', `config/export?show-sensitive=${shown}`);
  });

  it('nor in an answer, an audit row, a log line or a table', async () => {
    for (const { where, text } of told) expect(foundIn(text), `${where}: ${text}`).to.deep.equal([]);
    expect(foundIn(JSON.stringify(web.logged))).to.deep.equal([]);
    const audit = await m.db.query('select * from millrace.audit');
    expect(audit.rows.length).to.be.at.least(10);
    expect(foundIn(JSON.stringify(audit.rows))).to.deep.equal([]);
    const { rows } = await m.db.query<{ name: string }>(
      "select format('%I.%I', schemaname, tablename) as name from pg_tables where schemaname = 'millrace_private'",
    );
    expect(rows.length).to.be.at.least(20);
    for (const { name } of rows) {
      const all = await m.db.query<{ row: string }>(`select t::text as row from ${name} t`);
      expect(foundIn(all.rows.map(({ row }) => row).join('\n')), name).to.deep.equal([]);
    }
  });
});
