/** `millrace config`: plan, apply, export and validate, by what is printed and how they end. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import { apply } from '../../src/cli/table/config-runs.ts';
import { SECRET_KEY, SHOP } from '../catalog/support.ts';
import { type MessageDatabase, messageDatabase } from '../support/postgres/message-database.ts';
import { runCli } from '../support/processes/cli.ts';
import { typed } from '../support/processes/typed.ts';

const FILE = `${SHOP}sinks:
  - { name: worker, database: shop, destination: { type: pull } }
  - name: index
    database: shop
    initial_backfill: true
    destination: { type: elasticsearch, endpoint_url: "http://h", index_name: i, auth_value: canary-one }
`;

describe('millrace config', function () {
  this.timeout(120_000);
  let messages: MessageDatabase;
  let folder: string;
  const config = async (words: string[], text?: string) => {
    const file = path.join(folder, 'millrace.yaml');
    if (text !== undefined) await writeFile(file, text);
    return await runCli(['config', words[0]!, ...(text === undefined ? [] : [file]), ...words.slice(1)], {
      DATABASE_URL: messages.url,
      SECRET_KEY,
    });
  };

  before(async () => {
    messages = await messageDatabase();
    folder = await mkdtemp(path.join(os.tmpdir(), 'millrace-config-'));
  });
  after(async () => {
    await messages.drop();
    await rm(folder, { recursive: true });
  });

  it('plans, applies, exports, and plans what it exported', async () => {
    const planned = await config(['plan'], FILE);
    expect(planned).to.deep.include({ code: 2, stderr: '' });
    expect(planned.stdout).to.equal(`+ database shop
+ sink worker
+ sink index
* Backfill all tables of index
Plan: 3 to create, 0 to change, 0 to delete.
`);
    expect(await config(['apply'], FILE)).to.deep.include({ code: 1 });
    const applied = await config(['apply', '--auto-approve'], FILE);
    expect(applied).to.deep.include({ code: 0, stderr: '' });
    expect(applied.stdout).to.equal(`${planned.stdout}Applied.\n`);
    const exported = await config(['export']);
    expect(exported.stdout).to.equal(`databases:
  - name: shop
    hostname: db.example.com
    database: shop
    port: 6432
    username: app
    password: "********"
    slot:
      name: millrace
      create_if_not_exists: true
    publication:
      name: millrace
      create_if_not_exists: true
sinks:
  - name: worker
    database: shop
    destination:
      type: pull
  - name: index
    database: shop
    initial_backfill: true
    destination:
      type: elasticsearch
      endpoint_url: http://h
      index_name: i
      auth_type: api_key
      auth_value: "********"
`);
    expect(await config(['plan'], exported.stdout)).to.deep.equal({ code: 0, stdout: 'No changes.\n', stderr: '' });
    const revealed = (await config(['export', '--reveal'])).stdout;
    expect(revealed).to.include('password: hunter22').and.include('auth_value: canary-one');
    expect(await config(['plan'], revealed)).to.deep.include({ code: 0 });
  });

  it('shows what differs, with secrets masked', async () => {
    const next = FILE.replace('canary-one', 'canary-two').replace('type: pull', 'type: pull, max_waiting: 7');
    const { code, stdout } = await config(['plan'], next);
    expect(code).to.equal(2);
    expect(stdout).to.equal(`~ sink worker
    destination.max_waiting: 20 -> 7
~ sink index
    destination.auth_value: ******** -> ******** (changed)
Plan: 0 to create, 2 to change, 0 to delete.
`);
    const json = JSON.parse((await config(['plan', '--json'], next)).stdout);
    expect(json.summary).to.deep.equal({ create: 0, update: 2, delete: 0 });
    expect(json.changes[1].new.destination.auth_value).to.equal('******** (changed)');
    expect(JSON.stringify(json)).to.not.match(/canary|hunter22/);
  });

  it('says all faults, of functions too, and ends with 1', async () => {
    const bad = `${FILE}functions: [{ name: f, type: filter, code: "(a) =>" }]\n`;
    const planned = await config(['plan'], bad);
    expect(planned).to.include({ code: 1, stdout: '' });
    expect(planned.stderr).to.match(/functions\[0\]\.code: f: .*line 1/);
    const validated = await config(['validate'], bad.replace('max', 'min').replace('database: shop', 'databse: shop'));
    expect(validated).to.include({ code: 1 });
    expect(validated.stderr).to.include('Did you mean `database`?').and.include('line');
    expect(await config(['validate'], FILE)).to.include({ code: 0, stdout: 'No fault was found.\n' });
  });

  it('asks what it is about to do, and prunes what may be lost with --force alone', async () => {
    const file = path.join(folder, 'empty.yaml');
    await writeFile(file, 'sinks: []\n');
    const run = (answer: string, options: Record<string, unknown>) =>
      typed({ DATABASE_URL: messages.url, SECRET_KEY }, apply, {
        arguments: [file],
        options: { prune: true, ...options },
        answer,
      });
    const refusal = await run('y', {}).catch((error: Error) => error);
    expect(refusal).to.include({ code: 'needs_force' });
    const refused = await run('n', { force: true });
    expect([refused.code, ...refused.said.slice(-2)]).to.deep.equal([1, 'Apply this? [y/N] ', 'Nothing was applied.']);
    expect((await run('y', { force: true })).code).to.equal(0);
    const { rows } = await messages.db.query('select s.name from millrace_private.sinks s');
    expect(rows).to.deep.equal([]);
    expect(await config(['export'])).to.include({ code: 0, stdout: '' });
  });
});
