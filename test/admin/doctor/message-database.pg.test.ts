/** Traps in the message database itself: what can be said of it is said also when nothing else can be. */
import { expect } from 'chai';
import { PULL, sinkSettings } from '../../support/fixtures/captured.ts';
import { type Examined, examined } from '../../support/fixtures/examined.ts';
import { hasPgbouncer, startPgbouncer } from '../../support/postgres/pgbouncer.ts';
import { runCli } from '../../support/processes/cli.ts';
import { SECRET_KEY } from '../../support/processes/service.ts';

const OTHER_KEY = 'qL7xVb2NcT9sKf4WmZ8rYp5HgJ1dEu6A';

describe('millrace doctor: the message database', function () {
  this.timeout(120_000);
  let by: Examined;

  before(async () => {
    by = await examined('create table products (id int primary key)');
    await by.on.addSink(sinkSettings({ name: 'all', destination: PULL }));
  });
  after(async () => await by?.close());
  const at = (change: Partial<URL>): NodeJS.ProcessEnv => ({
    DATABASE_URL: Object.assign(new URL(by.on.messages.url), change).href,
  });

  const away: [string, Partial<URL>][] = [
    ['refused', { port: '1' }],
    ['no_database', { pathname: '/nowhere' }],
    ['auth', { username: 'nobody_of_that_name' }],
    ['name_unknown', { hostname: 'nowhere.invalid' }],
  ];
  for (const [id, change] of away) {
    it(`says why it cannot be reached, and what it cannot see then: ${id}`, async () => {
      const { code, text } = await by.doctor([], at(change));
      expect(code).to.equal(2);
      expect(text).to.match(new RegExp(`^ERROR {2}message database {2}\\(${id}\\)`, 'm'));
      expect(text)
        .to.include('DATABASE_URL')
        .and.match(/^NOT SEEN {2}processes/m);
    });
  }

  it('finds a pooler that lends sessions to many', async function () {
    if (!hasPgbouncer()) return this.skip();
    const pooler = await startPgbouncer(by.on.messages.url, { pool_mode: 'transaction', default_pool_size: '1' });
    try {
      const { text } = await by.doctor([], { DATABASE_URL: `${pooler.url}?sslmode=disable` });
      expect(text).to.include('(pooled)').and.include('pool_mode = session');
    } finally {
      await pooler.stop();
    }
    expect(await by.finding('pooled')).to.equal(undefined);
  });

  it('finds a schema of an earlier release, which `migrate` brings to this one', async () => {
    await by.on.messages.db.query('update millrace_private.schema_state set version = 0, serves = 0');
    const found = await by.finding('schema_behind');
    expect(found?.text).to.include('Run `bin/millrace migrate`');
    expect((await by.doctor()).text).to.match(/^NOT SEEN {2}processes/m);
    const migrated = await runCli(['migrate'], { DATABASE_URL: by.on.messages.url });
    expect(migrated.code, migrated.stderr).to.equal(0);
    expect(await by.finding('schema_behind')).to.equal(undefined);
  });

  it('finds another SECRET_KEY, and shows what is known without one', async () => {
    const wrong = await by.doctor([], { SECRET_KEY: OTHER_KEY });
    expect(wrong.text).to.include('(wrong_secret_key)').and.include('SECRET_KEY_PREVIOUS').and.include('database shop');
    for (const key of [OTHER_KEY, SECRET_KEY]) expect(wrong.text).to.not.include(key);
    const right = await by.doctor([], { SECRET_KEY: OTHER_KEY, SECRET_KEY_PREVIOUS: SECRET_KEY });
    expect(right.text).to.not.include('wrong_secret_key');
    expect(right.text).to.include('(sealed_with_previous)').and.include('Run `bin/millrace secret rotate`');
    const env = { DATABASE_URL: by.on.messages.url, SECRET_KEY: OTHER_KEY, SECRET_KEY_PREVIOUS: SECRET_KEY };
    expect((await runCli(['secret', 'rotate'], env)).code).to.equal(0);
    expect((await by.doctor([], env)).text).to.not.include('sealed_with_previous');
    const back = { ...env, SECRET_KEY, SECRET_KEY_PREVIOUS: OTHER_KEY };
    expect((await runCli(['secret', 'rotate'], back)).code).to.equal(0);
  });

  it('finds that commits are not durable', async () => {
    const found = await by.finding('commit_not_durable');
    expect(found).to.include({ status: 'WARNING', place: 'message database' });
    expect(found?.sql).to.match(/^alter system set (fsync|full_page_writes) = on; select pg_reload_conf\(\);$/);
  });
});
