/** `millrace sink remove`: asks before anything goes, and says what is left to do. */
import { expect } from 'chai';
import { applyConfig } from '../../src/catalog/apply/apply.ts';
import { removing } from '../../src/cli/table/things.ts';
import { KEYS, parse, SECRET_KEY, SHOP } from '../catalog/support.ts';
import { type MessageDatabase, messageDatabase } from '../support/postgres/message-database.ts';
import { runCli } from '../support/processes/cli.ts';
import { typed } from '../support/processes/typed.ts';

const FILE = `${SHOP}sinks:
  - { name: worker, database: shop, destination: { type: pull } }
change_retentions:
  - { name: history, source_database: shop, source_table_name: a, destination_database: shop, destination_table_name: b }
`;

describe('millrace sink remove', function () {
  this.timeout(120_000);
  let messages: MessageDatabase;
  const remove = (name: string, answer: string) =>
    typed({ DATABASE_URL: messages.url, SECRET_KEY }, removing('sink'), { arguments: [name], answer });
  const sinks = async (): Promise<string[]> =>
    (await messages.db.query<{ name: string }>('select name from millrace_private.sinks order by name')).rows.map(
      ({ name }) => name,
    );

  before(async () => {
    messages = await messageDatabase();
    await applyConfig({ db: messages.db, keys: KEYS }, parse(FILE).config, { from: 'start' });
  });
  after(async () => await messages.drop());

  it('asks, and takes anything but yes for no', async () => {
    const { code, said } = await remove('worker', 'yep');
    expect(code).to.equal(1);
    expect(said).to.deep.equal([
      'Remove sink worker? 0 pending and 0 parked messages are thrown away. [y/N] ',
      'Nothing was removed.',
    ]);
    expect((await remove('worker', '')).code).to.equal(1);
    expect(await sinks()).to.deep.equal(['history', 'worker']);
  });

  it('removes nothing where nobody can be asked', async () => {
    const [{ code, stderr }, unknown] = await Promise.all([
      runCli(['sink', 'remove', 'worker'], { DATABASE_URL: messages.url }),
      runCli(['sink', 'remove', 'workers', '--yes'], { DATABASE_URL: messages.url }),
    ]);
    expect(code).to.equal(1);
    expect(stderr).to.include('must be confirmed').and.include('bin/millrace sink remove worker --yes');
    expect([unknown.code, unknown.stderr]).to.deep.equal([1, unknown.stderr]);
    expect(unknown.stderr).to.include('workers').and.include('Did you mean worker?');
    expect(await sinks()).to.deep.equal(['history', 'worker']);
  });

  it('removes it, a change retention too, and says what is left to do', async () => {
    const { code, said } = await remove('history', 'Yes');
    expect(code).to.equal(0);
    expect(said.slice(1)).to.deep.equal([
      'change retention history is removed.',
      'Its entry in the configuration file makes it again at the next apply: take it out there, too.',
      'Its change table stays as it is, until you drop it:',
      '  drop table "public"."b";',
    ]);
    const last = await runCli(['sink', 'remove', 'worker', '--yes'], { DATABASE_URL: messages.url });
    expect(last.code, last.stderr).to.equal(0);
    expect(last.stdout).to.include('No sink reads from database shop any more');
    expect(await sinks()).to.deep.equal([]);
  });
});
