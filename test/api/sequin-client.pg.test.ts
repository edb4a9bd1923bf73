// biome-ignore-all lint/suspicious/noTemplateCurlyInString: that is the syntax under test
/** The configuration as Sequin's command line plans, applies and exports it: each request to the header, each answer as it reads it. */

import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import { loadCatalog } from '../../src/catalog/store.ts';
import { KEYS } from '../catalog/support.ts';
import { type MessageDatabase, messageDatabase } from '../support/postgres/message-database.ts';
import { sequinClient } from '../support/processes/sequin-client.ts';
import { type TestWeb, testWeb } from '../support/processes/web.ts';

const EXPORT = readFileSync(new URL('../catalog/declare/data/sequin-export.yaml', import.meta.url), 'utf8');

/** As a user of it writes one. */
const WRITTEN = `
account: { name: acme }
users:
  - { email: ann@example.com, password: $ANN_PASSWORD }
api_tokens:
  - { name: ci, token: "\${CI_TOKEN}", scopes: [operate] }
x-defaults: &defaults
  database: shop
  status: active
databases:
  - name: shop
    hostname: db.example.com
    port: "\${SHOP_PORT}"
    database: shop
    username: app
    password: "\${SHOP_PASSWORD}"
    pool_size: "$SHOP_POOL"
    ssl: "true"
    slot: { name: sequin_slot, create_if_not_exists: "true" }
    publication: { name: sequin_pub }
    annotations: { region: "\${REGION}" }
functions:
  - { name: document, type: transform, file: document.js }
  - { name: kept, type: filter, code: "(action, record) => record.name !== '\${NOT_A_VARIABLE} $nor_this'" }
http_endpoints:
  - { name: hook, url: "https://\${HOOK_HOST}/in", headers: { x-tenant: acme }, encrypted_headers: { authorization: "Bearer \${HOOK_TOKEN}" } }
sinks:
  - <<: *defaults
    name: stream
    batch_size: 1
    destination: { type: sequin_stream }
  - <<: *defaults
    name: index
    transform: document
    destination: { type: elasticsearch, endpoint_url: "https://search.example.com:9200", index_name: users, auth_type: api_key, auth_value: $SEARCH_KEY }
  - <<: *defaults
    name: hook
    filter: kept
    destination: { type: webhook, http_endpoint: hook, http_endpoint_path: /users, batch: "true" }
change_retentions:
  - { name: audit, source_database: shop, source_table_schema: public, source_table_name: users, destination_database: shop, destination_table_schema: audit, destination_table_name: user_events }
`;
const NOTHING = 'No changes detected\nNo changes detected, exiting.';
const ENV = {
  ANN_PASSWORD: 'correct horse canary staple',
  CI_TOKEN: 'canary-8sj2ls9dk3js8dk2',
  SHOP_PORT: '6432',
  SHOP_POOL: '5',
  SHOP_PASSWORD: 'canary-shop',
  HOOK_HOST: 'hooks.example.com',
  HOOK_TOKEN: 'canary-hook',
  SEARCH_KEY: 'canary-search',
};

