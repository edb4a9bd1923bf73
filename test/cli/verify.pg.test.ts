/** `millrace verify` where no worker is there: it says so; Ctrl-C leaves the job, and the same command again watches it. */
import { expect } from 'chai';
import { applyConfig } from '../../src/catalog/apply/apply.ts';
import { FILE } from '../api/support.ts';
import { KEYS, parse } from '../catalog/support.ts';
import { type MessageDatabase, messageDatabase } from '../support/postgres/message-database.ts';
import { startCli } from '../support/processes/cli.ts';
import { until } from '../support/until.ts';

describe('millrace verify', function () {
  this.timeout(60_000);
  let m: MessageDatabase;
  before(async () => {
    m = await messageDatabase();
    await applyConfig({ db: m.db, keys: KEYS }, parse(FILE).config);
  });
  after(async () => await m?.drop());

  it('says that no worker is there, is left by Ctrl-C, watches what is under way, and fails when that is cancelled', async () => {
    const states = async (): Promise<{ id: string; state: string }[]> =>
      (await m.db.query<{ id: string; state: string }>('select id, state from millrace.operation_status')).rows;
    const first = startCli(['verify', 'products'], { DATABASE_URL: m.url });
    const alone = /waiting: no worker is there to take it; Run bin\/millrace start/;
    await until('it says so', () => alone.test(first.output()), 30_000);
    first.interrupt();
    const left = await first.ended(30_000);
    const [{ id, state } = { id: '', state: '' }, ...others] = await states();
    expect([left.code, state, others], left.stderr).to.deep.equal([130, 'waiting', []]);
    expect(left.stderr)
      .to.contain('It continues without this command')
      .and.contain(`bin/millrace operation watch ${id}`);

    const second = startCli(['verify', 'products'], { DATABASE_URL: m.url });
    await until('it watches', () => second.output().includes('A verification of products is under way'), 30_000);
    await m.db.query('select millrace.cancel_operation($1)', [id]);
    const ended = await second.ended(30_000);
    expect([ended.code, ended.stdout], ended.stderr).to.deep.equal([1, '']);
    expect(ended.stderr).to.contain('the verify was cancelled');
  });
});
