/**
 * Rows with bytes that are not valid UTF-8: the stream goes on, nothing else is touched, and what was not sent as it is is said.
 * Bytes are written as hex, for no client that speaks UTF-8 could send them.
 */
import { expect } from 'chai';
import fc from 'fast-check';
import pg from 'pg';
import { backfilled } from '../support/fixtures/backfilled.ts';
import {
  type Captured,
  type CapturedOptions,
  captured,
  PULL,
  SEARCH,
  sinkSettings,
} from '../support/fixtures/captured.ts';
import { type Cluster, eachMajor, type Major, type TestDatabase } from '../support/postgres/postgres.ts';
import { until } from '../support/until.ts';

/** A database of another encoding. */
async function encoded(cluster: Cluster, encoding: string): Promise<TestDatabase> {
  const admin = new pg.Client({ connectionString: cluster.adminUrl });
  await admin.connect();
  const name = `bytes_${process.pid}_${encoding.toLowerCase()}`;
  try {
    await admin.query(`drop database if exists ${name} with (force)`);
    await admin.query(`create database ${name} template template0 encoding '${encoding}' lc_collate 'C' lc_ctype 'C'`);
  } finally {
    await admin.end();
  }
  const url = new URL(cluster.adminUrl);
  url.pathname = `/${name}`;
  return { name, url: url.href, drop: async () => undefined };
}

async function onSource(
  cluster: Cluster,
  encoding: string,
  work: (on: Captured) => Promise<void>,
  options: { schema?: string } & Pick<CapturedOptions, 'settings' | 'page'> = {},
): Promise<void> {
  const database = await encoded(cluster, encoding);
  const schema =
    options.schema ?? 'create table notes (id text primary key, body text, tag "char", doc json, words text[])';
  const { schema: _, ...given } = options;
  const on = await captured(schema, { database, cluster, ...given });
  try {
    await work(on);
  } finally {
    await on.close();
    const admin = new pg.Client({ connectionString: cluster.adminUrl });
    await admin.connect();
    await admin.query(`drop database if exists ${database.name} with (force)`);
    await admin.end();
  }
}

/** A text of these bytes, as SQL. */
const raw = (hex: string): string => `convert_from('\\x${hex}'::bytea, 'SQL_ASCII')`;
const parkedOf = async (on: Captured, sink: number) =>
  (
    await on.messages.db.query<{ id: number; error: string }>(
      'select e.id, e.error from millrace_private.delivery_states e where e.sink_no = $1::integer order by e.id',
      [sink],
    )
  ).rows;

