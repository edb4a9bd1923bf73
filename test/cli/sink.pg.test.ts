/** `millrace sink remove`: asks before anything goes, and says what is left to do. */
import { expect } from 'chai';
import { applyConfig } from '../../src/catalog/apply/apply.ts';
import { runRemoveSink } from '../../src/cli/sink.ts';
import { KEYS, parse, SHOP } from '../catalog/support.ts';
import { type MessageDatabase, messageDatabase } from '../support/postgres/message-database.ts';
import { runCli } from '../support/processes/cli.ts';

const FILE = `${SHOP}sinks:
  - { name: worker, database: shop, destination: { type: pull } }
change_retentions:
  - { name: history, source_database: shop, source_table_name: a, destination_database: shop, destination_table_name: b }
`;

describe('millrace sink remove', function () {
  this.timeout(120_000);
  let messages: MessageDatabase;
  const said: string[] = [];
  const remove = (name: string, answer?: string) =>
    runRemoveSink(
      {
        db: messages.db,
        say: (line) => said.push(line),
        ask:
          answer === undefined
            ? undefined
            : async (text) => {
                said.push(text);
                return answer;
              },
      },
      name,
      { yes: false },
    );
  const sinks = async (): Promise<string[]> =>
    (await messages.db.query<{ name: string }>('select name from millrace_private.sinks order by name')).rows.map(
      ({ name }) => name,
    );

  before(async () => {
    messages = await messageDatabase();
    await applyConfig({ db: messages.db, keys: KEYS }, parse(FILE).config);
  });
  after(async () => await messages.drop());
  beforeEach(() => void said.splice(0));

  it('asks, and takes anything but yes for no', async () => {
    expect(await remove('worker', 'yep')).to.equal(false);
    expect(await remove('worker', '')).to.equal(false);
    expect(said[0]).to.equal('Remove worker, a pull consumer? 0 pending and 0 parked messages are thrown away. [y/N] ');
    expect(await sinks()).to.deep.equal(['history', 'worker']);
  });

  it('removes nothing where nobody can be asked', async () => {
    const { code, stderr } = await runCli(['sink', 'remove', 'worker'], { DATABASE_URL: messages.url });
    expect(code).to.equal(1);
    expect(stderr).to.include('nobody can be asked').and.include('bin/millrace sink remove worker --yes');
    const unknown = await runCli(['sink', 'remove', 'workers', '--yes'], { DATABASE_URL: messages.url });
    expect(unknown.stderr).to.include('there is no sink workers').and.include('Did you mean worker?');
    expect(await sinks()).to.deep.equal(['history', 'worker']);
  });

  it('removes it, and says what is left to do', async () => {
    expect(await remove('history', 'Yes')).to.equal(true);
    expect(said.slice(1)).to.deep.equal([
      'history is removed; 0 pending and 0 parked messages are thrown away.',
      'Its change table stays as it is.',
      'Remove its entry from millrace.yaml too: the next start would make it again.',
    ]);
    const { code, stdout, stderr } = await runCli(['sink', 'remove', 'worker', '--yes'], {
      DATABASE_URL: messages.url,
    });
    expect(code, stderr).to.equal(0);
    expect(stdout)
      .to.include('No sink reads from database shop any more')
      .and.include('bin/millrace database remove shop');
    expect(await sinks()).to.deep.equal([]);
  });
});
