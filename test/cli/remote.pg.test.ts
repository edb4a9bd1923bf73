/** Commands that work on the message database, and over HTTP as well: the same words, the same exit codes. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import { FILE, type Managed, managed } from '../api/support.ts';
import { startCli } from '../support/processes/cli.ts';
import { until } from '../support/until.ts';

describe('cli: over HTTP', () => {
  let all: Managed;
  let folder: string;
  before(async () => {
    all = await managed();
    folder = await mkdtemp(path.join(os.tmpdir(), 'remote-'));
  });
  after(async () => {
    await all?.close();
    await rm(folder, { recursive: true, force: true });
  });

  const start = (args: string[], env: NodeJS.ProcessEnv = {}) =>
    startCli(args, { MILLRACE_URL: all.web.url, MILLRACE_TOKEN: 'admin-token', ...env });
  const call = (...args: string[]) => start(args).ended(60_000);

  it('config replaces variables and reads files here, and applies what it planned', async () => {
    await writeFile(
      path.join(folder, 'shape.js'),
      '(action, record) => ({ ...record, price: `$${"$"}{record.price}` })',
    );
    const text = FILE.replace('functions: [', 'functions: [{ name: shape, type: transform, file: shape.js }, ').replace(
      'team: billing',
      ['team: $', '{TEAM}'].join(''),
    );
    const file = path.join(folder, 'millrace.yaml');
    await writeFile(file, text);
    const env = { TEAM: 'sa$${les' };
    const planned = await start(['config', 'plan', file], env).ended(60_000);
    expect([planned.stderr, planned.code]).to.deep.equal(['', 2]);
    expect(planned.stdout)
      .to.match(/\+ function shape/)
      .and.to.match(/team/)
      .and.to.match(/Plan: 1 to create, \d+ to change/);
    const applied = await start(['config', 'apply', file, '--yes', '--quiet'], env).ended(60_000);
    expect(applied).to.deep.equal({ code: 0, stdout: 'Applied.\n', stderr: '' });
    const { json } = await all.web.call('GET', '/api/sinks/orders');
    expect(json.annotations).to.deep.equal({ team: 'sa$${les' });
    const shape = await all.web.call('GET', '/api/functions/shape');
    expect(shape.json.code).to.equal('(action, record) => ({ ...record, price: `$${"$"}{record.price}` })');
    const [again, exported, revealed] = await Promise.all([
      start(['config', 'plan', file], env).ended(60_000),
      call('config', 'export'),
      call('config', 'export', '--reveal'),
    ]);
    expect([again.stdout, again.code]).to.deep.equal(['No changes.\n', 0]);
    expect(exported.stdout)
      .to.match(/^databases:/m)
      .and.to.not.include('hunter22');
    expect(revealed.code).to.equal(1);
  });

  it('the doctor, release and adopt, and what does not work over HTTP', async () => {
    const [doctor, released, local] = await Promise.all([
      call('doctor'),
      call('release', 'change_retention', 'history'),
      call('sql', 'select 1', '--url', all.web.url),
    ]);
    expect(doctor).to.deep.equal({ code: 0, stdout: 'All is well.\n', stderr: '' });
    expect(released.stdout).to.match(/^history is released/);
    expect(local.code).to.equal(1);
    expect(local.stderr).to.match(/does not work over HTTP\n {2}Run it with DATABASE_URL/);
    expect((await call('adopt', 'change_retention', 'history')).code).to.equal(0);
  });

  it('health has the same words in every list as in status', async () => {
    const cells = ({ stdout }: { stdout: string }): Map<string, string[]> => {
      const [titles = [], , ...rows] = stdout.split('\n').map((line) => line.split('|').map((cell) => cell.trim()));
      const health = titles.indexOf('health');
      return new Map(rows.map((row) => [row[0]!, row.slice(health, health + 1)]));
    };
    const lists = await Promise.all(['sink', 'retention', 'database'].map((word) => call(word, 'list')));
    const { stdout } = await call('status');
    const listed = new Map(lists.flatMap((list) => [...cells(list)]));
    for (const name of ['orders', 'idle', 'products', 'history', 'shop', 'other']) {
      const line = stdout.split('\n').find((one) => one.startsWith(` ${name} `) || one.startsWith(`${name} `));
      const [word = ''] = listed.get(name) ?? [];
      expect(['healthy', 'warning', 'error', 'paused'], name).to.include(word);
      expect(
        line?.split('|').map((cell) => cell.trim()),
        name,
      ).to.include(word);
    }
  });

  it('a job is begun, watched and left: Ctrl-C is 130, SIGTERM 143, its end the exit code', async () => {
    const begun = await call('backfill', 'orders', '--no-wait');
    expect([begun.code, begun.stderr]).to.deep.equal([0, '']);
    const id = begun.stdout.trim();
    // Who asks again watches the one that is there.
    const watching = start(['backfill', 'orders']);
    const other = start(['operation', 'watch', id, '--json']);
    const third = start(['operation', 'watch', id]);
    for (const one of [watching, third]) await until('it is shown', () => one.output().includes('waiting'), 60_000);
    await until('it is printed', () => other.output().includes('"waiting"'), 60_000);
    watching.interrupt();
    other.terminate();
    const [left, ended] = await Promise.all([watching.ended(), other.ended()]);
    expect([left.code, left.stderr]).to.deep.equal([
      130,
      `It continues without this command. To watch it: bin/millrace operation watch ${id}\n`,
    ]);
    expect(ended.code).to.equal(143);
    expect(JSON.parse(ended.stdout.split('\n')[0]!)).to.include({ id, kind: 'backfill', state: 'waiting' });
    expect((await call('operation', 'cancel', id)).stdout).to.match(/is cancelled/);
    const over = await third.ended();
    expect([over.code, over.stderr]).to.deep.equal([1, 'all tables of orders cancelled\n']);
  });

  it('things are made from an entry, edited in an editor, and removed; over HTTP and on DATABASE_URL', async () => {
    const file = path.join(folder, 'entry.yaml');
    const variable = ['$', '{TEAM}'].join('');
    const entry = (name: string) =>
      `name: ${name}\ndatabase: shop\ndestination: { type: pull }\nannotations: { team: ${variable} }\n`;
    await writeFile(file, entry('made'));
    await writeFile(`${file}2`, entry('here'));
    const direct = { MILLRACE_URL: '', DATABASE_URL: all.m.url, TEAM: 'b', EDITOR: `sed -i 's/team: b/team: c/'` };
    const remote = { TEAM: 'b', EDITOR: `sed -i 's/team: b/team: c/'` };
    const [made, here, unread] = await Promise.all([
      start(['sink', 'create', '-f', file], remote).ended(60_000),
      start(['sink', 'create', '-f', `${file}2`], direct).ended(60_000),
      start(['sink', 'create'], { EDITOR: '' }).ended(60_000),
    ]);
    expect(made).to.deep.equal({ code: 0, stdout: 'sink made is made.\n', stderr: '' });
    expect(here).to.deep.equal({ code: 0, stdout: 'sink here is made.\n', stderr: '' });
    expect(unread.stderr).to.match(/neither a file nor an editor was given/);
    const { rows } = await all.m.db.query('select name, private_ok from millrace_private.sinks where name = any($1)', [
      ['made', 'here'],
    ]);
    // Whoever has DATABASE_URL runs the machine.
    expect(rows).to.have.deep.members([
      { name: 'made', private_ok: false },
      { name: 'here', private_ok: true },
    ]);
    const [edited, same, quiet, refused] = await Promise.all([
      start(['sink', 'edit', 'made'], remote).ended(60_000),
      start(['sink', 'edit', 'here'], { EDITOR: 'true' }).ended(60_000),
      start(['sink', 'edit', 'here', '--json'], { EDITOR: 'true' }).ended(60_000),
      start(['sink', 'edit', 'orders'], { EDITOR: 'sed -i "s/max_retry_count: null/max_retry_count: 3/"' }).ended(
        60_000,
      ),
    ]);
    expect(edited).to.deep.equal({ code: 0, stdout: 'sink made is changed.\n', stderr: '' });
    expect((await all.web.call('GET', '/api/sinks/made')).json.annotations).to.deep.equal({ team: 'c' });
    expect(same.stdout).to.equal('Nothing was changed.\n');
    expect(quiet, 'no JSON').to.deep.equal({ code: 0, stdout: '', stderr: 'Nothing was changed.\n' });
    expect(refused.code).to.equal(1);
    expect(refused.stderr).to.match(/^Your text is kept: -f .*\n.*is declared in the configuration file/);
    const kept = await readFile(/-f (\S+)/.exec(refused.stderr)![1]!, 'utf8');
    expect(kept, 'keys of its entry alone')
      .to.include('max_retry_count: 3')
      .and.not.match(/^(waiting_receives|readers):/m);
    const [gone, unasked] = await Promise.all([
      call('sink', 'remove', 'made', '--yes'),
      call('sink', 'remove', 'here'),
    ]);
    expect(gone).to.deep.equal({ code: 0, stdout: 'sink made is removed.\n', stderr: '' });
    expect([unasked.code, unasked.stderr.split('\n')[1]]).to.deep.equal([1, '  bin/millrace sink remove here --yes']);
  });

  it('tokens and functions', async () => {
    await writeFile(path.join(folder, 'one.json'), '[{"record":{"id":12345678901234567890}}]');
    const [made, ran] = await Promise.all([
      call('token', 'create', '--name', 'ci', '--scope', 'read', 'operate'),
      call('function', 'run', 'document', '--messages', path.join(folder, 'one.json')),
    ]);
    expect(made.stdout).to.match(/^mr_\w{49}\n$/);
    expect([ran.code, ran.stdout.replaceAll(/\s/g, '')]).to.deep.equal([0, '{"id":12345678901234567890}']);
    const revoked = await call('token', 'revoke', 'ci', '--yes');
    expect(revoked).to.deep.equal({ code: 0, stdout: 'ci is revoked.\n', stderr: '' });
  });
});
