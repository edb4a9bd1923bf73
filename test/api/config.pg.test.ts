// biome-ignore-all lint/suspicious/noTemplateCurlyInString: that is the syntax under test
/**
 * The configuration over HTTP: planned, applied and exported, the answers read as Sequin's tools read them; what those send is in
 * sequin-client.pg.test.ts.
 */
import { isDeepStrictEqual } from 'node:util';
import { expect } from 'chai';
import { applyConfig } from '../../src/catalog/apply/apply.ts';
import { loadCatalog } from '../../src/catalog/store.ts';
import { KEYS, parse, SHOP } from '../catalog/support.ts';
import { type MessageDatabase, messageDatabase } from '../support/postgres/message-database.ts';
import { type TestWeb, testWeb } from '../support/processes/web.ts';

const FILE = `${SHOP}sinks:
  - { name: worker, database: shop, destination: { type: pull } }
  - name: index
    database: shop
    destination: { type: elasticsearch, endpoint_url: "http://h", index_name: i, auth_value: canary-one }
  - name: hook
    database: shop
    destination:
      type: webhook
      url: https://h/a
      encrypted_headers: { authorization: canary-two }
      signing_secrets: ["whsec_Y2FuYXJ5LXRocmVlLWNhbmFyeS10aHJlZQ=="]
api_tokens:
  - { name: ops, token: canary-four-8sj2ls9dk3js8dk2, scopes: [read] }
`;
const CANARIES = /canary|hunter22|Y2FuYXJ5/;

