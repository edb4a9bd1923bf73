import { expect } from 'chai';
import { decode, type WalMessage } from '../../../src/capture/replication/decode.ts';
import { compileRelation, type RowCodec } from '../../../src/codec/row.ts';
import type { RowMessage } from '../../../src/codec/row-message.ts';
import { type Database, openPool } from '../../../src/db/pool.ts';
import { loadTypes } from '../../../src/source/types.ts';
import {
  type Cluster,
  hasPostgres15,
  sharedCluster,
  startCluster,
  type TestDatabase,
} from '../../support/postgres/postgres.ts';

const OPTIONS = `'proto_version', '1', 'publication_names', 'everything', 'messages', 'true'`;

const SCHEMA = `
  create type mood as enum ('sad', 'ok');
  create type place as (street text, no int);
  create table item (
    id bigint primary key, name text, price numeric, moods mood[], home place, doc jsonb, raw json,
    at timestamptz, big text
  );
  alter table item alter column big set storage external;
  create table bare (n int);
  create publication everything for all tables;
`;

interface Captured {
  message: RowMessage;
  codec: RowCodec;
}

function throughASlot(open: () => Promise<Cluster>): void {
  let database: TestDatabase;
  let source: Database;
  let codecs: Map<number, RowCodec>;

  /** A slot shows what is flushed, and the test clusters commit without waiting for that. */
  async function run(sql: string): Promise<void> {
    await source.query(`set synchronous_commit = on; ${sql}`);
  }

  /** All that was committed since the last call. */
  async function received(): Promise<WalMessage[]> {
    const { rows } = await source.query<{ data: Buffer }>(
      `select data from pg_logical_slot_get_binary_changes('slot', null, null, ${OPTIONS})`,
    );
    return rows.map(({ data }) => decode(data));
  }

  /** The row changes that `sql` makes. */
  async function changed(sql: string): Promise<Captured[]> {
    await run(sql);
    const captured: Captured[] = [];
    for (const message of await received()) {
      if (message.tag === 'relation') {
        const types = await loadTypes(
          source,
          message.columns.map((column) => column.typeOid),
        );
        const keyColumns = message.name === 'item' ? ['id'] : [];
        codecs.set(message.oid, compileRelation(types, message, { keyColumns }));
      } else if (message.tag === 'insert' || message.tag === 'update' || message.tag === 'delete') {
        captured.push({ message, codec: codecs.get(message.oid)! });
      }
    }
    return captured;
  }

  async function one(sql: string): Promise<Captured> {
    const all = await changed(sql);
    expect(all).to.have.length(1);
    return all[0]!;
  }

  /** What Postgres prints for the row now; json as text, the rest through jsonb. */
  async function stored(id: number): Promise<Record<string, unknown>> {
    const { rows } = await source.query<{ row: string }>(
      `select to_jsonb(item)::text as row from item where id = ${id}`,
    );
    return JSON.parse(rows[0]!.row) as Record<string, unknown>;
  }

  before(async () => {
    database = await (await open()).createDatabase();
    source = openPool({ address: database.url, max: 1, applicationName: 'decode-test', path: 'role' });
    await source.query(SCHEMA);
    await source.query(`select pg_create_logical_replication_slot('slot', 'pgoutput')`);
  });
  after(async () => {
    if (source) await source.query(`select pg_drop_replication_slot('slot')`);
    await source?.close();
    await database?.drop();
  });
  beforeEach(() => {
    codecs = new Map();
  });
  afterEach(async () => {
    await run('alter table item replica identity default; truncate item, bare');
    await received();
  });

  const INSERT = (id: number) => `
    insert into item (id, name, price, moods, home, doc, raw, at, big) values (${id}, 'Ann "x"', 1.50, '{ok,NULL}', row('High St, 1', 2), '{"b": 1, "a": [1.0]}', '{"a":1}',
      '2026-03-01 12:34:56.789012+02', repeat('toasted ', 2000))`;

  it('insert', async () => {
    const { message, codec } = await one(INSERT(1));
    expect(message.tag).to.equal('insert');
    expect(JSON.parse(codec.record(message))).to.deep.equal(await stored(1));
    expect(codec.record(message)).to.contain('"price":1.50').and.to.contain('"at":"2026-03-01T10:34:56.789012+00:00"');
    expect(codec.key(message)).to.deep.equal(['1']);
    expect(codec.misfits).to.equal(0);
  });

  it('begin and commit: position and time of the transaction', async () => {
    await run('insert into bare values (1)');
    const [begin, ...rest] = await received();
    const commit = rest.at(-1);
    if (begin?.tag !== 'begin' || commit?.tag !== 'commit') throw new Error('no transaction');
    expect(commit.commitLsn).to.equal(begin.commitLsn);
    expect(commit.endLsn > commit.commitLsn).to.equal(true);
    expect(commit.commitMicros).to.equal(begin.commitMicros);
    expect(begin.commitMicros / 1000).to.be.closeTo(Date.now(), 60_000);
  });

  it('update with identity default: no old row; the unchanged TOASTed column is missing until it is read again', async () => {
    await changed(INSERT(2));
    const { message, codec } = await one(`update item set name = 'Bob' where id = 2`);
    const missing = codec.missing(message).map((index) => codec.columns[index]!.name);
    expect(missing).to.deep.equal(['big']);
    expect(JSON.parse(codec.record(message)))
      .to.include({ id: 2, name: 'Bob' })
      .and.not.to.have.any.keys('big');
    expect(codec.changes(message)).to.equal('{}');
    const { rows } = await source.query<{ big: string }>('select big from item where id = 2');
    const reread = new Map([[codec.missing(message)[0]!, rows[0]!.big]]);
    expect(JSON.parse(codec.record(message, reread))).to.deep.equal(await stored(2));
  });

  it('update with identity full: old values of what changed, unchanged TOAST from the old row', async () => {
    await run('alter table item replica identity full');
    await changed(INSERT(3));
    const { message, codec } = await one(`update item set name = null, home = row(null, 7) where id = 3`);
    expect(message).to.have.property('oldKind', 'full');
    expect(message.tag === 'update' && message.new.unchanged).to.equal(true);
    expect(codec.missing(message)).to.deep.equal([]);
    expect(JSON.parse(codec.record(message))).to.deep.equal(await stored(3));
    expect(codec.changes(message)).to.equal('{"name":"Ann \\"x\\"","home":{"no":2,"street":"High St, 1"}}');
    expect(codec.oldKey(message)).to.equal(null);
  });

  for (const identity of ['default', 'full']) {
    it(`key change with identity ${identity}: the old key is told`, async () => {
      await run(`alter table item replica identity ${identity}`);
      await changed(INSERT(4));
      const { message, codec } = await one('update item set id = 5 where id = 4');
      expect(codec.changes(message)).to.equal('{"id":4}');
      expect([codec.oldKey(message), codec.key(message)]).to.deep.equal([['4'], ['5']]);
    });
  }

  it('delete with identity default: the key alone; with full: the whole row', async () => {
    await changed(INSERT(6));
    const byKey = await one('delete from item where id = 6');
    expect(byKey.codec.record(byKey.message)).to.equal('{"id":6}');
    await run('alter table item replica identity full');
    await changed(INSERT(7));
    const row = await stored(7);
    const whole = await one('delete from item where id = 7');
    expect(JSON.parse(whole.codec.record(whole.message))).to.deep.equal(row);
    expect(whole.codec.key(whole.message)).to.deep.equal(['7']);
  });

  it('identity nothing: inserts come, and there is no key', async () => {
    await run('alter table bare replica identity nothing');
    const { message, codec } = await one('insert into bare values (1)');
    expect(codec.record(message)).to.equal('{"n":1}');
    expect(codec.key(message)).to.deep.equal([]);
  });

  it('truncate, logical messages in and out of a transaction', async () => {
    await run(`select pg_logical_emit_message(false, 'heartbeat', '')`);
    await run(`truncate item, bare; select pg_logical_emit_message(true, 'millrace:annotations', '{"user":"ann"}')`);
    const messages = await received();
    const truncate = messages.find((message) => message.tag === 'truncate');
    expect(truncate?.tag === 'truncate' && truncate.oids).to.have.length(2);
    const logical = messages.flatMap((message) =>
      message.tag === 'message' ? [[message.prefix, message.transactional, message.content.toString()]] : [],
    );
    expect(logical)
      .to.deep.include(['millrace:annotations', true, '{"user":"ann"}'])
      .and.to.deep.include(['heartbeat', false, '']);
  });

  it('columns that change mid-stream come with a new relation', async () => {
    await changed(INSERT(8));
    const { message, codec } = await one(
      `alter table item rename column name to "full name"; alter table item drop column raw;
       update item set big = 'short' where id = 8`,
    );
    expect(JSON.parse(codec.record(message))).to.deep.equal(await stored(8));
    await run('alter table item rename column "full name" to name; alter table item add column raw json');
  });

  it('an attribute added to a composite type: a misfit tells, and newly read types make it fit', async () => {
    const before = await one(INSERT(9));
    await run('alter type place add attribute city text');
    const after = await one(`insert into item (id, home) values (10, row('a', 1, 'Rome'))`);
    const [old, now] = [before.codec, after.codec];
    expect(old.record(after.message)).to.contain('"home":"(a,1,Rome)"');
    expect(old.misfits).to.equal(1);
    expect(now.record(after.message)).to.contain('"home":{"no":1,"city":"Rome","street":"a"}');
    // A capture that lags behind reads today's types: what the older row does not carry is left out.
    expect(now.record(before.message)).to.contain('"home":{"no":2,"street":"High St, 1"}');
    expect(now.misfits).to.equal(0);
  });
}

describe('decode, through a replication slot', () => {
  describe('of Postgres 18', () => throughASlot(sharedCluster));

  describe('of Postgres 15', () => {
    let cluster: Cluster | undefined;
    before('needs the machine to have Postgres 15', function () {
      if (!hasPostgres15()) this.skip();
    });
    throughASlot(async () => {
      cluster ??= await startCluster({ major: 15 });
      return cluster;
    });
    after(async () => cluster?.stop());
  });
});