function suite(cluster: () => Cluster, major: Major): void {
  it('go through with U+FFFD, a notice, and the next rows behind them', async () => {
    await onSource(cluster(), 'SQL_ASCII', async (on) => {
      const sink = await on.addSink(sinkSettings({ name: 'all', destination: PULL }));
      on.start();
      await on.streaming();
      await on.source.query(
        `insert into notes (id, body, words) values ('1', ${raw('476cfc68')}, array[${raw('e9')}, 'x'])`,
      );
      await on.source.query(`insert into notes (id, body) values ('2', 'Grüße')`);
      await on.source.query(`update notes set body = body || ${raw('ff22')} where id = '1'`);
      const rows = await on.received(sink, 3);
      const [first, second, third] = rows.map((row) => JSON.parse(row.record));
      expect(first).to.include({ id: '1', body: 'Gl\ufffdh' });
      expect(first.words).to.deep.equal(['\ufffd', 'x']);
      expect(second.body).to.equal('Grüße');
      expect(third.body).to.equal('Gl\ufffdh\ufffd"');
      expect(await parkedOf(on, sink)).to.deep.equal([]);
      // Written beside the stream.
      await until('it is told', async () => (await on.notices(sink)).some(({ code }) => code === 'invalid_utf8'));
    });
  });

  it('leave out what is computed of them, of their row alone', async () => {
    const schema =
      "create table notes (id int primary key, body text, loud text generated always as (body || '!') stored)";
    await onSource(
      cluster(),
      'SQL_ASCII',
      async (on) => {
        const sink = await on.addSink(sinkSettings({ name: 'all', destination: PULL }));
        on.start();
        await on.streaming();
        await on.source.query(`insert into notes values (1, ${raw('e9')}), (2, 'é')`);
        const [damaged, whole] = await on.received(sink, 2);
        // 18 sends it.
        const loud = major === 18 ? { loud: '\ufffd!' } : {};
        expect(JSON.parse(damaged!.record)).to.deep.equal({ id: 1, body: '\ufffd', ...loud });
        expect(damaged!.unchanged_toast).to.equal(major === 18 ? null : '["loud"]');
        expect(JSON.parse(whole!.record)).to.deep.equal({ id: 2, body: 'é', loud: 'é!' });
      },
      { schema },
    );
  });

  it('park their message alone where the database says so', async () => {
    await onSource(
      cluster(),
      'SQL_ASCII',
      async (on) => {
        const sink = await on.addSink(sinkSettings({ name: 'all', destination: PULL }));
        on.start();
        await on.streaming();
        await on.source.query(
          `insert into notes (id, body) values ('1', ${raw('fe')}), ('2', 'sound'), ('3', ${raw('80')})`,
        );
        const rows = await on.received(sink, 3);
        const parked = await parkedOf(on, sink);
        expect(parked.map(({ id }) => id)).to.deep.equal([rows[0]!.id, rows[2]!.id]);
        expect(parked[0]!.error).to.match(/not valid UTF-8/);
        expect(rows[0]!.record_pks).to.equal('["1"]');
      },
      { settings: { invalid_utf8: 'park' } },
    );
  });

  it('in a key park the message, whose key keeps apart what is apart', async () => {
    await onSource(cluster(), 'SQL_ASCII', async (on) => {
      const pull = await on.addSink(sinkSettings({ name: 'all', destination: PULL }));
      const index = await on.addSink(sinkSettings({ name: 'index', destination: SEARCH }));
      on.start();
      await on.streaming();
      await on.source.query(`insert into notes (id, body) values (${raw('e9')}, 'a'), (${raw('ea')}, 'b'), ('c', 'c')`);
      await on.source.query(`delete from notes where id = ${raw('ea')}`);
      await on.source.query(`update notes set id = 'd' where id = ${raw('e9')}`);
      const rows = await on.received(pull, 5);
      expect(rows.map((row) => JSON.parse(row.record_pks)[0])).to.deep.equal(['\\xe9', '\\xea', 'c', '\\xea', 'd']);
      expect(rows[0]!.group_key).to.not.equal(rows[1]!.group_key);
      expect(rows[1]!.group_key).to.equal(rows[3]!.group_key);
      expect((await parkedOf(on, pull)).map(({ id }) => id)).to.deep.equal([rows[0]!.id, rows[1]!.id, rows[3]!.id]);
      const indexed = await on.received(index, 6);
      const held = new Set((await parkedOf(on, index)).map(({ id }) => id));
      expect(indexed.filter(({ id }) => !held.has(id)).map((row) => [row.action, row.record_pks])).to.deep.equal([
        ['insert', '["c"]'],
        ['update', '["d"]'],
      ]);
    });
  });

  it('come the same by a backfill, page after page of such keys', async () => {
    await onSource(
      cluster(),
      'SQL_ASCII',
      async (on) => {
        await on.source.query(`insert into notes (id, body) select convert_from(set_byte('\\xe9ff'::bytea, 1, n), 'SQL_ASCII'),
        convert_from(set_byte('\\x41ff'::bytea, 1, n), 'SQL_ASCII') from generate_series(128, 160) n`);
        await on.source.query(
          `insert into notes (id, body) values ('a', 'sound'), ('b', ${raw('80')}), ('c', 'real \ufffd')`,
        );
        const sink = await on.addSink(sinkSettings({ name: 'all', destination: PULL }));
        on.start();
        await on.streaming();
        const status = await backfilled(on.messages.db, `'all', 'notes'`);
        expect(status).to.include({ state: 'done', rows_done: 36, rows_sent: 36 });
        const rows = await on.received(sink, 36);
        const keys = rows.map((row) => JSON.parse(row.record_pks)[0]);
        expect(new Set(keys).size).to.equal(36);
        expect(keys).to.include.members(['a', 'b', 'c', '\\xe9\\x80', '\\xe9\\xa0']);
        const parked = new Set((await parkedOf(on, sink)).map(({ id }) => id));
        expect(rows.filter(({ id }) => !parked.has(id)).map((row) => JSON.parse(row.record).body)).to.deep.equal([
          'sound',
          '\ufffd',
          'real \ufffd',
        ]);
      },
      { page: { rows: 5, step: 3 } },
    );
  });

  it('make no null of a value beside them whose own fields are null', async () => {
    const schema =
      'create type spot as (x integer, label text); create table notes (id text primary key, body text, at spot)';
    const work = async (on: Captured): Promise<void> => {
      await on.source.query(`insert into notes values ('a', ${raw('80')}, row(1, null))`);
      const sink = await on.addSink(sinkSettings({ name: 'all', destination: PULL }));
      on.start();
      await on.streaming();
      await backfilled(on.messages.db, `'all', 'notes'`);
      const [row] = await on.received(sink, 1);
      expect(JSON.parse(row!.record)).to.deep.equal({ id: 'a', body: '\ufffd', at: { x: 1, label: null } });
    };
    await onSource(cluster(), 'SQL_ASCII', work, { schema });
  });

  it('in a damaged UTF8 database are found when they come by', async () => {
    await onSource(cluster(), 'SQL_ASCII', async (on) => {
      await on.source.query(
        `insert into notes (id, body, tag) values ('1', ${raw('fe')}, (-23)::"char"), ('2', 'sound', 'x')`,
      );
      await on.source.query(`update pg_catalog.pg_database set encoding = 6 where datname = current_database()`);
      const sink = await on.addSink(sinkSettings({ name: 'all', destination: PULL }));
      on.start();
      await on.streaming();
      const again = new pg.Client({ connectionString: on.sourceUrl });
      await again.connect();
      await again.query(`update notes set words = '{x}'`);
      await again.end();
      const rows = await on.received(sink, 2);
      expect(rows.map((row) => JSON.parse(row.record).body)).to.deep.equal(['\ufffd', 'sound']);
      expect(await backfilled(on.messages.db, `'all', 'notes'`)).to.include({ state: 'done', rows_sent: 2 });
      const read = (await on.received(sink, 4)).slice(2);
      expect(read.map((row) => row.record)).to.deep.equal(rows.map((row) => row.record));
    });
  });

  it('that the source cannot convert come as they are stored, by the stream and by a backfill', async () => {
    // In WIN1252 five bytes are no character; for the others Postgres' own tables count.
    for (const [encoding, hex, shown] of [
      ['WIN1252', '47fc8147', 'Gü\u0081G'],
      ['EUC_JP', 'c6fcfca1cbdc', '日釗本'],
    ] as const) {
      await onSource(cluster(), encoding, async (on) => {
        const text = (bytes: string) => `convert_from('\\x${bytes}'::bytea, '${encoding}')`;
        const sink = await on.addSink(sinkSettings({ name: 'all', destination: PULL }));
        on.start();
        await on.streaming();
        await on.source.query(`insert into notes (id, body) values ('1', 'sound')`);
        await on.source.query(`insert into notes (id, body) values ('2', ${text(hex)}), (${text(hex)}, 'x')`);
        const rows = await on.received(sink, 3);
        expect(rows.slice(0, 2).map((row) => JSON.parse(row.record).body)).to.deep.equal(['sound', shown]);
        expect(await backfilled(on.messages.db, `'all', 'notes'`)).to.include({ state: 'done', rows_sent: 3 });
        const read = (await on.received(sink, 6)).slice(3);
        expect(read.map((row) => row.record)).to.deep.equal(rows.map((row) => row.record));
        expect(read.map((row) => row.record_pks)).to.deep.equal(rows.map((row) => row.record_pks));
      });
    }
  });

  it('of any kind, in any column, stop nothing', async function () {
    this.timeout(120_000);
    const hex = fc.uint8Array({ minLength: 1, maxLength: 12 }).map((bytes) =>
      // PostgreSQL's text holds no NUL.
      Buffer.from(bytes.map((byte) => byte || 1)).toString('hex'),
    );
    for (const encoding of ['SQL_ASCII', 'LATIN1']) {
      await onSource(
        cluster(),
        encoding,
        async (on) => {
          const sink = await on.addSink(sinkSettings({ name: 'all', destination: PULL }));
          on.start();
          await on.streaming();
          let count = 0;
          await fc.assert(
            fc.asyncProperty(
              fc.array(fc.tuple(hex, hex, fc.integer({ min: -128, max: 127 })), { minLength: 1, maxLength: 8 }),
              async (rows) => {
                const text = (bytes: string) =>
                  encoding === 'SQL_ASCII' ? raw(bytes) : `convert_from('\\x${bytes}'::bytea, 'LATIN1')`;
                const values = rows.map(
                  ([key, body, tag], n) =>
                    `(${count + n}, ${text(key)}, ${text(body)}, ${text(body)}, ${text(body)}::varchar(40), (${tag || 1})::"char",
                    to_json(${text(body)}), array[${text(body)}], row(${text(body)}, 1)::pair, ${text(key)}::word)`,
                );
                await on.source.query(`insert into odd values ${values.join(', ')}`);
                count += rows.length;
              },
            ),
            { numRuns: 25 },
          );
          await on.source.query("insert into odd (n, id) values (-1, 'the last')");
          const got = await on.received(sink, count + 1);
          expect(got.map((row) => JSON.parse(row.record).n)).to.deep.equal([
            ...Array.from({ length: count }, (_, n) => n),
            -1,
          ]);
          for (const row of got) expect(JSON.parse(row.text)).to.have.nested.property('metadata.record_pks');
          const shown = await on.messages.db.query('select message::json from millrace.pending_messages');
          expect(shown.rowCount).to.be.greaterThan(0);
        },
        {
          schema: `create type pair as (word text, n int); create domain word as text;
            create table odd (n int, id text, body text, padded char(40), short varchar(40), tag "char", doc json,
              words text[], both_ pair, named word, primary key (n, id))`,
        },
      );
    }
  });
}

describe('bytes that are not valid UTF-8', () => {
  eachMajor(suite);
});
