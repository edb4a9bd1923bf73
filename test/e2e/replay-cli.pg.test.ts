/** `millrace replay`: what it would send, what it sends, and what it answers to a slip. */
import { expect } from 'chai';
import { type ReplayWorld, replayWorld } from '../support/fixtures/replayed.ts';
import { runCli } from '../support/processes/cli.ts';
import { SECRET_KEY } from '../support/processes/service.ts';

const YAML = `
sinks:
  - { name: pull, database: shop, source: { include_tables: [items] }, destination: { type: pull } }
  - { name: no-updates, database: shop, actions: [insert, delete], filters: [{ column_name: id, operator: '>', comparison_value: 0 }], destination: { type: pull } }
  - { name: elsewhere, database: shop, source: { include_tables: [others] }, destination: { type: pull } }
change_retentions:
  - name: history
    source_database: shop
    source_table_name: items
    destination_database: archive
    destination_table_name: items_events
    create_if_not_exists: true
`;

describe('the command replay', function () {
  this.timeout(120_000);
  let world: ReplayWorld;
  let seqs: number[];
  const cli = (...args: string[]) => runCli(['replay', ...args], { DATABASE_URL: world.messagesUrl, SECRET_KEY });

  before(async () => {
    world = await replayWorld('create table items (id int primary key, name text)', () => YAML, { pageRows: 100 });
    await world.shop.query(`insert into items select n, 'item ' || n from generate_series(1, 40) n`);
    await world.shop.query(`update items set name = 'new' where id <= 20`);
    await world.shop.query('delete from items where id = 1');
    await world.settled(['history']);
    const { rows } = await world.archive.query<{ seq: number }>('select seq from items_events order by seq');
    seqs = rows.map(({ seq }) => seq);
    await world.drained('pull');
  });
  after(() => world?.close());

  it('counts what would be sent, by action, and sends nothing', async () => {
    const { code, stdout, stderr } = await cli('history', 'pull', '--dry-run');
    expect(code, stderr).to.equal(0);
    expect(stdout).to.match(
      /^61 entries of history would be sent to pull\n {2}insert +40\n {2}update +20\n {2}delete +1\n/,
    );
    expect(stdout).to.match(
      new RegExp(`first +seq ${seqs[0]}, committed 20.*\n +last +seq ${seqs.at(-1)}, committed 20`),
    );
    const one = await cli('history', 'pull', '--dry-run', '--key', '1', '--from-seq', String(seqs[40]));
    expect(one.stdout).to.match(/^2 entries /);
    const none = await cli('history', 'pull', '--dry-run', '--until', '2020-01-01');
    expect(none.stdout).to.equal('0 entries of history would be sent to pull\n');
    const few = await cli('history', 'no-updates', '--dry-run');
    expect(few.stdout).to.match(
      /^41 entries of history would be sent to no-updates\n {2}insert +40\n {2}update +0, the sink does not take 20\n {2}delete +1\n/,
    );
    expect(few.stdout).to.match(/note +the filters of the sink may leave some out\n$/);
    const elsewhere = await cli('history', 'elsewhere', '--dry-run');
    expect(elsewhere.stderr).to.match(/^sink elsewhere does not take in public.items\n {2}Name a table of its source/);
    expect((await world.messages.query('select from millrace.backfill_status')).rowCount).to.equal(0);
  });

  it('sends them, and shows how far it is', async () => {
    const { code, stdout, stderr } = await cli(
      'history',
      'pull',
      '--since',
      '2020-01-01',
      '--to-seq',
      String(seqs[59]),
    );
    expect(code, stdout + stderr).to.equal(0);
    expect(stdout).to.match(/^replay [0-9a-f-]{36}\n/);
    expect(stdout).to.include('done: 60 rows read, 60 sent\n');
    expect((await world.drained('pull')).length).to.equal(60);
  });

  it('starts one and returns', async () => {
    const { code, stdout } = await cli('history', 'pull', '--key', '2', '3', '--no-wait');
    expect(code).to.equal(0);
    expect(await world.ended(stdout.trim())).to.include({ state: 'done', rows_done: 4 });
    await world.drained('pull');
  });

  it('refuses what cannot be, with the remedy', async () => {
    const refused = async (...args: string[]): Promise<string> => {
      const { code, stderr } = await cli(...args);
      expect(code).to.equal(1);
      return stderr;
    };
    expect(await refused('nothing', 'pull')).to.match(/^there is no change retention nothing\n {2}There are: history/);
    expect(await refused('history', 'pull', '--since', 'soonish')).to.match(/^since: is not a time\. Write it/);
    expect(await refused('history', 'pull', '--from-seq', 'x', '--dry-run')).to.match(
      /^from_seq: must be the seq of an entry/,
    );
    await world.archive.query('alter table items_events rename to hidden');
    expect(await refused('history', 'pull', '--dry-run')).to.match(
      /^the change table "public"."items_events" of database archive is not there/,
    );
    await world.archive.query('alter table hidden rename to items_events');
  });
});
