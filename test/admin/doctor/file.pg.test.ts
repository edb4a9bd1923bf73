/** What a configuration file has made and does not name any more: found where the file is, and gone when what is printed was run. */
import { expect } from 'chai';
import { type MessageDatabase, messageDatabase } from '../../support/postgres/message-database.ts';
import { runCli } from '../../support/processes/cli.ts';

const SHOP = `databases:
  - { name: shop, url: 'postgres://u:p@127.0.0.1:9/d', slot: { name: s }, publication: { name: p } }
`;
const WHOLE = `${SHOP}functions: [{ name: shape, type: transform, code: "(action, record) => record" }]
api_tokens: [{ name: ci, token: 'a-token-that-is-long-enough-4711', scopes: [read] }]
sinks: [{ name: orders, database: shop, destination: { type: pull } }]
change_retentions: [{ name: history, source_database: shop, source_table_name: a, destination_database: shop, destination_table_name: b }]
`;

describe('millrace doctor: the configuration file', function () {
  this.timeout(120_000);
  let m: MessageDatabase;
  before(async () => {
    m = await messageDatabase();
  });
  after(async () => await m?.drop());

  const call = async (words: string[], yaml: string) =>
    await runCli(words, { DATABASE_URL: m.url, CONFIG_FILE_YAML: Buffer.from(yaml).toString('base64') });
  async function notInFile(yaml: string): Promise<{ item: string; command: string }[]> {
    const { stdout } = await call(['doctor', '--json'], yaml);
    const { checks } = JSON.parse(stdout) as {
      checks: { id: string; item: string; command: string; status: string }[];
    };
    return checks.filter(({ id, status }) => id === 'not_in_file' && status === 'notice');
  }

  it('is compared with what it made', async () => {
    const applied = await call(['start', 'migrate'], WHOLE);
    expect(applied.code, applied.stdout + applied.stderr).to.equal(0);
    expect(await notInFile(WHOLE)).to.deep.equal([]);
    const found = await notInFile(SHOP);
    expect(found.map(({ item }) => item)).to.deep.equal([
      ...['change_retention history', 'function shape', 'sink orders', 'token ci'],
    ]);
    for (const { command } of found) {
      const { code, stderr } = await call([...command.split(' ').slice(1), '--yes'], SHOP);
      expect(code, stderr).to.equal(0);
    }
    expect(await notInFile(SHOP)).to.deep.equal([]);
    // One that was renamed while it was released, and given back, is called by its former name in the file.
    const changed = `update millrace_private.databases set name = 'store', settings = settings || '{"name": "store"}', entry_name = 'shop'`;
    await m.db.query(changed);
    const [renamed] = await notInFile(SHOP);
    expect(renamed).to.deep.include({ item: 'database store', command: null });
    expect(await notInFile(SHOP.replace('shop', 'store'))).to.deep.equal([]);
    // One that cannot be read says nothing.
    expect(await notInFile('databases: 7')).to.deep.equal([]);
  });
});
