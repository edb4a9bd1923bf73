/**
 * docs/sql.md: every statement of its blocks, as it stands there, in psql and in our own prompt. Each block runs in a
 * database of its own that has the sinks of the page; what a block shows as an answer is not compared.
 */
import { spawn } from 'node:child_process';
import { PassThrough, Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { expect } from 'chai';
import { applyConfig } from '../src/catalog/apply/apply.ts';
import { runSql } from '../src/cli/sql-prompt.ts';
import { findProgram } from '../src/runtime/find-program.ts';
import { KEYS, parse } from './catalog/support.ts';
import { appendMessages } from './support/fixtures/fixtures.ts';
import { type Block, blocksOf } from './support/pages.ts';
import { type MessageDatabase, messageDatabase } from './support/postgres/message-database.ts';

const SINKS = ['everything', 'orders-worker', 'orders-shaped']
  .map((name) => `  - { name: ${name}, database: shop, destination: { type: pull } }\n`)
  .join('');
const FILE = `databases:
  - name: shop
    url: "postgres://keeper:pw@db.example.com/shop"
    slot: { name: millrace, create_if_not_exists: true }
    publication: { name: millrace, create_if_not_exists: true }
sinks:
${SINKS}  - name: products-index
    database: shop
    destination: { type: elasticsearch, endpoint_url: "http://h", index_name: i, auth_type: none }
change_retentions:
  - name: orders-history
    source_database: shop
    source_table_name: orders
    destination_database: shop
    destination_table_name: orders_events
`;

/** What was typed at a prompt, without it and without the answers; other blocks are SQL as they stand. */
function typed({ language, text: block }: Block): string {
  if (language === 'sql') return block;
  const lines = block.split('\n').flatMap((line) => /^\w+[=-]# ?(.*)$/.exec(line)?.[1] ?? []);
  return lines.length === 0 ? '' : `${lines.join('\n')}\n`;
}

describe('docs/sql.md', function () {
  this.timeout(120_000);
  let messages: MessageDatabase;

  beforeEach(async () => {
    messages = await messageDatabase();
    await applyConfig({ db: messages.db, keys: KEYS }, parse(FILE).config);
    const { rows } = await messages.db.query<{ no: number }>(
      `select no from millrace_private.sinks where name = 'orders-worker'`,
    );
    await appendMessages(messages.db, rows[0]!.no, [{ group: 1 }, { group: 2 }]);
    await messages.db.query(`update millrace_private.positions set state = 'needs_resync', reason = 'gone'`);
    await messages.db.query('create table my_totals (order_id bigint, total numeric)');
  });
  afterEach(async () => {
    await messages.db.query('drop role if exists watcher');
    await messages.drop();
  });

  async function inPsql(sql: string): Promise<string> {
    const child = spawn('psql', ['-X', '-v', 'ON_ERROR_STOP=1', messages.url], { stdio: ['pipe', 'pipe', 'pipe'] });
    child.stdin.end(sql);
    const [out, err] = await Promise.all([text(child.stdout), text(child.stderr)]);
    return out + err;
  }

  async function inPrompt(sql: string): Promise<string> {
    const output = new PassThrough();
    const printed = text(output);
    const options = { home: '/nowhere', env: { DATABASE_URL: messages.url } };
    await runSql(options, { input: Readable.from([sql]), output, errors: output });
    output.end();
    return await printed;
  }

  const blocks = blocksOf('docs/sql.md').filter((block) => typed(block) !== '');

  it('has statements to try', () => {
    expect(blocks.length).to.be.greaterThan(15);
  });

  for (const [n, block] of blocks.entries()) {
    const name = `${block.heading} (block ${n + 1})`;
    it(`${name} works in psql`, async function () {
      if (!(await findProgram('psql'))) {
        this.test!.title += ' (skipped: there is no psql here)';
        this.skip();
      }
      expect(await inPsql(typed(block))).not.to.match(/ERROR|invalid|FATAL/);
    });
    it(`${name} works in our prompt`, async () => {
      expect(await inPrompt(typed(block))).not.to.match(/ERROR|FATAL/);
    });
  }
});
