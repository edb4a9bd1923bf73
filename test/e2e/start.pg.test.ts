/**
 * What a person reads who starts the service with something wrong: which setting or which line, what is wrong with it and
 * what to do; never a stack trace, never a secret. The process ends with code 1, and nothing has been started or changed.
 */
import { expect } from 'chai';
import { openPool } from '../../src/db/pool.ts';
import { SCHEMA } from '../../src/db/schema-version.ts';
import { sharedCluster, type TestDatabase } from '../support/postgres/postgres.ts';
import { runMain, SECRET_KEY, startService, stopServices } from '../support/processes/service.ts';
import { TOKEN } from '../support/processes/world.ts';

/** Says a release to a database that the next one has migrated. */
const LATER = new RegExp(`works with releases of version ${SCHEMA.version + 1} and later.*Run the release that`, 's');

const base64 = (text: string): string => Buffer.from(text).toString('base64');

describe('start, with something wrong', function () {
  this.timeout(120_000);
  let database: TestDatabase;

  before(async () => {
    database = await (await sharedCluster()).createDatabase();
  });
  after(async () => {
    await stopServices();
    await database?.drop();
  });

  /** What is printed; fails when it is not the end with code 1, or shows what nobody should see. */
  async function refusal(env: NodeJS.ProcessEnv, word = 'all'): Promise<string> {
    const { code, stdout, stderr } = await runMain(word, { SECRET_KEY, HOST: '127.0.0.1', ...env });
    expect(code, `${stdout}\n${stderr}`).to.equal(1);
    expect(stderr).to.not.match(/\n\s+at |node:internal|\bTypeError\b/);
    expect(stdout).to.not.include('"role":"worker"').and.not.include('"role":"capture"');
    for (const secret of [TOKEN, SECRET_KEY, 'test-password', 'hush-hush']) {
      expect(stderr + stdout).to.not.include(secret);
    }
    return stderr;
  }

  const untouched = async (): Promise<boolean> => {
    const db = openPool({ address: database.url, max: 1, applicationName: 'test', path: 'role' });
    try {
      const { rows } = await db.query<{ none: boolean }>(
        `select not exists (select from information_schema.schemata where schema_name like 'millrace%') as none`,
      );
      return rows[0]!.none;
    } finally {
      await db.close();
    }
  };

  it('SECRET_KEY is missing, or too short', async () => {
    const env = { DATABASE_URL: database.url };
    expect(await refusal({ ...env, SECRET_KEY: '' }))
      .to.include('SECRET_KEY: is required with DATABASE_URL')
      .and.include('openssl rand');
    expect(await refusal({ ...env, SECRET_KEY: 'hush-hush' })).to.match(/SECRET_KEY: must have 32 characters or more/);
  });

  it('DATABASE_URL is no address', async () => {
    for (const url of ['localhost:5432', 'mysql://root:hush-hush@localhost/shop', 'postgres://localhost']) {
      expect(await refusal({ DATABASE_URL: url }), url).to.match(
        /DATABASE_URL: (must be a postgres:\/\/ URL|names no database)/,
      );
    }
  });

  it('several settings at once: each is named', async () => {
    const printed = await refusal({ DATABASE_URL: 'nowhere', PORT: '99999', LOG_LEVEL: 'loud', SECRET_KEY: 'short' });
    for (const name of ['DATABASE_URL', 'PORT', 'LOG_LEVEL', 'SECRET_KEY']) expect(printed).to.include(`${name}: `);
  });

  it('nobody listens there: the place is named, the password is not', async () => {
    const printed = await refusal({ DATABASE_URL: 'postgres://ann:hush-hush@127.0.0.1:9/shop' });
    expect(printed)
      .to.match(/DATABASE_URL/)
      .and.match(/ECONNREFUSED|refused/)
      .and.include('127.0.0.1:9');
  });

  it('the password is wrong, or the database does not exist', async () => {
    const wrong = new URL(database.url);
    wrong.password = 'hush-hush';
    expect(await refusal({ DATABASE_URL: wrong.href }))
      .to.match(/DATABASE_URL/)
      .and.match(/password authentication failed/);
    const missing = new URL(database.url);
    missing.pathname = '/no_such_database';
    expect(await refusal({ DATABASE_URL: missing.href }))
      .to.match(/DATABASE_URL/)
      .and.match(/no_such_database" does not exist/);
  });

  it('the YAML is wrong: every fault with its line and its remedy, before anything is touched', async () => {
    const yaml = `
databases:
  - name: shop
    url: ${database.url}
sinks:
  - name: orders
    database: shopp
    destination: { type: pull, visibility_timeout: 3000 }
  - name: products
    database: shop
    destination: { type: elasticsearch, endpoint_url: "ftp://nowhere", index_name: products }
`;
    const printed = await refusal({ DATABASE_URL: database.url, CONFIG_FILE_YAML: base64(yaml) });
    expect(printed).to.match(/sinks\[0\]\.database \(line 7, column \d+\): .*shop/);
    expect(printed).to.match(
      /sinks\[0\]\.destination\.visibility_timeout \(line 8, column \d+\): .*visibility_timeout_ms/,
    );
    expect(printed).to.match(/sinks\[1\]\.destination\.endpoint_url \(line 11, column \d+\): /);
    expect(await untouched()).to.equal(true);
  });

  it('the YAML cannot be read at all: the place where it breaks', async () => {
    const printed = await refusal({
      DATABASE_URL: database.url,
      CONFIG_FILE_YAML: base64('databases:\n  - name: "shop\n'),
    });
    expect(printed).to.match(/\(line \d, column \d+\)/);
    expect(await refusal({ DATABASE_URL: database.url, CONFIG_FILE_YAML: '%%%' })).to.match(
      /CONFIG_FILE_YAML: .*base64/,
    );
    expect(await refusal({ DATABASE_URL: database.url, CONFIG_FILE_PATH: '/no/such/file.yaml' })).to.match(
      /CONFIG_FILE_PATH: .*ENOENT/,
    );
    expect(await untouched()).to.equal(true);
  });

  it('a variable of the YAML is not set: named, with its line', async () => {
    const yaml = `api_tokens:\n  - { name: ops, token: "\${NO_SUCH_VARIABLE}" }\n`;
    const printed = await refusal({ DATABASE_URL: database.url, CONFIG_FILE_YAML: base64(yaml) });
    expect(printed).to.match(/\(line 2, column \d+\): .*NO_SUCH_VARIABLE/);
  });

  it('a role on its own without DATABASE_URL', async () => {
    expect(await refusal({}, 'worker')).to.match(/DATABASE_URL: is required by a role that runs on its own/);
  });

  it('a role that does not exist: how it is used', async () => {
    const { code, stderr } = await runMain('nonsense', {});
    expect(code).to.equal(1);
    expect(stderr).to.match(/^usage: /);
  });

  it('another SECRET_KEY than the secrets were sealed with', async () => {
    const yaml = `databases:\n  - { name: shop, url: "${database.url}", ssl: false }\n`;
    const env = { DATABASE_URL: database.url, CONFIG_FILE_YAML: base64(yaml) };
    const first = await runMain('migrate', { SECRET_KEY, ...env });
    expect(first.code, first.stderr).to.equal(0);
    const other = 'Qm7vT2xJz9RkW4nLb6YcHs1FgDp8Ae3U';
    const printed = await refusal({ ...env, SECRET_KEY: other });
    expect(printed).to.include('SECRET_KEY: did not seal').and.include('SECRET_KEY_PREVIOUS');
    // Also without a declaration, which would open them to compare.
    expect(await refusal({ DATABASE_URL: database.url, SECRET_KEY: other })).to.include('SECRET_KEY: did not seal');
    for (const role of ['worker', 'capture'])
      expect(await refusal({ DATABASE_URL: database.url, SECRET_KEY: other }, role)).to.include(
        'SECRET_KEY: did not seal',
      );
    const again = await runMain('migrate', { ...env, SECRET_KEY: other, SECRET_KEY_PREVIOUS: SECRET_KEY });
    expect(again.code, again.stderr).to.equal(0);
  });

  it('a later release has migrated the message database, or none that was released has made it', async () => {
    const env = { DATABASE_URL: database.url };
    const first = await runMain('migrate', { SECRET_KEY, ...env });
    expect(first.code, first.stderr).to.equal(0);
    const db = openPool({ address: database.url, max: 1, applicationName: 'test' });
    try {
      await db.query('update millrace_private.schema_state set version = version + 1, serves = version + 1');
      for (const role of ['migrate', 'worker', 'capture', 'all'])
        expect(await refusal(env, role), role).to.match(LATER);
      await db.query('update millrace_private.schema_state set version = version - 1, serves = version - 1');
      await db.query(`update millrace_private.schema_files set sha256 = 'older' where path ~ '^migrations/0002'`);
      expect(await refusal(env)).to.match(
        /DATABASE_URL: this database was made by .* never released.* Use an empty database/s,
      );
      await db.query('drop schema millrace, millrace_private, millrace_jobs cascade');
    } finally {
      await db.close();
    }
    const again = await runMain('migrate', { SECRET_KEY, ...env });
    expect(again.code, again.stderr).to.equal(0);
  });

  it('the port is taken', async () => {
    const service = await startService({
      databaseUrl: database.url,
      word: 'web',
    });
    expect(await refusal({ DATABASE_URL: database.url, PORT: String(service.port) })).to.match(/PORT: .* is in use/);
    await service.stop();
  });
});