describe('api: the configuration, by a client like Sequin’s command line', function () {
  this.timeout(60_000);
  let m: MessageDatabase;
  let web: TestWeb;
  let folder: string;
  const sequin = (env: Record<string, string> = ENV, api_token = 'admin-token') => {
    const hostname = `127.0.0.1:${web.web.port}`;
    return sequinClient({ name: 'test', hostname, tls: false, api_token }, { env, folder });
  };

  before(async () => {
    folder = await mkdtemp(path.join(os.tmpdir(), 'millrace-sequin-'));
    await writeFile(path.join(folder, 'document.js'), '(action, record) => ({ id: record.id })\n');
    m = await messageDatabase();
    web = await testWeb({ db: m.db });
  });
  after(async () => {
    await web?.close();
    await m?.drop();
    await rm(folder, { recursive: true, force: true });
  });

  it('says what is wrong, ends with 1, and has applied nothing', async () => {
    const faulty = WRITTEN.replace('type: elasticsearch', 'type: kafka');
    for (const command of ['plan', 'apply'] as const) {
      const { code, printed } = await sequin()[command](faulty);
      expect([code, printed.split('\n')[0]]).to.deep.equal([1, 'Error: One field is not valid; nothing was applied']);
      expect(printed).to.contain('code: "invalid_configuration"').and.contain('"sinks[1].destination.type"');
      expect(printed)
        .to.match(/\nrequest_id: "/)
        .and.not.contain('canary');
    }
    const masked = await sequin().apply(WRITTEN.replace('$SEARCH_KEY', '"p******s"'));
    expect([masked.code, masked.printed.includes('sinks[1].destination.auth_value')]).to.deep.equal([1, true]);
    expect((await loadCatalog(m.db, KEYS)).sinks).to.deep.equal([]);
    for (const token of ['wrong', 'read-token']) {
      const { code, printed } = await sequin(ENV, token).export(false);
      expect(code, token).to.equal(1);
      expect(printed, token).to.match(/^Error: .+\n(.*\n)*code: "(unauthorized|forbidden)"/);
    }
  });

  it('plans, applies, and finds nothing to do from then on', async () => {
    const planned = await sequin().plan(WRITTEN);
    expect(planned.code, planned.printed).to.equal(0);
    expect(planned.printed).to.match(/\nPlan: 9 to add, 0 to change, 0 to destroy\.$/);
    for (const file of [WRITTEN, EXPORT]) {
      const applied = await sequin().apply(file);
      expect([applied.code, applied.printed], applied.printed).to.satisfy(
        () => applied.code === 0 && /\nApplied [1-9]\d* resources$/.test(applied.printed),
      );
      expect(await sequin().apply(file)).to.deep.equal({ code: 0, printed: NOTHING });
      if (file === WRITTEN) await hasWhatItMeans();
    }
  });

  /** Variables, files, anchors, numbers in quotes. */
  async function hasWhatItMeans(): Promise<void> {
    const { databases, sinks, functions } = await loadCatalog(m.db, KEYS);
    const [shop] = databases;
    expect(shop!.settings).to.deep.include({ pool_size: 5, annotations: { region: '' } });
    expect(shop!.address()).to.deep.include({ host: 'db.example.com', port: 6432, password: 'canary-shop' });
    const codes = Object.fromEntries(functions.map(({ name, code }) => [name, code]));
    expect(codes.document).to.equal('(action, record) => ({ id: record.id })\n');
    expect(codes.kept).to.contain("'${NOT_A_VARIABLE} $nor_this'");
    const { settings, secret } = sinks.find(({ name }) => name === 'hook')!;
    expect(settings.destination).to.deep.include({ url: 'https://hooks.example.com/in/users', batch: true });
    expect(secret()).to.contain('Bearer canary-hook');
    expect(sinks.map(({ settings: { database } }) => database)).to.deep.equal(['shop', 'shop', 'shop', 'shop']);
  }

  it('sees each secret that is another one, without seeing it, and applies it once', async () => {
    await sequin().apply(WRITTEN);
    const env = { ...ENV };
    for (const name of ['CI_TOKEN', 'SHOP_PASSWORD', 'HOOK_TOKEN', 'SEARCH_KEY'] as const) env[name] += '-next';
    const { printed } = await sequin(env).apply(WRITTEN);
    expect(printed).to.contain('Plan: 0 to add, 4 to change, 0 to destroy.').and.contain('\nApplied ');
    expect(printed).to.not.contain('canary');
    expect((await sequin(env).apply(WRITTEN)).printed).to.equal(NOTHING);
  });

  it('lists what is no thing of its own here as empty, and says of the rest that it is not there', async () => {
    for (const path of ['destinations/http_endpoints', 'local_tunnels']) {
      const listed = await web.call('GET', `/api/${path}`, { token: 'read-token' });
      expect([listed.status, listed.json]).to.deep.equal([200, { data: [] }]);
      expect((await web.call('POST', `/api/${path}`, { body: {} })).json.code).to.equal('method_not_allowed');
      expect((await web.call('GET', `/api/${path}/hook`)).json.code).to.equal('not_found');
    }
  });

  it('exports what changes nothing when it is applied, and shows no secret', async () => {
    const [masked, shown] = [await sequin().export(false), await sequin().export(true)];
    expect(shown).to.deep.equal(masked);
    expect([shown.code, shown.printed.includes('canary')]).to.deep.equal([0, false]);
    expect(await sequin().apply(shown.printed)).to.deep.equal({ code: 0, printed: NOTHING });
  });
});
