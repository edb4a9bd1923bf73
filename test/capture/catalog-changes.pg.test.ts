/**
 * The catalog changes while a database is captured: the stream goes on, nothing is lost or doubled, and a new sink gets every
 * change from the commit of its creation on.
 */
import { expect } from 'chai';
import type { SinkSettings } from '../../src/model/declared.ts';
import { KEYS } from '../catalog/support.ts';
import { backfillsOf } from '../support/fixtures/backfilled.ts';
import { type Captured, captured, PULL, SEARCH, sinkSettings } from '../support/fixtures/captured.ts';
import { removeSink } from '../support/fixtures/remove-sink.ts';
import { sealAddress } from '../support/fixtures/sealed-address.ts';
import { byWay, emitSql, readerPid } from '../support/postgres/capture-way.ts';
import { type TestWeb, testWeb } from '../support/processes/web.ts';
import { until } from '../support/until.ts';

/** In the long run 500. */
const CHANGES = Number(process.env.MILLRACE_TEST_CHANGES ?? 60);
const ROWS =
  "insert into items select n, case when n % 3 = 0 then 'b' else 'a' end from generate_series($1::int, $2::int) n";

describe('capture while the catalog changes', function () {
  this.timeout(60_000 + CHANGES * 500);
  let on: Captured;
  let web: TestWeb | undefined;
  afterEach(async () => {
    await web?.close();
    web = undefined;
    taken = new Map();
    await on.close();
  });

  const stream = async (): Promise<{ pid: number | null; generation: number }> => {
    const { rows } = await on.messages.db.query<{ generation: number }>(
      'select generation from millrace_private.positions',
    );
    return { pid: await readerPid(on.source, on.slot), generation: rows[0]!.generation };
  };
  const edit = async (name: string, changes: Partial<SinkSettings>): Promise<void> =>
    await on.messages.db.transaction(async (tx) => {
      await tx.query(
        `update millrace_private.sinks set settings = settings || $2::jsonb, status = coalesce($2::jsonb ->> 'status', status)
          where name = $1::text`,
        [name, JSON.stringify(changes)],
      );
      await tx.query('select millrace_private.publish_catalog()');
    });
  /** By sink and table, what `take` has taken. */
  let taken = new Map<string, number[]>();
  /** Takes every message, as receivers would: a backfill waits while too many are there. */
  const take = async (): Promise<void> => {
    const { rows } = await on.messages.db.query<{ sink_no: number; table_name: string; n: number }>(
      `with gone as (delete from millrace_private.messages returning sink_no, source_table, id, record)
       select g.sink_no, t.table_name, (g.record::jsonb ->> 'n')::integer as n
         from gone g join millrace_private.source_tables t on t.no = g.source_table order by g.id`,
    );
    for (const { sink_no, table_name, n } of rows) {
      const key = `${sink_no} ${table_name}`;
      const list = taken.get(key) ?? [];
      list.push(n);
      taken.set(key, list);
    }
  };
  /** Values of column n, in order of the messages. */
  const got = async (sinkNo: number, table = 'items'): Promise<number[]> => {
    const { rows } = await on.messages.db.query<{ n: number }>(
      `select (m.record::jsonb ->> 'n')::integer as n from millrace_private.messages m
         join millrace_private.source_tables t on t.no = m.source_table
        where m.sink_no = $1::integer and t.table_name = $2::text order by m.id`,
      [sinkNo, table],
    );
    return [...(taken.get(`${sinkNo} ${table}`) ?? []), ...rows.map(({ n }) => n)];
  };
  const range = (from: number, to: number): number[] => Array.from({ length: to - from + 1 }, (_, i) => from + i);

  it('keeps its stream through a pause, an edit, a new sink and a removal, and matches with what is new', async () => {
    on = await captured('create table items (n integer primary key, kind text)');
    const first = await on.addSink(sinkSettings({ name: 'first', destination: PULL }));
    on.start();
    await on.streaming();
    await on.source.query(ROWS, [1, 5]);
    await on.received(first, 5);
    const before = await stream();
    await on.messages.db.query("select millrace.pause('first')");
    await on.source.query(ROWS, [6, 10]);
    await on.received(first, 10);
    const second = await on.addSink(sinkSettings({ name: 'second', destination: SEARCH }));
    await on.source.query(ROWS, [11, 15]);
    await on.received(second, 5);
    await edit('second', { filters: [{ column_name: 'kind', operator: '=', comparison_value: 'b' }] as never });
    await on.source.query(ROWS, [16, 21]);
    await on.received(second, 7);
    await removeSink(on.messages.db, 'second');
    await on.source.query(ROWS, [22, 24]);
    await on.received(first, 24);
    expect(await got(first)).to.deep.equal(range(1, 24));
    expect(await stream()).to.deep.equal(before);
    expect(before.pid).to.be.a('number');
  });

  it('a sink that is made in the middle of a transaction gets the rest of it, with its annotations', async () => {
    on = await captured('create table items (n integer primary key, kind text)');
    const first = await on.addSink(sinkSettings({ name: 'first', destination: PULL }));
    on.start();
    await on.streaming();
    const before = await stream();
    await on.source.query('begin');
    await on.source.query(emitSql('millrace:annotations', '{"by":"us"}'));
    await on.source.query(ROWS, [1, 60_000]);
    await on.source.query('commit');
    const isThere = async () =>
      (await on.messages.db.query('select from millrace_private.messages limit 1')).rowCount > 0;
    await until('some of it', isThere);
    const second = await on.addSink(sinkSettings({ name: 'second', destination: PULL }));
    await on.source.query(ROWS, [60_001, 60_001]);
    await until('the last one', async () => (await got(second)).at(-1) === 60_001);
    const all = await got(second);
    expect(all).to.deep.equal(range(all[0]!, 60_001));
    expect(await got(first)).to.deep.equal(range(1, 60_001));
    const { rows } = await on.messages.db.query(
      `select distinct m.annotations from millrace_private.messages m
        where (m.record::jsonb ->> 'n')::integer <= 60000`,
    );
    expect(rows).to.deep.equal([{ annotations: '{"by":"us"}' }]);
    expect(await stream()).to.deep.equal(before);
  });

  it('tells a new sink of its tables, though its stream is not a new one', async () => {
    on = await captured('create table items (n integer primary key, kind text); create table later (n integer)');
    const first = await on.addSink(sinkSettings({ name: 'first', destination: PULL }));
    on.start();
    await on.streaming();
    await on.source.query(ROWS, [1, 1]);
    await on.received(first, 1);
    const before = await stream();
    const source = { include_schemas: null, exclude_schemas: null, exclude_tables: null };
    const second = await on.addSink(
      sinkSettings({ name: 'second', destination: PULL, source: { ...source, include_tables: ['items', 'nowhere'] } }),
    );
    await on.source.query(ROWS, [2, 2]);
    await on.received(second, 1);
    const wanted = byWay({
      replication: ['public.items no_old_values', 'public.nowhere table_missing'],
      triggers: ['public.nowhere table_missing'],
    });
    const found = await until('its notices', async () => {
      const notices = await on.notices(second);
      return notices.length >= wanted.length && notices;
    });
    expect(found.map(({ table, code }) => `${table} ${code}`)).to.deep.equal(wanted);
    expect(await stream()).to.deep.equal(before);
  });

  it(`nothing is lost or doubled through ${CHANGES} changes at random over HTTP under load, in one stream`, async () => {
    on = await captured(
      `create table items (n integer primary key, kind text); create table old (n integer primary key, value integer);
       insert into old select n, 0 from generate_series(1, 2000) n`,
      { page: { rows: 200 } },
    );
    const db = on.messages.db;
    await sealAddress(on, KEYS);
    web = await testWeb({ db });
    const pull = { type: 'pull' };
    const index = { type: 'elasticsearch', endpoint_url: 'http://h:9', index_name: 'i', auth_type: 'none' };
    const made = new Map<string, { no: number; after: number }>();
    /** Its number; from the commit of its creation on it gets everything. */
    const make = async (name: string, destination: object): Promise<number> => {
      await change('POST', '?test=false', { name, database: 'shop', destination });
      const { rows } = await db.query<{ no: number }>('select no from millrace_private.sinks where name = $1', [name]);
      return rows[0]!.no;
    };
    const change = async (method: string, path: string, body?: object): Promise<void> => {
      const { status, text } = await web!.call(method, `/api/sinks${path}`, { body });
      expect(status, `${method} ${path}: ${text}`).to.equal(200);
    };
    const steady = await make('steady', pull);
    const edited = await make('edited', pull);
    const switched = await make('switched', index);
    const owned = await make('owned', index);
    await db.query(
      "update millrace_private.lanes set owner = 'a worker', until = now() + interval '1 hour' where sink_no = $1",
      [owned],
    );
    const lanes = () => db.query('select * from millrace_private.lanes where sink_no = $1 order by lane', [owned]);
    const ownedBefore = (await lanes()).rows;
    on.start();
    await on.streaming();
    const before = await stream();
    let last = 0;
    /** What may have been committed. */
    let sent = 0;
    /** So many may be written by now. */
    let allowed = 0;
    let stop = false;
    const writing = (async () => {
      while (!stop) {
        if (last >= allowed) {
          await until('more is wanted', () => stop || last < allowed);
          continue;
        }
        const count = Math.random() < 0.02 ? 1_000 : 1 + Math.floor(Math.random() * 20);
        sent = last + count;
        await on.source.query(ROWS, [last + 1, sent]);
        await on.source.query('update old set value = value + 1 where n = $1::int', [
          1 + Math.floor(Math.random() * 2_000),
        ]);
        last = sent;
        if (Math.random() < 0.01) await on.source.query(`alter table items add column c${last} integer`);
      }
    })();
    writing.catch(() => undefined);
    let isDisabled = false;
    let editedName = 'edited';
    let frozen: number[] = [];
    const random: (() => Promise<unknown>)[] = [
      async () => {
        const name = `made_${made.size}_${Date.now()}`;
        const no = await make(name, Math.random() < 0.5 ? pull : index);
        made.set(name, { no, after: sent });
        if (made.size % 3 === 1) await db.query('select millrace.backfill($1::text, $2::text)', [name, 'public.old']);
      },
      async () => {
        if (made.size < 4) return;
        const name = [...made.keys()][Math.floor(Math.random() * made.size)]!;
        made.delete(name);
        await change('DELETE', `/${name}?force=true`);
      },
      async () => {
        const filters = Math.random() < 0.5 ? [] : [{ column_name: 'kind', operator: '=', comparison_value: 'a' }];
        await change('PATCH', `/${editedName}`, { filters });
      },
      async () => await change('PUT', `/${editedName}`, { max_retry_count: Math.floor(Math.random() * 9) }),
      async () => await change('POST', `/${editedName}/${Math.random() < 0.5 ? 'pause' : 'resume'}`),
      async () => {
        const name = `edited_${Date.now()}`;
        await change('PATCH', `/${editedName}`, { name });
        editedName = name;
      },
      async () => await db.query('select millrace_private.publish_catalog()'),
      async () => {
        isDisabled = !isDisabled;
        if (!isDisabled) expect(await got(switched), 'nothing new is kept for a disabled sink').to.deep.equal(frozen);
        await change('PATCH', '/switched', { status: isDisabled ? 'disabled' : 'active' });
        if (isDisabled) frozen = await got(switched);
      },
    ];
    try {
      for (let turn = 0; turn < CHANGES; turn += 1) {
        allowed = last + 100;
        await random[Math.floor(Math.random() * random.length)]!();
        await until('what was allowed', () => last >= allowed);
      }
    } finally {
      stop = true;
      await writing;
    }
    const done = async (): Promise<boolean> => {
      await take();
      return (await backfillsOf(db)).every(({ state }) => ['done', 'cancelled'].includes(state));
    };
    await until('everything is there', async () => (await got(steady)).length >= last, 60_000);
    await until('the backfills have ended', done, 60_000).catch(async (error: unknown) => {
      throw new Error(`${String(error)} ${JSON.stringify(await backfillsOf(db))}`);
    });
    expect(await got(steady)).to.deep.equal(range(1, last));
    for (const [name, { no, after }] of made) {
      const all = await got(no);
      expect(all, name).to.deep.equal(range(all[0] ?? last + 1, last));
      expect(all[0] ?? last + 1, name).to.be.at.most(after + 1);
    }
    const kept = await got(edited);
    expect(new Set(kept).size, 'edited twice').to.equal(kept.length);
    expect(kept.filter((n) => n % 3 !== 0)).to.deep.equal(range(1, last).filter((n) => n % 3 !== 0));
    for (const backfill of await db
      .query<{ sink_no: number }>(
        "select b.sink_no from millrace_private.backfills b where b.kind = 'table' and b.state = 'done'",
      )
      .then(({ rows }) => rows)) {
      expect(new Set(await got(backfill.sink_no, 'old')).size, 'backfilled').to.equal(2_000);
    }
    expect(await stream()).to.deep.equal(before);
    expect((await lanes()).rows, 'a lane of a sink that nobody changed').to.deep.equal(ownedBefore);
  });
});
