/** Rows as bytes: what comes, however it is cut, and what is left behind on the connection. */
import { PassThrough } from 'node:stream';
import { expect } from 'chai';
import { type Database, openPool } from '../../src/db/pool.ts';
import { rowBytes } from '../../src/db/row-bytes.ts';
import { sharedCluster, type TestDatabase } from '../support/postgres/postgres.ts';

const textOf = (pieces: readonly Buffer[]): string => Buffer.concat(pieces).toString();

describe('db: rows as bytes, of a stream', () => {
  const message = (kind: string, body: Buffer): Buffer => {
    const head = Buffer.alloc(5);
    head.write(kind);
    head.writeUInt32BE(body.length + 4, 1);
    return Buffer.concat([head, body]);
  };
  const row = (text: string | null): Buffer => {
    const head = Buffer.from([0, 1, 0xff, 0xff, 0xff, 0xff]);
    if (text !== null) head.writeUInt32BE(Buffer.byteLength(text), 2);
    return message('D', Buffer.concat([head, Buffer.from(text ?? '')]));
  };
  const texts = ['{"a":"ü€😀"}', '', null, 'x'.repeat(40), 'D'];
  const others = [message('2', Buffer.alloc(0)), message('N', Buffer.from('DDDDDD')), message('Z', Buffer.from('I'))];
  const all = Buffer.concat([
    others[0]!,
    ...texts.slice(0, 3).map(row),
    others[1]!,
    ...texts.slice(3).map(row),
    others[2]!,
  ]);

  it('come whole wherever the stream is cut, and nothing else is taken out of it', async () => {
    for (let size = 1; size <= all.length; size += 1) {
      const stream = new PassThrough();
      const passed: Buffer[] = [];
      stream.on('data', (bytes: Buffer) => passed.push(bytes));
      const rows = await rowBytes(stream, async () => {
        for (let at = 0; at < all.length; at += size) {
          stream.emit('data', Buffer.from(all.subarray(at, at + size)));
          await Promise.resolve();
        }
      });
      expect(rows.map(textOf)).to.deep.equal(texts.map((text) => text ?? ''));
      expect(Buffer.concat(passed).equals(Buffer.concat(others)), `pieces of ${size}`).to.equal(true);
      expect(stream.listenerCount('data')).to.equal(1);
    }
  });

  it('are taken no longer than until the end of the message under way, if the answer is not waited for', async () => {
    const text = row('that nobody reads any more');
    for (const cut of [3, 5, 11, 20]) {
      const stream = new PassThrough();
      const passed: Buffer[] = [];
      stream.on('data', (bytes: Buffer) => passed.push(bytes));
      const given = rowBytes(stream, async () => {
        stream.emit('data', text.subarray(0, cut));
        throw new Error('too late');
      });
      expect(String(await given.catch((error: unknown) => error))).to.equal('Error: too late');
      const next = row('of the next statement');
      stream.emit('data', Buffer.concat([text.subarray(cut), next.subarray(0, 7)]));
      stream.emit('data', next.subarray(7));
      expect(Buffer.concat(passed).equals(next), `cut at ${cut}`).to.equal(true);
      expect(stream.listenerCount('data')).to.equal(1);
    }
  });
});

describe('db: rows as bytes, of Postgres', () => {
  let database: TestDatabase;
  let db: Database;
  before(async () => {
    database = await (await sharedCluster()).createDatabase();
    const address = database.url;
    db = openPool({ address, max: 1, applicationName: 'test', queryTimeoutMs: 60_000 });
  });
  after(async () => {
    await db.close();
    await database.drop();
  });
  const TEXTS = {
    name: 'texts',
    text: `select case when n % 3 > 0 then repeat('ü', n * $1::integer) end from generate_series(1, 10) n order by n`,
  };

  it('are what was asked, also of several megabytes', async () => {
    for (const times of [1, 200_000, 1]) {
      const rows = await db.queryBytes(TEXTS, [times]);
      const lengths = Array.from({ length: 10 }, (_, i) => ((i + 1) % 3 > 0 ? (i + 1) * times : 0));
      expect(rows.map((pieces) => textOf(pieces).length)).to.deep.equal(lengths);
      expect(rows.every((pieces) => /^ü*$/.test(textOf(pieces)))).to.equal(true);
    }
  });

  it('fail as the statement does, also after the first ones, and those of the next one are whole', async () => {
    const large = `repeat('x', 20000)`;
    for (const [name, text, code] of [
      ['failing', `${large} || (1 / (5 - n))::text`, '22012'],
      [
        'cancelled',
        `${large} || coalesce(case when n = 3 then pg_cancel_backend(pg_backend_pid()) end::text, '')`,
        '57014',
      ],
      ['dying', `${large} || case when n = 3 then pg_terminate_backend(pg_backend_pid()) end::text`, '57P01'],
    ] as const) {
      const statement = { name, text: `select ${text} from generate_series($1::integer, 9) n` };
      const error = await db.queryBytes(statement, [0]).catch((thrown: unknown) => thrown);
      expect(error).to.have.property('code', code);
      const [first] = await db.queryBytes(TEXTS, [1]);
      expect(textOf(first!)).to.equal('ü');
    }
  });
});
