/**
 * Large values that an update left unchanged are read again from their table, whatever became of it since: no answer of the
 * source ends the stream, nothing is taken from another table, and memory stays bounded.
 */
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import pg from 'pg';
import { type Captured, captured, PULL, sinkSettings } from '../support/fixtures/captured.ts';
import { ofReplication } from '../support/postgres/capture-way.ts';
import { damageFirstLargeValue } from '../support/postgres/damage.ts';
import { until } from '../support/until.ts';

const keysAlone = ofReplication('what triggers note of a row is whole');

const CHILD = fileURLToPath(new URL('../support/processes/capture-child.ts', import.meta.url));
const LONG = 'x'.repeat(9_000);
const PAPERS = `create table papers (id text primary key, n int, body text);
  alter table papers alter body set storage external;
  insert into papers values ('a', 0, 'a${LONG}'), ('b', 0, 'b${LONG}')`;

keysAlone.describe('large values that an update left unchanged', function () {
  this.timeout(120_000);
  let on: Captured;
  let sink: number;
  afterEach(() => on.close());

  async function start(schema: string): Promise<void> {
    on = await captured(schema);
    sink = await on.addSink(sinkSettings({ name: 'all', destination: PULL }));
    on.start();
    await on.streaming();
  }

  /** What a stopped capture finds when it starts again. */
  async function behind(...statements: string[]): Promise<void> {
    await on.stop();
    for (const statement of statements) await on.source.query(statement);
    on.start();
  }

  const bodies = async (count: number): Promise<(string | undefined)[]> =>
    (await on.received(sink, count)).map((row) => JSON.parse(row.record).body?.replace(LONG, ''));

  it('are read although the type of the key has changed, and what is no such key any more is gone', async () => {
    await start(PAPERS);
    const id = '8f0c1b2a-0000-4000-8000-000000000001';
    await on.source.query(`update papers set id = '${id}' where id = 'b'`);
    await on.received(sink, 1);
    await behind(
      'update papers set n = n + 1',
      "delete from papers where id = 'a'",
      'alter table papers alter id type uuid using id::uuid',
      'insert into papers values (gen_random_uuid(), 9, null)',
    );
    const rows = await on.received(sink, 5);
    expect(rows.slice(1).map(({ action, unchanged_toast: left }) => [action, left])).to.deep.equal([
      ['update', '["body"]'],
      ['update', null],
      ['delete', null],
      ['insert', null],
    ]);
    expect((await on.state()).reason).to.equal(null);
  });

  it('are read although another key names something that is gone', async () => {
    await start(`create table gone (); create table kept ();
      create table papers (id regclass primary key, n int, body text); alter table papers alter body set storage external;
      insert into papers values ('gone', 0, 'a${LONG}'), ('kept', 0, 'b${LONG}')`);
    await behind('update papers set n = n + 1', 'drop table gone');
    expect(await bodies(2)).to.deep.equal([undefined, 'b']);
  });

  it('are left out, by name, when the column, the table or the right to it is gone', async () => {
    await start(`${PAPERS}; create table notes (like papers including all);
      alter table notes alter body set storage external; insert into notes select * from papers;
      create table last (id int primary key)`);
    await behind(
      'update papers set n = 1',
      'update notes set n = 1',
      'alter table papers drop column body',
      'drop table notes',
      'insert into last values (1)',
    );
    const rows = await on.received(sink, 5);
    expect(rows.slice(0, 4).map((row) => row.unchanged_toast)).to.deep.equal(Array(4).fill('["body"]'));
  });

  it('are read although their column, the key and the table were renamed', async () => {
    await start(PAPERS);
    await behind(
      'update papers set n = 1',
      'alter table papers rename body to text; alter table papers rename id to code; alter table papers add column more int',
      'alter table papers rename to notes',
    );
    expect(await bodies(2)).to.deep.equal(['a', 'b']);
    expect((await on.received(sink, 2)).map((row) => row.record_pks)).to.deep.equal(['["a"]', '["b"]']);
  });

  it('come from the table itself: not from one that inherits from it, nor from one that has its name now', async () => {
    await start(`${PAPERS}; create table more (primary key (id)) inherits (papers);
      insert into more values ('a', 0, 'child'); create table other (like papers); insert into other select id, n, 'other' from papers`);
    await behind(
      'update only papers set n = 1',
      'alter table papers rename to old; alter table other rename to papers',
      'alter schema public rename to was; create schema public',
    );
    expect(await bodies(2)).to.deep.equal(['a', 'b']);
  });

  it('of a table that somebody keeps locked are left out after a while, and it is said', async () => {
    await start(PAPERS);
    const locker = new pg.Client({ connectionString: on.sourceUrl });
    locker.on('error', () => undefined);
    await locker.connect();
    await locker.query('begin; update papers set n = 1; commit; begin; lock table papers in access exclusive mode');
    const count = 'select count(*)::int4 as count from millrace_private.messages';
    await until(
      'they go on',
      async () => (await on.messages.db.query<{ count: number }>(count)).rows[0]?.count === 2,
      40_000,
    );
    const rows = await on.received(sink, 2);
    expect(rows.map((row) => row.unchanged_toast)).to.deep.equal(['["body"]', '["body"]']);
    await locker.end();
    await until('a notice', async () => (await on.notices(sink)).some(({ code }) => code === 'values_left_out'));
  });

  it('are found by keys of domains, whatever these are made of', async () => {
    await start(`create type mood as enum ('sad', 'glad'); create type pair as (a int, b text);
      create domain feeling as mood; create domain couple as pair; create domain span as int4range;
      create domain spans as int4multirange; create domain feelings as mood[]; create domain word as text;
      create table papers (a feeling, b couple, c span, d spans, e feelings, f word, n int, body text, primary key (a, b, c, d, e, f));
      alter table papers alter body set storage external;
      insert into papers values ('glad', '(1,x)', '[1,5)', '{[1,2),[5,6)}', '{sad}', 'w', 0, 'a${LONG}')`);
    await on.source.query('update papers set n = 1');
    expect(await bodies(1)).to.deep.equal(['a']);
  });

  it('that are damaged are left out of their own message alone, and it is said', async () => {
    on = await captured(PAPERS, { as: 'superuser' });
    sink = await on.addSink(sinkSettings({ name: 'all', destination: PULL }));
    on.start();
    await on.streaming();
    await damageFirstLargeValue(on.source, 'papers');
    const read = on.source.query("select body from papers where id = 'a'");
    expect(await read.catch(({ code }) => code)).to.equal('XX001');
    await on.source.query('update papers set n = 1');
    expect((await on.received(sink, 2)).map((row) => row.unchanged_toast)).to.deep.equal(['["body"]', null]);
    const notice = await until('a notice', async () =>
      (await on.notices(sink)).find(({ code }) => code === 'values_left_out'),
    );
    expect(notice.message).to.match(
      /could not be read again \(missing chunk number 0 for toast value .*\), and their messages lack them/,
    );
    expect((await on.state()).state).to.equal('streaming');
  });

  const HIDDEN = 'alter table papers enable row level security; alter table papers force row level security';
  for (const [what, obstacle, why] of [
    ['that our role may not read', 'alter table papers owner to postgres', 'permission denied for table papers'],
    ['that a policy would hide', HIDDEN, 'row-level security policy'],
  ] as const) {
    it(`${what} are left out, and it is said`, async () => {
      on = await captured(PAPERS, { as: 'plain' });
      sink = await on.addSink(sinkSettings({ name: 'all', destination: PULL }));
      on.start();
      await on.streaming();
      await on.source.query(`${obstacle}; update papers set n = 1`);
      expect((await on.received(sink, 2)).map((row) => row.unchanged_toast)).to.deep.equal(['["body"]', '["body"]']);
      const notice = await until('a notice', async () =>
        (await on.notices(sink)).find(({ code }) => code === 'values_left_out'),
      );
      expect(notice.message).to.contain(why);
    });
  }

  it('beyond max_row_bytes park their message', async () => {
    on = await captured(PAPERS, { settings: { max_row_bytes: 4_096 } });
    sink = await on.addSink(sinkSettings({ name: 'all', destination: PULL }));
    on.start();
    await on.streaming();
    await on.source.query("update papers set n = 1 where id = 'a'");
    const [row] = await on.received(sink, 1);
    expect(row).to.include({ record: '{"id":"a"}', unchanged_toast: null });
    const { rows } = await on.messages.db.query<{ error: string }>(
      'select error from millrace_private.delivery_states',
    );
    expect(rows[0]?.error).to.match(/max_row_bytes/);
  });

  it('need no more memory for many rows than for few', async () => {
    on = await captured(`create table docs (id int primary key, n int, body text);
      alter table docs alter body set storage external;
      insert into docs select i, 0, repeat('y', 20000) from generate_series(1, 8000) i;
      create table books (id int primary key, n int, body text);
      alter table books alter body set storage external;
      insert into books select i, 0, repeat('y', 5000000) from generate_series(1, 20) i`);
    sink = await on.addSink(sinkSettings({ name: 'all', destination: PULL }));
    on.start();
    await on.streaming();
    await on.stop();
    await on.source.query('update docs set n = n + 1; update books set n = n + 1');
    const child = spawn(process.execPath, ['--max-semi-space-size=8', '--max-old-space-size=96', CHILD], {
      env: { ...process.env, DECLARED: JSON.stringify(on.declared), MESSAGES: on.messages.url },
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    const ended = new Promise((resolve) => child.once('exit', resolve));
    try {
      const count = 'select count(*)::int4 as count from millrace_private.messages where octet_length(record) > 20000';
      await until(
        'all rows, whole',
        async () => {
          expect(child.exitCode).to.equal(null);
          return (await on.messages.db.query<{ count: number }>(count)).rows[0]?.count === 8_020;
        },
        80_000,
      );
      const lines = createInterface({ input: child.stdout });
      const answer = new Promise<string>((resolve) => lines.once('line', resolve));
      child.stdin.write('\n');
      const peak = Number((await answer).replace('peak ', '')) / 1024;
      expect(peak).to.be.lessThan(256);
    } finally {
      child.kill('SIGKILL');
      await ended;
    }
  });
});
