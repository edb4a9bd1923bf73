/** What was told stays true: after a crash of the source, and with a message database that was restored from its backup. */
import { expect } from 'chai';
import pg from 'pg';
import { type Captured, captured, PULL, sinkSettings } from '../../support/fixtures/captured.ts';
import { type NotedSource, startNotedSource } from '../../support/fixtures/noted-source.ts';
import { type SourceServer, startSourceServer } from '../../support/postgres/source-server.ts';
import { until } from '../../support/until.ts';

describe('capture by triggers, after a crash of the source', function () {
  this.timeout(180_000);
  let server: SourceServer;
  let on: Captured;
  let sink: number;

  before(async () => {
    // Nothing brings WAL to the disk but whoever asks for it.
    server = await startSourceServer({ settings: { synchronous_commit: 'off', wal_writer_delay: '10s' } });
    on = await captured('create table rows (id int primary key)', {
      database: server.database,
      settings: { capture: 'triggers' },
    });
    sink = await on.addSink(sinkSettings({ name: 'all', destination: PULL }));
    on.start();
    await on.streaming();
  });
  after(async () => {
    await on?.close();
    await server?.close();
  });

  it('tells nothing that a crash takes back, and all that follows under ids of transactions that are given out again', async () => {
    const told = async (count: number): Promise<string[]> =>
      (await on.received(sink, count)).map(({ record_pks: key }) => key);
    for (let round = 1; round <= 3; round += 1) {
      const client = new pg.Client({ connectionString: on.sourceUrl });
      client.on('error', () => undefined);
      await client.connect();
      for (let n = 0; n < 20; n += 1) await client.query('insert into rows values ($1)', [100 * round + n]);
      const { rows: stored } = await client.query<{ key: string }>(`select '["' || id || '"]' as key from rows`);
      // Its last change may wait for the disk.
      await told(stored.length);
      await server.end('SIGQUIT');
      await client.end().catch(() => undefined);
      await server.start();
      const after = new pg.Client({ connectionString: on.sourceUrl });
      await after.connect();
      for (let n = 20; n < 40; n += 1) await after.query('insert into rows values ($1)', [100 * round + n]);
      const { rows } = await after.query<{ key: string }>(`select '["' || id || '"]' as key from rows`);
      await after.end();
      expect((await told(rows.length)).toSorted(), `round ${round}`).to.deep.equal(
        rows.map(({ key }) => key).toSorted(),
      );
    }
  });
});

describe('capture by triggers, with a message database of before', function () {
  this.timeout(180_000);
  let noted: NotedSource;
  let on: Captured;

  beforeEach(async () => {
    noted = await startNotedSource();
    ({ on } = noted);
    await on.source.query("insert into rows values (1, 'before')");
    await on.received(noted.sink, 1);
    await on.stop();
  });
  afterEach(async () => await noted?.close());

  /** Takes back what has come to be there since the call, as a restored backup does; capture does not run then. */
  async function backUp(): Promise<() => Promise<void>> {
    const { db } = on.messages;
    const { rows } = await db.query<{ plan: number; seq: number; next: number }>(
      `select (select max(p.no) from millrace_private.capture_plans p) as plan, l.seq, l.next_id as next
         from millrace_private.position_log l order by l.seq desc limit 1`,
    );
    const { plan, seq, next } = rows[0]!;
    return async () => {
      await db.query('delete from millrace_private.capture_plans where no > $1::bigint', [plan]);
      await db.query('delete from millrace_private.position_log where seq > $1::bigint', [seq]);
      await db.query('delete from millrace_private.messages where id >= $1::bigint', [next]);
    };
  }

  it('says so where what was noted since is gone', async () => {
    const restore = await backUp();
    on.start();
    await on.source.query("insert into keyless select 'x' from generate_series(1, 70000)");
    await on.received(noted.sink, 70_001);
    await until('a part is emptied', async () => {
      const { rows } = await on.source.query<{ first: string }>(
        'select min(seq) as first from millrace_capture.changes',
      );
      return Number(rows[0]!.first) > 65_535;
    });
    // What is there is read: that is no gap.
    await on.stop();
    on.start();
    await on.source.query("insert into rows values (2, 'after')");
    await on.received(noted.sink, 70_002);
    await on.stop();
    await restore();
    on.start();
    const { reason, remedy } = await on.becomes('needs_resync');
    expect(reason).to.include('it was restored from an older copy');
    expect(remedy).to.include('millrace resync shop');
    await on.messages.db.query("select millrace.accept_gap('shop')");
    await on.streaming();
    await on.source.query("insert into rows values (3, 'since')");
    expect((await on.received(noted.sink, 2)).map(({ record_pks: key }) => key)).to.deep.equal(['["1"]', '["3"]']);
  });

  it('tells all of it once more where it is still there', async () => {
    const restore = await backUp();
    on.start();
    await on.source.query("insert into rows values (2, 'since'); update rows set value = 'since'");
    const given = (await on.received(noted.sink, 4)).at(-1)!.id;
    await on.stop();
    await restore();
    on.start();
    await on.source.query("insert into rows values (3, 'after')");
    const again = await on.received(noted.sink, 5);
    // An index leaves out whatever has a lower id than the document that it has.
    expect(again[1]!.id).to.be.greaterThan(given);
    expect(again.map(({ action, record }) => [action, record])).to.deep.equal([
      ['insert', '{"id":1,"value":"before"}'],
      ['insert', '{"id":2,"value":"since"}'],
      ['update', '{"id":1,"value":"since"}'],
      ['update', '{"id":2,"value":"since"}'],
      ['insert', '{"id":3,"value":"after"}'],
    ]);
  });
});

describe('capture by triggers, begun again', function () {
  this.timeout(120_000);
  let noted: NotedSource;
  let on: Captured;
  before(async () => {
    noted = await startNotedSource();
    ({ on } = noted);
  });
  after(async () => await noted?.close());

  it('tells nothing of a large plan twice, though a part of it was emptied before', async () => {
    await on.stop();
    // A partition of one large transaction, and behind it two beside each other, which go on from chunk to chunk.
    await on.source.query("insert into keyless select 'x' from generate_series(1, 66000)");
    const [one, other] = [await noted.session(), await noted.session()];
    for (const [client, first] of [
      [one, 1],
      [other, 100_001],
    ] as const)
      await client.query(`begin; insert into rows select n, 'x' from generate_series(${first}, ${first} + 2999) n`);
    for (let n = 1; n <= 4; n++)
      for (const [client, first] of [
        [one, 10_000 * n],
        [other, 200_000 + 10_000 * n],
      ] as const)
        await client.query(`insert into rows select n, 'x' from generate_series(${first}, ${first} + 1699) n`);
    await one.query('commit');
    await other.query('commit');
    on.start();
    const count = 66_000 + 2 * 3_000 + 8 * 1_700;
    await on.received(noted.sink, count);
    await until('what was read is gone', async () => {
      const { rows } = await on.source.query('select from millrace_capture.changes where seq < 65536 limit 1');
      return rows.length === 0;
    });
    await on.stop();
    on.start();
    await on.streaming();
    await on.source.query("insert into rows values (1000000, 'last')");
    await until('the last one is there', async () =>
      (await on.received(noted.sink, count + 1)).some((row) => row.record_pks === '["1000000"]'),
    );
    expect((await on.received(noted.sink, count + 1)).length).to.equal(count + 1);
  });
});
