/** Sources that cannot be reached: each says why, and what to do about that cause and no other. */
import { expect } from 'chai';
import { openCaptures } from '../../src/capture/service.ts';
import { applyConfig } from '../../src/catalog/apply/apply.ts';
import { loadCatalog } from '../../src/catalog/store.ts';
import { createLog } from '../../src/runtime/log.ts';
import { KEYS, parse } from '../catalog/support.ts';
import { selfSignedCertificate } from '../support/fixtures/certificate.ts';
import { type FakePostgres, startFakePostgres } from '../support/postgres/fake-postgres.ts';
import { type MessageDatabase, messageDatabase } from '../support/postgres/message-database.ts';
import { sharedCluster, type TestDatabase } from '../support/postgres/postgres.ts';
import { startTlsFront, type TlsFront } from '../support/postgres/tls-front.ts';
import { until } from '../support/until.ts';

describe('a source that cannot be reached', function () {
  this.timeout(120_000);
  let messages: MessageDatabase;
  let source: TestDatabase;
  let front: TlsFront;
  let fake: FakePostgres;
  let stop: AbortController;
  let running: Promise<void>;
  let cases: [name: string, url: string, words: string, remedy: string][];

  const at = (change: (url: URL) => void): string => {
    const url = new URL(source.url);
    change(url);
    return url.href;
  };
  const states = async () =>
    (
      await messages.db.query<{ database_name: string; state: string; reason: string; remedy: string }>(
        'select database_name, state, reason, remedy from millrace.database_status',
      )
    ).rows;

  before(async () => {
    messages = await messageDatabase();
    source = await (await sharedCluster()).createDatabase();
    front = await startTlsFront(source.url, selfSignedCertificate());
    fake = await startFakePostgres('cleartext', selfSignedCertificate());
    cases = [
      ['nobody', at((url) => (url.port = '1')), 'nothing listens', 'Start the server'],
      ['nowhere', at((url) => (url.hostname = 'nowhere.invalid')), 'is not known', 'Correct the host and port'],
      ['nothing', at((url) => (url.pathname = '/nothing')), 'does not exist', 'Create that database'],
      ['secret', at((url) => (url.password = 'wrong')), 'password authentication failed', 'Correct the user'],
      ['itself', front.url('sslmode=verify-full'), 'self-signed', '`ssl: { ca }`'],
      ['plain', `${source.url}?sslmode=require`, 'does not speak TLS', '`ssl: false`'],
      ['greedy', `${fake.url}?sslmode=require`, 'asks for the password as plain text', 'scram-sha-256'],
      ['cloud', 'postgres://0xa9fea9fe/d', "a cloud provider's metadata address", 'ALLOW_PRIVATE_DESTINATIONS'],
    ];
    const databases = cases.map(
      ([name, url]) =>
        `  - { name: ${name}, url: ${JSON.stringify(url)}, slot: { name: ${name} }, publication: { name: p } }`,
    );
    const sinks = cases.map(([name]) => `  - { name: of-${name}, database: ${name}, destination: { type: pull } }`);
    const { config } = parse(`databases:\n${databases.join('\n')}\nsinks:\n${sinks.join('\n')}\n`);
    await applyConfig({ db: messages.db, keys: KEYS }, config);
    stop = new AbortController();
    const captures = openCaptures({
      messages: messages.db,
      load: () => loadCatalog(messages.db, KEYS),
      log: createLog({ level: 'silent', role: 'test' }),
      onPersisted: () => undefined,
    });
    running = captures.run(stop.signal);
  });
  after(async () => {
    stop.abort();
    await running;
    await fake.close();
    await front.close();
    await messages.drop();
    await source.drop();
  });

  it('says so in its state, with a remedy of its own', async () => {
    await until('all were tried', async () => (await states()).every(({ state }) => state === 'error'));
    const found = new Map((await states()).map((row) => [row.database_name, row]));
    for (const [name, , words, remedy] of cases) {
      expect(found.get(name)?.reason, name).to.contain(words).and.not.contain('password of');
      expect(found.get(name)?.remedy, name).to.contain(remedy);
    }
    const all = JSON.stringify([...found.values()]);
    for (const secret of ['hunter22', 'test-password']) expect(all).not.to.contain(secret);
    expect(fake.told).to.deep.equal([]);
  });
});
