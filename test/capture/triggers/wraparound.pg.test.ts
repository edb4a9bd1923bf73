/** Transaction ids have 32 bits in rows and in the stream of a slot, and 64 where triggers note them: the low ones begin again at 3. */
import { expect } from 'chai';
import { byRow, isAscending, PUBLISH, type SwitchedSource, switchedSource } from '../../support/fixtures/switched.ts';
import { hasPostgres15 } from '../../support/postgres/postgres.ts';
import { type SourceServer, startSourceServer } from '../../support/postgres/source-server.ts';

const WRAP = 2n ** 32n;

describe('capture by triggers, where transaction ids begin again', function () {
  this.timeout(300_000);
  let server: SourceServer | undefined;
  let it_: SwitchedSource | undefined;
  before('needs pg_resetwal of Postgres 15', function () {
    if (!hasPostgres15()) this.skip();
  });
  beforeEach(async () => {
    server = await startSourceServer({ major: 15 });
    await server.goOnAt(WRAP - 150n);
  });
  afterEach(async () => {
    await it_?.close();
    await server?.close();
  });

  const begin = async (way: 'replication' | 'triggers'): Promise<SwitchedSource> => {
    it_ = await switchedSource('create table rows (id int primary key, value text)', way, {
      database: server!.database,
    });
    it_.on.start();
    await it_.on.streaming();
    return it_;
  };
  const nextXid = async (): Promise<bigint> => {
    const { rows } = await it_!.on.source.query<{ next: string }>(
      'select pg_snapshot_xmax(pg_current_snapshot())::text as next',
    );
    return BigInt(rows[0]!.next);
  };
  /** Each row a transaction of its own, until ids have begun again. */
  const writeOver = async (value: string): Promise<void> => {
    for (let id = 100; (await nextXid()) < WRAP + 40n; id += 1)
      await it_!.on.source.query(
        `insert into rows values (${id}, '${value}') on conflict (id) do update set value = excluded.value`,
      );
  };
  const isTold = async (count: number): Promise<Map<string, string[]>> => {
    const { on, sink } = it_!;
    const { rows } = await on.source.query<{ n: number }>('select count(*)::integer as n from rows where id >= 100');
    const found = await on.received(sink, count + rows[0]!.n);
    expect(found.length).to.equal(count + rows[0]!.n);
    expect(isAscending(found)).to.equal(true);
    const told = byRow(found.filter(({ record_pks: key }) => key.length < 7));
    return told;
  };

  it('tells each change once, also those of transactions that were open then', async () => {
    const { on, session } = await begin('triggers');
    const slow = await session();
    await slow.query(
      "begin; insert into rows values (1, 'slow'); savepoint s; update rows set value = 'undone'; rollback to s",
    );
    expect((await nextXid()) < WRAP).to.equal(true);
    await writeOver('over');
    await on.stop();
    await slow.query("update rows set value = 'slower' where id = 1; commit");
    await on.source.query("insert into rows values (2, 'after'); delete from rows where id = 2");
    on.start();
    const told = await isTold(4);
    expect(told).to.deep.equal(
      new Map([
        ['["1"]', ['insert {"id":1,"value":"slow"}', 'update {"id":1,"value":"slower"}']],
        ['["2"]', ['insert {"id":2,"value":"after"}', 'delete {"id":2,"value":"after"}']],
      ]),
    );
    expect((await on.state()).state).to.equal('streaming');
  });

  for (const [from, to] of [
    ['triggers', 'replication'],
    ['replication', 'triggers'],
  ] as const)
    it(`goes over from ${from} to ${to} at a cut on the other side, and tells each change once`, async () => {
      const { on, session, declare, goneOver } = await begin(from);
      await on.source.query(PUBLISH);
      const [slow, other] = [await session(), await session()];
      await slow.query("begin; insert into rows values (1, 'slow')");
      await declare(to);
      await writeOver('over');
      await other.query("begin; insert into rows values (2, 'other')");
      await slow.query("update rows set value = 'slower' where id = 1; commit");
      await on.source.query("insert into rows values (3, 'either')");
      await other.query('commit');
      await goneOver(to);
      await on.source.query("update rows set value = 'after' where id < 100");
      const told = await isTold(7);
      expect(told).to.deep.equal(
        new Map([
          [
            '["1"]',
            ['insert {"id":1,"value":"slow"}', 'update {"id":1,"value":"slower"}', 'update {"id":1,"value":"after"}'],
          ],
          ['["3"]', ['insert {"id":3,"value":"either"}', 'update {"id":3,"value":"after"}']],
          ['["2"]', ['insert {"id":2,"value":"other"}', 'update {"id":2,"value":"after"}']],
        ]),
      );
    });
});
