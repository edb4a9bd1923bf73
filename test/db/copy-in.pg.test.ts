/** Rows that go to Postgres with the statements around them: whatever fails, the connection can be used again. */
import { expect } from 'chai';
import { copyIn } from '../../src/db/copy-in.ts';
import { type Database, openPool } from '../../src/db/pool.ts';
import { type MessageDatabase, messageDatabase } from '../support/postgres/message-database.ts';
import { until } from '../support/until.ts';

const COPY = 'copy kept from stdin';
const WHOLE = `begin; ${COPY}; commit`;

describe('rows that are copied in', () => {
  let messages: MessageDatabase;
  let db: Database;
  beforeEach(async () => {
    messages = await messageDatabase();
    db = openPool({ address: messages.url, max: 1, applicationName: 'test', path: 'role', queryTimeoutMs: 3_000 });
    await db.query('create table kept (line text primary key)');
  });
  afterEach(async () => {
    await db.close();
    await messages.drop();
  });

  const rows = (...lines: string[]): Buffer => Buffer.from(lines.map((line) => `${line}\n`).join(''));
  const there = async (): Promise<number> =>
    (await db.query<{ n: number }>('select count(*)::integer as n from kept')).rows[0]!.n;
  /** How it ended: by what error, in which state the session is then, and whether it can be used. */
  const endOf = async (copy: Parameters<typeof copyIn>[1]) =>
    await db.session(async (client) => {
      const told: unknown = await copyIn(client, copy).then(
        (untold) => untold,
        (error: Error) => error,
      );
      const code = told === undefined ? undefined : (told as { code?: string }).code;
      const { rows } = await client
        .query('rollback; select 1 as one')
        .then((all) => (all as unknown as object[])[1] as { rows: { one: number }[] });
      return { code, one: rows[0]!.one };
    });

  it('are there when it returns, few and many', async () => {
    const large = Buffer.from(Array.from({ length: 200_000 }, (_, n) => `${n} ${'x'.repeat(100)}\n`).join(''));
    let written = 0;
    const onWritten = () => {
      written += 1;
    };
    expect(await endOf({ sql: WHOLE, rows: rows('one'), onWritten })).to.deep.equal({ code: undefined, one: 1 });
    expect(await endOf({ sql: WHOLE, rows: large, onWritten })).to.deep.equal({ code: undefined, one: 1 });
    expect(await endOf({ sql: WHOLE, rows: Buffer.alloc(0), onWritten })).to.deep.equal({ code: undefined, one: 1 });
    expect(await there()).to.equal(200_001);
    expect(written).to.equal(3);
  });

  it('are left out by the server when a statement before them fails, however many they are', async () => {
    const large = Buffer.alloc(20_000_000, 'x\n');
    for (const before of ['select 1 / 0', 'select nothing', 'begin; savepoint s; select 1 / 0']) {
      for (const given of [rows('one'), large]) {
        const { code, one } = await endOf({ sql: `begin; ${before}; ${COPY}; commit`, rows: given });
        expect(code, before).to.match(/^(22012|42703)$/);
        expect(one).to.equal(1);
      }
    }
    expect((await endOf({ sql: WHOLE, rows: rows('one') })).code).to.equal(undefined);
    expect(await there()).to.equal(1);
  });

  it('are not there when one of them, or the commit, is refused', async () => {
    expect((await endOf({ sql: WHOLE, rows: rows('one', 'two', 'one') })).code).to.equal('23505');
    expect((await endOf({ sql: WHOLE, rows: rows('a\tb') })).code).to.equal('22P04');
    await db.query('create table later (line text references kept deferrable initially deferred)');
    const sql = `begin; insert into later values ('nobody'); ${COPY}; commit`;
    expect((await endOf({ sql, rows: rows('one'), after: 'select 1' })).code).to.equal('23503');
    expect(await there()).to.equal(0);
  });

  it('are there though what comes after them fails, which is told', async () => {
    expect((await endOf({ sql: WHOLE, rows: rows('one'), after: 'select 1 / 0' })).code).to.equal('22012');
    expect((await endOf({ sql: WHOLE, rows: rows('two'), after: "notify heard, 'two'" })).code).to.equal(undefined);
    expect(await there()).to.equal(2);
  });

  it('end with the connection, or when the server does not answer in time', async () => {
    const pid = (await db.query<{ pid: number }>('select pg_backend_pid() as pid')).rows[0]!.pid;
    await messages.db.session(async (holding) => {
      await holding.query('begin; lock table kept in access exclusive mode');
      const ended = db.session((client) => copyIn(client, { sql: WHOLE, rows: rows('one') })).catch((error) => error);
      await until('it waits for the lock', async () => {
        const { rows } = await messages.db.query("select from pg_locks where not granted and locktype = 'relation'");
        return rows.length > 0;
      });
      await messages.db.query('select pg_terminate_backend($1)', [pid]);
      expect((await ended) as Error).to.have.property('code', '57P01');
      await until('there is another connection', () =>
        db.query('select').then(
          () => true,
          () => false,
        ),
      );
      const late = await db
        .session((client) => copyIn(client, { sql: WHOLE, rows: rows('one') }))
        .catch((error) => error);
      expect((late as Error).message).to.equal('Query read timeout');
      await holding.query('rollback');
    });
    await until('nothing waits any more', async () => {
      const { rows } = await messages.db.query('select from pg_locks where not granted');
      return rows.length === 0;
    });
    expect(await db.query('select 1 as one')).to.have.deep.property('rows', [{ one: 1 }]);
  });
});