describe('api: the configuration', () => {
  let m: MessageDatabase;
  let web: TestWeb;
  const post = (verb: string, body: object) => web.call('POST', `/api/config/${verb}`, { body });
  /** As that client does: a plan, an apply only if something differs, and nothing but 200 is success. */
  async function sequinApply(yaml: string): Promise<string> {
    const planned = await post('plan', { yaml });
    if (planned.status !== 200) return planned.json.summary;
    const differs = planned.json.changes.filter(
      ({ old, new: after }: { old: unknown; new: unknown }) => !isDeepStrictEqual(old ?? null, after ?? null),
    );
    for (const { resource_type, action } of planned.json.changes)
      expect([typeof resource_type, ['create', 'update', 'delete'].includes(action)]).to.deep.equal(['string', true]);
    if (differs.length === 0) return 'No changes detected, exiting.';
    const applied = await post('apply', { yaml });
    expect(applied.status).to.equal(200);
    return `Applied ${applied.json.resources.length} resources`;
  }

  beforeEach(async () => {
    m = await messageDatabase();
    web = await testWeb({ db: m.db });
  });
  afterEach(async () => {
    await web.close();
    await m.drop();
  });

  it('is planned, applied and exported, and then nothing changes', async () => {
    const planned = await post('plan', { yaml: FILE });
    expect([planned.status, planned.json.summary]).to.deep.equal([200, { create: 5, update: 0, delete: 0 }]);
    expect(await sequinApply(FILE)).to.equal('Applied 5 resources');
    const exported = await web.call('GET', '/api/config/export?show-sensitive=true');
    expect(exported.json.yaml).to.contain('auth_value: "********"');
    for (const yaml of [FILE, exported.json.yaml]) expect(await sequinApply(yaml)).to.contain('No changes');
    for (const text of [planned.text, exported.text]) expect(text).to.not.match(CANARIES);
  });

  it('is exported with tokens whose consumer is gone or is yet to come, and can be planned', async () => {
    await sequinApply(FILE);
    const token = { name: 'reader', scopes: ['consume:worker', 'consume:index', 'consume:later'] };
    expect((await web.call('POST', '/api/api_keys', { body: token })).status).to.equal(200);
    expect((await web.call('DELETE', '/api/sinks/worker?release=true')).status).to.equal(200);
    const { json } = await web.call('GET', '/api/config/export');
    const planned = await post('plan', { yaml: json.yaml });
    expect(planned.status, planned.text).to.equal(200);
    expect(planned.json.changes.map(({ name, diff }: { name: string; diff: object[] }) => [name, diff])).to.deep.equal([
      ['reader', [{ path: 'managed_by', old: 'api', new: 'file' }]],
    ]);
    expect(planned.json.warnings.join())
      .to.include('api_tokens[1].scopes[0]')
      .and.include('names no sink of this file');
    expect((await post('apply', { yaml: json.yaml })).status).to.equal(200);
    // A new one has to name what is there.
    const fresh = json.yaml.replaceAll('"********"', 'a-fresh-one-8sj2ls9dk3js8dk2');
    expect((await post('plan', { yaml: fresh })).json.code).to.equal('invalid_configuration');
  });

  it('shows every change, of tokens and secrets too, and no secret', async () => {
    await sequinApply(FILE);
    const next = FILE.replaceAll('canary', 'canari').replace('hunter22', 'hunter23').replace('Y2Fu', 'Z2Fu');
    const { json, text } = await post('plan', { yaml: next });
    const paths = json.changes.flatMap(({ name, diff }: { name: string; diff: { path: string }[] }) =>
      diff.map(({ path }) => `${name} ${path}`),
    );
    expect(paths).to.deep.equal([
      'ops token',
      'shop password',
      'index destination.auth_value',
      'hook destination.encrypted_headers.authorization',
      'hook destination.signing_secrets',
    ]);
    expect(text).to.not.match(/canar|hunter2|[YZ]2FuYXJ5/);
    expect(await sequinApply(next)).to.equal('Applied 5 resources');
    expect(await sequinApply(next)).to.contain('No changes');
  });

  it('says every fault by its field, in one answer, and applies nothing', async () => {
    const bad = FILE.replace('type: pull', 'type: pul')
      .replace('canary-one', '${SEARCH_KEY}')
      .replace('url: https', 'urll: https');
    for (const verb of ['plan', 'apply']) {
      const { status, json, text } = await post(verb, { yaml: bad });
      expect([status, json.code]).to.deep.equal([422, 'invalid_configuration']);
      expect(Object.keys(json.validation_errors)).to.include.members([
        'sinks[0].destination.type',
        'sinks[1].destination.auth_value',
      ]);
      expect(json.validation_errors['sinks[1].destination.auth_value'][0]).to.contain('SEARCH_KEY');
      expect(text).to.not.match(CANARIES);
    }
    const files = await post('plan', { yaml: 'functions: [{ name: f, type: filter, file: /etc/passwd }]' });
    expect(files.json.validation_errors['functions[0].file'][0]).to.contain('Write the code as `code:`');
    const broken = await post('plan', { yaml: 'functions: [{ name: f, type: filter, code: "(a) =>" }]' });
    expect(broken.json.validation_errors['functions[0].code'][0]).to.contain('line 1');
    const noYaml = await post('plan', { yaml: 'a: [canary' });
    expect([noYaml.status, CANARIES.test(noYaml.text)]).to.deep.equal([422, false]);
    expect((await loadCatalog(m.db, KEYS)).sinks).to.deep.equal([]);
  });

  it('leaves code as it is, and reads `$${` as `${`', async () => {
    const yaml = `${SHOP}    annotations: { a: "$\${HOME}" }
functions:
  - { name: f, type: filter, code: "() => '\${1} \${HOME:-x} $\${HOME}' === ''" }
`;
    expect(await sequinApply(yaml)).to.equal('Applied 2 resources');
    const { databases, functions } = await loadCatalog(m.db, KEYS);
    expect(databases[0]!.settings.annotations).to.deep.equal({ a: '${HOME}' });
    expect(functions[0]!.code).to.equal("() => '${1} ${HOME:-x} $${HOME}' === ''");
  });

  it('prunes with force where something may be lost, and refuses an outdated plan', async () => {
    await sequinApply(FILE);
    const { json: planned } = await post('plan', { yaml: 'sinks: []', prune: true });
    expect([planned.summary.delete, planned.losses.length]).to.deep.equal([5, 1]);
    const refused = await post('apply', { yaml: 'sinks: []', prune: true });
    expect([refused.status, refused.json.code]).to.deep.equal([409, 'needs_force']);
    await m.db.query("select millrace.pause('worker')");
    const { generation } = planned;
    const late = await post('apply', { yaml: 'sinks: []', prune: true, force: true, generation });
    expect([late.status, late.json.code]).to.deep.equal([409, 'plan_outdated']);
    expect((await post('apply', { yaml: 'sinks: []', prune: true, force: true })).status).to.equal(200);
    const { rows } = await m.db.query("select from pg_tables where tablename ~ '^messages_[0-9]+$'");
    expect(rows).to.deep.equal([]);
  });

  it('prunes no token that asks for it', async () => {
    const tokens = '{ name: admin, token: k3jd8sj2ls9dk3js8dk2ls }, { name: other, token: j2ls9dk3js8dk2lsk3jd8s }';
    await sequinApply(`api_tokens: [${tokens}]`);
    const only = (name: string) => ({ yaml: `api_tokens: [{ name: ${name}, token: "********" }]`, prune: true });
    for (const verb of ['plan', 'apply']) {
      const { status, json } = await post(verb, only('other'));
      expect([status, json.code]).to.deep.equal([422, 'invalid_configuration']);
      expect(json.validation_errors['api_tokens admin'][0]).to.include('it is the token that asks');
    }
    expect((await post('apply', only('admin'))).status).to.equal(200);
    expect((await m.db.query('select name from millrace_private.api_tokens')).rows).to.deep.equal([{ name: 'admin' }]);
  });

  it('leaves alone what was released, and renamed since, and says so', async () => {
    await sequinApply(FILE);
    expect((await web.call('POST', '/api/sinks/worker/release')).status).to.equal(200);
    const renamed = await web.call('PATCH', '/api/sinks/worker', { body: { name: 'orders' } });
    expect(renamed.json.warnings[0]).to.include('may still have the entry worker');
    const whole = await web.call('GET', '/api/sinks/orders');
    expect([whole.json.entry_name, renamed.json.entry_name]).to.deep.equal(['worker', 'worker']);
    expect((await web.call('PUT', '/api/sinks/orders', { body: whole.json })).status).to.equal(200);
    for (const path of ['postgres_databases/shop', 'sinks/index'])
      expect((await web.call('GET', `/api/${path}`)).json.entry_name).to.equal(null);
    const { json: planned } = await post('plan', { yaml: FILE, prune: true });
    expect([planned.changes, planned.losses]).to.deep.equal([[], []]);
    expect(JSON.stringify(planned)).to.include('orders was released from the file as worker');
    expect(await sequinApply(FILE)).to.contain('No changes');
    expect((await post('apply', { yaml: FILE, adopt: ['sink:worker'] })).status).to.equal(200);
    for (const name of ['orders', 'worker']) expect((await web.call('GET', `/api/sinks/${name}`)).status).to.equal(200);
  });

  it('connects to no private network that it names, until whoever runs the machine names it too', async () => {
    const allowed = async () => {
      const { databases, sinks } = await loadCatalog(m.db, KEYS);
      return [...databases, ...sinks].map(({ reach }) => reach.allowed);
    };
    await sequinApply(FILE);
    expect(await allowed()).to.deep.equal([false, false, false, false]);
    await applyConfig({ db: m.db, keys: KEYS }, parse(FILE).config, { from: 'start' });
    expect(await allowed()).to.deep.equal([true, true, true, true]);
    // Another server is another one to be allowed; what stays where it was stays allowed.
    await sequinApply(FILE.replace('http://h', 'http://elsewhere').replace('type: pull', 'type: pull, max_waiting: 3'));
    expect(await allowed()).to.deep.equal([true, true, false, true]);
  });

  it('shows whose a thing is, and releases and takes it back', async () => {
    await sequinApply(FILE);
    const move = async (path: string, verb: string) => {
      const { status, json } = await web.call('POST', `/api/${path}/${verb}`);
      return [status, json.code ?? json.managed_by, json.declared_from];
    };
    for (const path of ['sinks/worker', 'postgres_databases/shop']) {
      expect(await move(path, 'adopt'), path).to.deep.equal([409, 'wrong_state', undefined]);
      expect(await move(path, 'release'), path).to.deep.equal([200, 'api', 'http']);
      expect(await move(path, 'release'), path).to.deep.equal([409, 'wrong_state', undefined]);
      const { json } = await post('plan', { yaml: FILE });
      expect(json.warnings.join()).to.contain('was released from the file');
      expect(await move(path, 'adopt'), path).to.deep.equal([200, 'file', 'http']);
    }
    expect(await move('change_retentions/worker', 'release')).to.deep.equal([404, 'not_found', undefined]);
    await m.db.query("select millrace.pause('worker')");
    const { json } = await web.call('GET', '/api/sinks/worker');
    expect([json.status, json.status_by]).to.deep.equal(['paused', 'operator']);
  });

  it('begins its answer within 8 s while others hold its locks, and a plan waits for none of them', async function () {
    // It takes six seconds: .ci/long has it.
    if (process.env.MILLRACE_TEST_TIMES !== '1') this.skip();
    this.timeout(20_000);
    const body = { yaml: FILE };
    await m.db.transaction(async (tx) => {
      await tx.query('lock table millrace_private.lock_catalog in row share mode');
      const begun = performance.now();
      expect((await post('plan', body)).status).to.equal(200);
      expect(performance.now() - begun).to.be.lessThan(1_000);
      const { status, json, headers } = await post('apply', body);
      expect([status, json.code, headers.get('retry-after')]).to.deep.equal([503, 'unavailable', '1']);
      expect(json.remedy).to.include('pg_stat_activity');
      expect(performance.now() - begun).to.be.lessThan(8_000);
    });
    expect((await post('apply', body)).status).to.equal(200);
  });

  it('takes 8 MB', async () => {
    const long = `# ${'x'.repeat(2_000_000)}\n${FILE}`;
    expect((await post('plan', { yaml: long })).status).to.equal(200);
    const { status, json } = await post('plan', { yaml: 'x'.repeat(9_000_000) });
    expect([status, json.code, json.summary]).to.deep.equal([413, 'payload_too_large', 'The body is larger than 8 MB']);
  });
});
