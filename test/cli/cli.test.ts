/** The command line as somebody calls it. */
import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { instructions } from '../../src/sinks/change-table/policies/instructions.ts';

const CLI = path.join(import.meta.dirname, '../../src/cli.ts');
const run = (...args: string[]) => promisify(execFile)(process.execPath, [CLI, ...args]);

describe('bin/millrace', () => {
  it('lists what it can do, and starts nothing for a word that it does not know', async () => {
    expect((await run('--help')).stdout).to.match(
      / start .* migrate .* status .* backfill .* verify .* resync .* sql /s,
    );
    const failed = await run('start', 'everything').catch((error) => error);
    expect(failed).to.deep.include({ code: 1, stdout: '' });
    expect(failed.stderr).to.contain('Allowed choices are all, web, worker, capture, migrate');
  });

  it('ends without a word when its reader has seen enough', async () => {
    const text = `"${process.execPath}" "${CLI}" change-table sql --table e | true; echo "\${PIPESTATUS[0]}"`;
    const { stdout, stderr } = await promisify(execFile)('bash', ['-c', text]);
    expect(stderr).to.equal('');
    expect(['0\n', '141\n']).to.include(stdout);
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
