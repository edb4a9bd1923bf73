/** Large values of messages cost what they need not: Postgres' usual way of compressing them takes longer than all else. */
import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { addPullSink, appendMessages } from '../support/fixtures/fixtures.ts';
import { type MessageDatabase, messageDatabase } from '../support/postgres/message-database.ts';
import { openSession } from '../support/postgres/sessions.ts';

const MIGRATION = readFileSync(new URL('../../migrations/0024_large_values.sql', import.meta.url), 'utf8');
const COLUMNS = ['record', 'changes', 'payload'];

describe('large values of messages', () => {
  let m: MessageDatabase;
  beforeEach(async () => {
    m = await messageDatabase();
  });
  afterEach(async () => await m.drop());

  const ways = async (table: string): Promise<string[]> => {
    const { rows } = await m.db.query<{ way: string }>(
      `select case when a.attcompression = 'l' then 'lz4' when a.attstorage = 'e' then 'as they are' else 'pglz' end as way
         from pg_attribute a where a.attrelid = $1::regclass and a.attname = any ($2) order by a.attnum`,
      [`millrace_private.${table}`, COLUMNS],
    );
    return rows.map(({ way }) => way);
  };
  const wanted = async (): Promise<string[]> => {
    const { rows } = await m.db.query<{ lz4: boolean }>(
      "select 'lz4' = any (enumvals) as lz4 from pg_settings where name = 'default_toast_compression'",
    );
    return COLUMNS.map(() => (rows[0]!.lz4 ? 'lz4' : 'as they are'));
  };
  const asBefore = async (tables: readonly string[]): Promise<void> => {
    for (const table of tables)
      for (const column of COLUMNS)
        await m.db.query(
          `alter table only millrace_private.${table} alter column ${column} set compression default, alter column ${column} set storage extended`,
        );
  };

  it('are kept by the way that a sink of this release has, and read as they were written', async () => {
    const { no } = await addPullSink(m.db, { name: 'large' });
    expect(await ways(`messages_${no}`)).to.deep.equal(await wanted());
    const record = JSON.stringify({ id: 1, text: 'a text that repeats itself, '.repeat(1_000) });
    await appendMessages(m.db, no, [{ record }]);
    const { rows } = await m.db.query<{ record: string; way: string | null }>(
      'select record, pg_column_compression(record) as way from millrace_private.messages',
    );
    expect(rows).to.have.lengthOf(1);
    expect(rows[0]!.record).to.equal(record);
    expect(rows[0]!.way).to.equal((await wanted())[0] === 'lz4' ? 'lz4' : null);
  });

  it('are kept by it for the sinks of a release before too, but for one that somebody reads', async () => {
    const [read, quiet] = [await addPullSink(m.db, { name: 'read' }), await addPullSink(m.db, { name: 'quiet' })];
    const tables = ['messages', `messages_${read.no}`, `messages_${quiet.no}`];
    await asBefore(tables);
    for (const table of tables) expect(await ways(table)).to.deep.equal(['pglz', 'pglz', 'pglz']);
    const reader = await openSession(m.db);
    await reader.query('begin');
    await reader.query(`lock table millrace_private.messages_${read.no} in access share mode`);
    await m.db.transaction(async (tx) => {
      await tx.query("set local lock_timeout = '2s'");
      await tx.query(MIGRATION);
      const { rows } = await tx.query<{ timeout: string }>("select current_setting('lock_timeout') as timeout");
      expect(rows[0]!.timeout).to.equal('2s');
    });
    await reader.query('rollback');
    await reader.close();
    expect(await ways('messages')).to.deep.equal(await wanted());
    expect(await ways(`messages_${quiet.no}`)).to.deep.equal(await wanted());
    expect(await ways(`messages_${read.no}`)).to.deep.equal(['pglz', 'pglz', 'pglz']);
  });
});
