/** The command line as somebody calls it. */
import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { instructions } from '../src/retain/instructions.ts';

const CLI = path.join(import.meta.dirname, '../src/cli.ts');
const run = (...args: string[]) => promisify(execFile)(process.execPath, [CLI, ...args]);

describe('millrace change-table sql', () => {
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
    const failed = await run('change-table', 'sql', '--table', 'e', '--variant', 'cron').catch((error) => error);
    expect(failed).to.deep.include({
      code: 1,
      stdout: '',
      stderr: '--variant cron is not known\n  Use one of: plain, job, pg_cron, pg_partman.\n',
    });
  });
});
