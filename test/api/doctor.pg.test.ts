/** `GET /api/doctor`, and the checks of one database: the same findings as the command's, for whoever may read. */
import { expect } from 'chai';
import { examine } from '../../src/admin/doctor/examine.ts';
import { addressPlace, seal } from '../../src/catalog/secrets.ts';
import { createLog } from '../../src/runtime/log.ts';
import { keyRing } from '../../src/runtime/secret-key.ts';
import { readSettings, withDatabase } from '../../src/runtime/settings.ts';
import { PULL, SEARCH, sinkSettings } from '../support/fixtures/captured.ts';
import { type Examined, examined } from '../support/fixtures/examined.ts';
import { SECRET_KEY } from '../support/processes/service.ts';
import { type Reply, type TestWeb, testWeb } from '../support/processes/web.ts';

interface Shown {
  id: string;
  subject: { kind: string; name: string | null };
  answer: string | null;
  sql: string | null;
  run_on: string | null;
}

describe('GET /api/doctor', () => {
  let by: Examined;
  let web: TestWeb;
  let looks = 0;

  before(async () => {
    by = await examined('create table keyed (id int primary key)');
    await by.on.addSink(sinkSettings({ name: 'all', destination: PULL }));
    await by.on.addSink(
      sinkSettings({ name: 'index', destination: { ...SEARCH, endpoint_url: 'http://127.0.0.1:1' } }),
    );
    by.on.start();
    await by.on.streaming();
    await by.stop();
    await by.on.source.query(`select pg_drop_replication_slot('${by.on.slot}')`);
    const settings = withDatabase(
      readSettings({ DATABASE_URL: by.on.messages.url, SECRET_KEY, BASE_URL: 'https://m.example' }),
    );
    const log = createLog({ level: 'silent', role: 'test' });
    web = await testWeb({
      db: by.on.messages.db,
      examine: async (request) => {
        looks += 1;
        return await examine({ settings, log, now: Date.now }, request, new AbortController().signal);
      },
    });
  });
  after(async () => {
    await web?.close();
    await by?.close();
  });
  const get = (path: string, token = 'read-token'): Promise<Reply> => web.call('GET', path, { token });
  const find = (reply: Reply, id: string): Shown | undefined =>
    reply.json.checks.find((check: Shown) => check.id === id);

  it('answers what is wrong, the worst first, and what to run; many who ask at once are answered by one look', async () => {
    const [reply, again] = await Promise.all([get('/api/doctor'), get('/api/doctor')]);
    expect(reply.status, reply.text).to.equal(200);
    expect(again.json).to.deep.equal(reply.json);
    expect(looks).to.equal(1);
    expect(reply.json.ok).to.equal(false);
    expect(find(reply, 'slot_gone')).to.deep.include({
      subject: { kind: 'database', name: 'shop' },
      link: 'https://m.example/databases/shop',
      sql: "select millrace.resync('shop', force => true)",
      run_on: 'message database',
    });
    const order = reply.json.checks.map(({ status }: { status: string }) =>
      ['error', 'warning', 'notice', 'skipped', 'ok'].indexOf(status),
    );
    expect(order).to.deep.equal(order.toSorted((one: number, other: number) => one - other));
    expect(reply.text).to.not.include(by.on.declared.address.password);
  });

  it("tells a destination's own words to whoever may read rows", async () => {
    expect(find(await get('/api/doctor?sink=index'), 'unreachable')).to.include({ answer: null });
    expect(find(await get('/api/doctor?sink=index', 'data-token'), 'unreachable')?.answer).to.include(
      'nothing listens',
    );
  });

  it('answers from the message database alone when it is to be quick', async () => {
    const reply = await get('/api/doctor?quick=true');
    expect(reply.status, reply.text).to.equal(200);
    expect(find(reply, 'slot_gone')).to.equal(undefined);
    expect(find(reply, 'no_capture')).to.not.equal(undefined);
  });

  it('has the checks of one database, by its name or id', async () => {
    const { rows } = await by.on.messages.db.query<{ id: string }>('select id from millrace_private.databases');
    for (const ref of ['shop', rows[0]!.id]) {
      const reply = await get(`/api/postgres_databases/${ref}/checks`);
      expect(reply.json.ok).to.equal(false);
      expect(find(reply, 'slot_gone')).to.not.equal(undefined);
      expect(reply.json.checks.every(({ subject }: Shown) => subject.kind === 'database')).to.equal(true);
    }
  });

  it('asks nothing of what capture needs where nothing is to be read', async () => {
    const role = `${by.on.slot}_writes`;
    await by.on.source.query(`create role ${role} login password 'archived' noreplication`);
    const { rows } = await by.on.messages.db.query<Parameters<typeof addressPlace>[0]>(
      `insert into millrace_private.databases (name, settings, address, hostname, database_name)
       select 'archive', settings || '{"name": "archive", "slot": {"name": "millrace", "create_if_not_exists": false}}',
              address, hostname, database_name
         from millrace_private.databases returning id, name, hostname`,
    );
    const address = JSON.stringify({ ...by.on.declared.address, user: role, password: 'archived' });
    const keys = keyRing({ secretKey: SECRET_KEY, previousKeys: [] });
    await by.on.messages.db.query('update millrace_private.databases set address = $1 where id = $2', [
      seal(keys, addressPlace(rows[0]!), address),
      rows[0]!.id,
    ]);
    const reply = await get('/api/postgres_databases/archive/checks');
    expect([reply.json.ok, find(reply, 'may_not_replicate')], reply.text).to.deep.equal([true, undefined]);
  });

  it('refuses what it does not know', async () => {
    expect((await get('/api/doctor?database=nowhere')).status).to.equal(404);
    expect((await get('/api/postgres_databases/nowhere/checks')).status).to.equal(404);
    expect((await get('/api/doctor?quick=perhaps')).status).to.equal(400);
    expect((await get('/api/doctor', 'orders-token')).status).to.equal(403);
  });
});
