/** The command line as somebody calls it. */
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { VERSION } from '../../src/runtime/version.ts';
import { instructions } from '../../src/sinks/change-table/policies/instructions.ts';
import { runCli } from '../support/processes/cli.ts';

const CLI = path.join(import.meta.dirname, '../../src/cli.ts');
const run = (...args: string[]) => promisify(execFile)(process.execPath, [CLI, ...args]);

describe('bin/millrace', () => {
  it('lists what it can do, and starts nothing for a word that it does not know', async () => {
    expect((await run('--help')).stdout).to.match(
      / start .* migrate .* status .* backfill .* verify .* resync .* sql /s,
    );
    for (const word of ['--version', '-V']) expect((await run(word)).stdout).to.equal(`${VERSION}\n`);
    const failed = await run('start', 'everything').catch((error) => error);
    expect(failed).to.deep.include({ code: 1, stdout: '' });
    expect(failed.stderr).to.contain('Allowed choices are all, web, worker, capture, migrate');
  });

  it('says with --json what it did not understand as the API does, and how an address is written in any case', async () => {
    const lines: [words: string[], summary: RegExp][] = [
      [['sinks', '--nope'], /^unknown option '--nope'$/],
      [['tokn'], /^unknown command 'tokn'$/],
      [['sink', 'show'], /^missing required argument 'sink'$/],
      [['config', 'validate', '/none'], /^\/none cannot be read \(ENOENT\)$/],
    ];
    for (const [words, summary] of lines) {
      const { code, stdout, stderr } = await run(...words, '--json').catch((error) => error);
      expect([code, stdout]).to.deep.equal([1, '']);
      const { summary: said, remedy } = JSON.parse(stderr);
      expect(said).to.match(summary);
      expect(remedy).to.be.a('string').and.not.equal('');
    }
    const env = { ...process.env, DATABASE_URL: 'mysql://somebody:hunter22@h/d' };
    const { stderr } = await promisify(execFile)(process.execPath, [CLI, 'status'], { env }).catch((error) => error);
    expect(stderr).to.include('Write postgres://user:password@host:5432/database').and.not.include('hunter22');
  });

  it('refuses an option that means nothing to a role, a migration or a statement', async () => {
    for (const [words, option] of [
      [['migrate', '--url', 'http://127.0.0.1:9'], '--url'],
      [['start', 'worker', '--token', 'x'], '--token'],
      [['--timeout', '5', 'start', 'web'], '--timeout'],
      [['start', '--json', 'web'], '--json'],
      [['sql', '--json', 'select 1'], '--json'],
    ] as const) {
      const { code, stdout, stderr } = await runCli(words, { DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none' });
      expect([code, stdout], words.join(' ')).to.deep.equal([1, '']);
      expect(stderr).to.include(option).and.not.include('ECONNREFUSED');
    }
  });

  it('reads a configuration from the standard input', async () => {
    const told = async (yaml: string): Promise<string> => {
      const shell = `echo '${yaml}' | "${process.execPath}" "${CLI}" config validate -`;
      return (await promisify(execFile)('bash', ['-c', shell]).catch((error) => error)).stderr;
    };
    const fault = 'must be a mapping of keys to values. Write a mapping of keys to values here.\n';
    expect(await told('sinks: [1]')).to.equal(`sinks[0] (line 1, column 9): ${fault}`);
    expect(await told('[]')).to.equal(`(line 1, column 1): ${fault}`);
  });

  it('checks a configuration whatever the settings of the service are, as in a pipeline that knows half of them', async () => {
    const folder = await mkdtemp(path.join(os.tmpdir(), 'millrace-validate-'));
    const file = path.join(folder, 'millrace.yaml');
    try {
      await writeFile(file, 'api_tokens: [{ name: ci, token: abcabcabcabc, scopes: [read] }]\n');
      const half = { SECRET_KEY: '', LOG_LEVEL: 'WARN', PORT: 'x' };
      const validate = (env: NodeJS.ProcessEnv) => runCli(['config', 'validate', file], { ...half, ...env });
      const here = await validate({});
      expect([here.code, here.stdout], here.stderr).to.deep.equal([0, 'No fault was found.\n']);
      expect(here.stderr).to.include('api_tokens[0].token');
      // Where others reach the port, a weak token is a fault.
      for (const env of [{ DATABASE_URL: 'postgres://u:p@db.example.com/d' }, { HOST: '0.0.0.0' }]) {
        const { code, stderr } = await validate(env);
        expect([code, stderr.split(' ')[0]]).to.deep.equal([1, 'api_tokens[0].token']);
      }
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  it('ends without a word when its reader has seen enough', async () => {
    const text = `"${process.execPath}" "${CLI}" change-table sql --table e | true; echo "\${PIPESTATUS[0]}"`;
    const { stdout, stderr } = await promisify(execFile)('bash', ['-c', text]);
    expect(stderr).to.equal('');
    expect(['0\n', '141\n']).to.include(stdout);
  });

  it('says in a sentence that its output has no room', async function () {
    if (process.platform !== 'linux') this.skip();
    const text = `"${process.execPath}" "${CLI}" change-table sql --table e > /dev/full`;
    const { code, stderr } = await promisify(execFile)('bash', ['-c', text]).catch((error) => error);
    expect([code, stderr]).to.deep.equal([1, 'The output cannot be written (ENOSPC)\n']);
  });
});

describe('bin/millrace change-table sql', () => {
  it('prints the SQL and nothing else', async () => {
    const { stdout, stderr } = await run(
      ...['change-table', 'sql', '--table', 'Audit.Orders', '--variant', 'pg_partman'],
      ...['--partman-version', '4', '--keep', '2 weeks', '--interval', '1 week'],
    );
    expect(stderr).to.equal('');
    expect(stdout).to.equal(
      instructions({
        table: { schema: 'Audit', name: 'Orders' },
        variant: 'pg_partman',
        keep: '14 days',
        interval: '7 days',
        version: 4,
      }),
    );
  });

  it('says what is wrong and what to do, with exit code 1', async () => {
    const refused: [words: string[], stderr: RegExp][] = [
      [['--table', 'e', '--variant', 'cron'], /Allowed choices are plain, job, pg_cron, pg_partman/],
      [['--table', 'a.b.c'], /^--table is not the name of a table\n {2}Write /],
      [['--table', 'e', '--keep', '1 day'], /^keep: means nothing with variant plain\n$/],
      [['--table', 'e', '--variant', 'pg_cron', '--keep', "1 day'; drop"], /^keep: must be a period of time/],
      [['--table', 'e', '--variant', 'pg_cron', '--cron-database', 'd'], /^destination_database: must be named/],
    ];
    const failed = await Promise.all(
      refused.map(([words]) => run('change-table', 'sql', ...words).catch((error) => error)),
    );
    for (const [place, [, stderr]] of refused.entries()) {
      expect(failed[place]).to.deep.include({ code: 1, stdout: '' });
      expect(failed[place].stderr).to.match(stderr);
    }
  });
});
