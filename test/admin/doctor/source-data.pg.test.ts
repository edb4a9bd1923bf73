/** Traps in what a source is to give: each is set for real by capture, found, and gone when what is printed was done. */
import { expect } from 'chai';
import { PULL, sinkSettings } from '../../support/fixtures/captured.ts';
import { type Examined, examined } from '../../support/fixtures/examined.ts';
import { until } from '../../support/until.ts';

describe('millrace doctor: what a source is to give', function () {
  this.timeout(120_000);
  let by: Examined | undefined;
  afterEach(async () => await by?.close());

  it('says why init_sql did not make the publication, with the statement that makes one', async () => {
    const publication = { name: 'of_init_sql', create_if_not_exists: true, init_sql: '' };
    publication.init_sql = 'create publication of_init_sql for table public.nowhere';
    by = await examined('create table ledger (id int primary key)', { settings: { publication } });
    await by.on.addSink(sinkSettings({ name: 'all', destination: PULL }));
    by.on.start();
    const { reason, remedy } = await by.on.becomes('error');
    expect(reason).to.equal('publication.init_sql: relation "public.nowhere" does not exist');
    expect(remedy).to.include('Correct publication.init_sql');
    const printed = await by.repair('init_sql_failed');
    expect(printed).to.include({ status: 'ERROR', subject: 'database shop', place: 'database shop' });
    expect(printed.summary).to.include('relation "public.nowhere" does not exist');
    await by.on.streaming();
    expect((await by.finding('init_sql_failed'))?.text).to.equal(undefined);
    await by.on.source.query('insert into ledger values (1)');
  });

  it('does not call init_sql wrong while something is in its way', async () => {
    const publication = { name: 'of_init_sql', create_if_not_exists: true, init_sql: '' };
    publication.init_sql = `do $$ begin raise 'a lock is in the way' using errcode = '55P03'; end $$`;
    by = await examined('create table ledger (id int primary key)', { settings: { publication } });
    await by.on.addSink(sinkSettings({ name: 'all', destination: PULL }));
    by.on.start();
    const { reason, remedy } = await by.on.becomes('error');
    expect(reason).to.include('a lock is in the way');
    expect(remedy ?? '').not.to.include('Correct');
  });

  it('names the largest of the rows that were too large, and what sends them', async () => {
    by = await examined('create table notes (id int primary key, note text)', {
      settings: { max_row_bytes: 1_048_576 },
    });
    const sinkNo = await by.on.addSink(sinkSettings({ name: 'all', destination: PULL }));
    by.on.start();
    await by.on.streaming();
    await by.on.source.query(
      `insert into notes values (1, repeat('x', 1500000)), (2, repeat('x', 3000000)), (3, 'small')`,
    );
    await by.on.received(sinkNo, 3);
    const found = await by.finding('rows_too_large');
    expect(found).to.include({ status: 'WARNING', subject: 'sink all', place: 'message database' });
    expect(found!.summary).to.match(/^2 rows of public\.notes are .*\(1048576\); the largest one has 30000\d\d bytes/);
    const wanted = Number(/max_row_bytes: (\d+)/.exec(found!.text)?.[1]);
    await by.on.messages.db.query(
      `update millrace_private.databases set settings = jsonb_set(settings, '{max_row_bytes}', to_jsonb($1::integer))`,
      [wanted],
    );
    await by.on.stop();
    by.on.settings.max_row_bytes = wanted;
    by.on.start();
    await by.on.streaming();
    await by.repair('rows_too_large');
    await until('the rows came', async () => {
      const { rows } = await by!.on.messages.db.query<{ whole: number }>(
        `select count(*)::integer as whole from millrace_private.messages where sink_no = $1 and length(record) > 1000000`,
        [sinkNo],
      );
      return rows[0]!.whole === 2;
    });
    expect((await by.finding('rows_too_large'))?.text).to.equal(undefined);
  });

  it('knows the size of rows that were read, by a backfill or because an update left their values out', async () => {
    by = await examined(
      `create table notes (id int primary key, n int, note text); alter table notes alter note set storage external;
       insert into notes values (1, 1, repeat('x', 1500000)), (2, 1, repeat('x', 3000000))`,
      { settings: { max_row_bytes: 1_048_576 } },
    );
    const sinkNo = await by.on.addSink(sinkSettings({ name: 'all', destination: PULL }));
    by.on.start();
    await by.on.streaming();
    const largest = async () =>
      /the largest one has (\d+) bytes/.exec((await by!.finding('rows_too_large'))!.summary)?.[1];
    await by.on.source.query('update notes set n = 2 where id = 1');
    await by.on.received(sinkNo, 1);
    expect(Number(await largest())).to.be.within(1_500_000, 1_500_200);
    await by.on.messages.db.query(`select millrace.backfill('all', 'notes')`);
    await by.on.received(sinkNo, 3);
    expect(Number(await largest())).to.be.within(3_000_000, 3_000_200);
    const { rows } = await by.on.messages.db.query(
      'select distinct error is null as unknown from millrace.parked_messages',
    );
    expect(rows).to.deep.equal([{ unknown: false }]);
  });
});
