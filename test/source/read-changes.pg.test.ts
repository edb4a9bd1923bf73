/** What is new among the changes that triggers have noted. */
import { expect } from 'chai';
import { type Database, openPool } from '../../src/db/pool.ts';
import { CHUNK, readNew, type Turn, takeTurn } from '../../src/source/read-changes.ts';
import { sharedSource } from '../support/postgres/postgres.ts';
import { type Noted, noted } from './triggers/noted.ts';

describe('a chunk of what triggers have noted', () => {
  it('is as large in every release: a plan that one has begun to tell is told again by the next one', () => {
    expect(CHUNK).to.deep.equal({ rows: 5_000, bytes: 8_388_608 });
  });
});

describe('a look at what triggers have noted', () => {
  let on: Noted;
  let pool: Database;

  beforeEach(async () => {
    on = await noted(await sharedSource(), 'create table t (id int)');
    await on.ensure(['t']);
    pool = openPool({ address: on.url, max: 1, queue: true, idleInTransactionMs: 0, applicationName: 'test' });
  });
  afterEach(async () => {
    await pool.close();
    await on.close();
  });

  const reading = (read: (turn: Turn) => Promise<void>): Promise<void> =>
    pool.session(async (client) => {
      await read(await takeTurn(client));
      await client.query('rollback');
    });

  it('finds each transaction once, when it has ended', async () => {
    await reading(async (turn) => {
      let before = (await readNew(turn, '1:1:')).snapshot;
      const told = async (): Promise<(string | undefined)[]> => {
        const look = await readNew(turn, before);
        before = look.snapshot;
        return look.rows!.map((row) => row.new?.toString());
      };
      const sessions = await Promise.all([1, 2, 3, 4].map(() => on.connect()));
      for (const [n, session] of sessions.entries()) await session.query(`begin; insert into t values (${n})`);
      expect(await told()).to.deep.equal([]);
      await sessions[1]!.query('commit');
      expect(await told()).to.deep.equal(['(1)']);
      await on.writer.query('insert into t values (10)');
      await sessions[0]!.query('savepoint s; insert into t values (20); commit');
      await sessions[2]!.query('rollback');
      expect(await told()).to.deep.equal(['(0)', '(10)', '(20)']);
      await on.writer.query('insert into t values (11)');
      await sessions[3]!.query('commit');
      expect(await told()).to.deep.equal(['(3)', '(11)']);
      expect(await told()).to.deep.equal([]);
    });
  });

  it('comes by no row of an open transaction', async () => {
    await reading(async (turn) => {
      const before = (await readNew(turn, '1:1:')).snapshot;
      const [one, other] = [await on.connect(), await on.connect()];
      for (const session of [one, other])
        await session.query('begin; insert into t select n from generate_series(1, 500) n');
      const visited = async (): Promise<number> => {
        const { rows } = await turn.client.query<{ visited: string }>(
          `select sum(pg_stat_get_xact_tuples_returned(i.indexrelid) + pg_stat_get_xact_tuples_returned(i.indrelid)) as visited
             from pg_index i where i.indrelid::regclass::text like 'millrace_capture.changes\\__'`,
        );
        return Number(rows[0]!.visited);
      };
      const first = await visited();
      const { rows, snapshot } = await readNew(turn, before);
      expect(rows).to.deep.equal([]);
      expect((await readNew(turn, snapshot)).rows).to.deep.equal([]);
      expect(await visited()).to.equal(first);
      await one.query('commit');
      expect((await readNew(turn, snapshot)).rows).to.have.length(500);
      expect((await visited()) - first).to.be.within(500, 1_000);
    });
  });
});
