/**
 * Verification against a running service and a scripted engine: what was planted is found and repaired, whatever is written
 * meanwhile, and nothing is found that is not there.
 */
import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import type { BulkServer } from '../support/engines/bulk-server.ts';
import { type RunVerify, refusal } from '../support/fixtures/verification.ts';
import { openVerifiedShop, type VerifiedShop } from '../support/fixtures/verified-shop.ts';
import { cleanEnvironment, SECRET_KEY, stopServices } from '../support/processes/service.ts';
import type { World } from '../support/processes/world.ts';
import { until } from '../support/until.ts';

describe('verify', function () {
  this.timeout(120_000);
  let shop: VerifiedShop;
  let world: World;
  let plain: BulkServer;
  let routed: BulkServer;
  let alone: BulkServer;
  let verify: RunVerify;

  before(async () => {
    shop = await openVerifiedShop();
    ({ world, plain, routed, alone, verify } = shop);
  });
  after(async () => {
    await shop?.close();
    await stopServices();
  });

  const index = (name: string): Map<string, unknown> => plain.engine.documents(name);

  it('finds what was there before the sink, and --repair sends it', async () => {
    const found = await verify('products', { show: 2 });
    expect(found.code).to.equal(2);
    expect(found.out).to.match(/^products: 1,000 rows of public.products compared, 0 documents looked through$/m);
    expect(found.out).to.match(/^missing 1,000, extra 0, different 0$/m);
    expect(found.out).to.match(/^ {2}missing {4}products {2}_id "\d+": public.products$/m);
    expect(found.out).to.match(/and 998 more \(--show=1000 lists all\)/);
    expect(found.err).to.match(/public.products compared: .*1,000 rows/);
    const repaired = await verify('products', { repair: true });
    expect(repaired.out).to.match(/1,000 documents repaired\nmissing 0, extra 0, different 0\n(note.*\n)?no drift\n$/);
    expect(repaired.code).to.equal(0);
    expect(index('products').size).to.equal(1_000);
    const clean = await verify('products');
    expect(clean.out).to.match(/1,000 documents looked through\nmissing 0, extra 0, different 0\nno drift\n$/);
    expect(clean.code).to.equal(0);
  });

  it('finds and repairs each kind, and names fields, never values', async () => {
    const { engine } = plain;
    engine.plant('products', '5', undefined);
    engine.plant('products', '7', '{"id":7,"name":"secret","price":7.7,"extra":null}');
    engine.plant('products', '9', '{"price":9.9,"id":9.0,"name":"p9","extra":{"e":15e-1,"big":12345678901234567890}}');
    engine.plant('products', '11', '{"price":12.1,"id":11,"name":"p11","extra":{"e":1.50,"big":12345678901234567891}}');
    engine.plant('products', 'stranger', '{"id":"secret"}');
    engine.plant('products', '99999', '{}');
    const found = await verify('products');
    expect(found.code).to.equal(2);
    const lines = found.out.split('\n').filter((line) => line.startsWith('  '));
    expect(lines.toSorted()).to.deep.equal([
      '  different  products  _id "11": public.products; fields extra',
      '  different  products  _id "7": public.products; fields extra, name',
      '  extra      products  _id "99999": no row',
      '  extra      products  _id "stranger": no row',
      '  missing    products  _id "5": public.products',
    ]);
    expect(found.out).not.to.contain('secret');
    const repaired = await verify('products', { repair: true });
    expect(repaired.out).to.match(/5 documents repaired/);
    expect([repaired.code, index('products').size]).to.deep.equal([0, 1_000]);
    expect(index('products').get('7')).to.have.property('name', 'p7');
  });

  it('knows filters, and what left them', async () => {
    const cheap = 'select count(*)::int as count from products where id > 10 and price < 1000';
    const { rows } = await world.shop.query<{ count: number }>(cheap);
    expect(index('cheap').size).to.equal(rows[0]!.count);
    plain.engine.plant('cheap', '3', '{"id":3}');
    const found = await verify('cheap-ones');
    expect(found.out).to.match(/missing 0, extra 1, different 0\n {2}extra {6}cheap {2}_id "3": public.products/);
    expect((await verify('cheap-ones', { repair: true })).code).to.equal(0);
    expect(index('cheap').has('3')).to.equal(false);
  });

  it('leaves alone what another sink may have written', async () => {
    plain.engine.plant('lines', 'o-1-9999', '{}');
    const found = await verify('lines');
    expect(found.code, found.out).to.equal(0);
    expect(found.out).to.match(/note: extra documents were not looked for: sink lines-too writes into the same index/);
    expect(index('lines').has('o-1-9999')).to.equal(true);
  });

  it('tells whose a document is from its _id: of several tables, of keys with several columns', async () => {
    const { engine } = alone;
    await world.shop.query("insert into lines values ('with-a-dash', 1, 'x'), ('o', 7, 'y')");
    await until('they are delivered', () =>
      ['o-7', 'with\\-a\\-dash-1'].every((id) => engine.documents('pairs').has(id)),
    );
    for (const id of ['o-1-9999', 'c-99', 'o-x-1', 'with-a', 'nothing at all']) engine.plant('pairs', id, '{}');
    engine.plant('pairs', 'with\\-a\\-dash-1', '{}');
    // As an index has it that was filled before keys with a - in them had an _id of their own.
    engine.plant('pairs', 'with-a-dash-1', '{"of":"old"}');
    engine.plant('pairs', 'c-7', undefined);
    const found = await verify('pairs');
    expect(found.out).to.match(/pairs: 322 rows of public.codes, public.lines compared/);
    expect(found.out).to.match(/missing 1, extra 6, different 1/);
    expect(found.out).to.contain('different  pairs  _id "with\\\\-a\\\\-dash-1": public.lines');
    const repaired = await verify('pairs', { repair: true });
    expect([repaired.code, engine.documents('pairs').size], repaired.out).to.deep.equal([0, 322]);
  });

  for (const [sink, which] of [
    ['alone', 'the only table'],
    ['pairs', 'one of several tables'],
  ] as const) {
    it(`keeps a document whose row came between the proof and the repair, in ${which}`, async () => {
      const { engine } = alone;
      const id = `late in ${sink}-9001`;
      engine.plant(sink, id, '{}');
      const gate = await world.messages.session(async (client) => {
        // The proof is there when the repair is asked for, which waits here.
        await client.query('begin; lock table millrace_private.backfills in share mode');
        const ran = verify(sink, { repair: true });
        await until('the repair is asked for', async () => {
          const waiting = `select from pg_locks where not granted and database = (select oid from pg_database where datname = current_database())
                              and relation = 'millrace_private.backfills'::regclass`;
          return (await world.messages.query(waiting)).rowCount !== 0;
        });
        await world.shop.query("insert into lines values ($1, 9001, 'live')", [`late in ${sink}`]);
        await until('it is delivered', () => JSON.stringify(engine.documents(sink).get(id))?.includes('live'));
        await client.query('commit');
        return { ran };
      });
      const { code, out } = await gate.ran;
      expect(JSON.stringify(engine.documents(sink).get(id)), out).to.contain('live');
      expect(code, out).to.equal(0);
    });
  }

  it('follows routes, and leaves out fields that no row makes', async () => {
    const { rows } = await world.shop.query<{ id: string; shelf: string }>(
      'select id, shelf from notes order by id limit 2',
    );
    const { id, shelf } = rows[0]!;
    routed.engine.plant(`notes-${shelf}`, id, '{"text":"other","at":"2020","how":"insert"}');
    const second = rows[1]!;
    const other = second.shelf === 'left' ? 'right' : 'left';
    routed.engine.plant(`notes-${other}`, second.id, '{"text":"left behind"}');
    const found = await verify('notes');
    expect(found.out).to.contain(`different  notes-${shelf}  _id "${id}": public.notes; fields text`);
    expect(found.out).to.contain(`extra      notes-${other}  _id "${second.id}": public.notes`);
    expect(found.out).to.match(/missing 0, extra 1, different 1/);
    expect(found.out).to.match(/note: not compared, because the transform makes them of more than the row: at, how/);
    routed.engine.plant(`notes-${other}`, second.id, undefined);
    await world.messages.query(
      `insert into millrace_private.notices (sink_no, code, table_name, message)
       select no, code, 'public.notes', 'of the test' from millrace_private.sinks, unnest('{truncated,gap}'::text[]) code
        where name = 'notes'`,
    );
    const left = async () =>
      (await world.messages.query("select code from millrace_private.notices where message = 'of the test'")).rows;
    expect((await verify('notes')).code).to.equal(2);
    expect(await left(), 'while it differs').to.have.length(2);
    expect((await verify('notes', { repair: true })).code).to.equal(0);
    expect(await left(), 'when it is seen to be right').to.deep.equal([{ code: 'gap' }]);
    await world.messages.query("select millrace.dismiss('notes', 'gap')");
  });

  it('says why a row cannot be there: its function fails, its message is parked', async () => {
    await world.shop.query("insert into notes (body, shelf) values ('breaks', 'left')");
    await world.captured();
    const found = await verify('notes');
    expect(found.code).to.equal(2);
    expect(found.out).to.match(/different {2}notes {2}_id "[\da-f-]+": public.notes; stamped: .*cannot do this one/);
    const tried = await verify('notes', { repair: true });
    expect(tried.out).to.match(/0 documents repaired[\s\S]*drift: what is left must be fixed by hand/);
    await world.shop.query("delete from notes where body = 'breaks'");
    expect((await verify('notes')).code).to.equal(0);
    const error = { type: 'mapper_parsing_exception', reason: 'of the test' };
    plain.fail(
      { kind: 'items', decide: ({ id }) => (id === '77' ? { status: 400, error } : undefined) },
      { path: /products\/_bulk$/ },
    );
    await world.shop.query("update products set name = 'refused' where id = 77");
    await until('the message is parked', async () => {
      const sql = "select 1 from millrace.parked_messages where sink_name = 'products'";
      return (await world.messages.query(sql)).rowCount > 0;
    });
    const parked = await verify('products');
    expect(parked.out).to.match(/_id "77": public.products; fields name; its message is parked: .*of the test/);
    expect((await verify('products', { repair: true })).code).to.equal(0);
  });

  it('is a command with an exit code', async () => {
    const cli = path.join(import.meta.dirname, '../../src/cli.ts');
    const env = { ...cleanEnvironment(), DATABASE_URL: world.messagesUrl, SECRET_KEY };
    const call = async (...args: string[]): Promise<{ code: number; stdout: string; stderr: string }> =>
      await promisify(execFile)(process.execPath, [cli, 'verify', ...args], { env }).then(
        (printed) => ({ code: 0, ...printed }),
        (failed: { code: number; stdout: string; stderr: string }) => failed,
      );
    await world.settled(['lines']);
    const clean = await call('lines', '--refresh', '300');
    expect([clean.code, clean.stdout.endsWith('no drift\n')], clean.stderr).to.deep.equal([0, true]);
    expect(clean.stderr).to.match(/^verify [\w-]+\n/);
    expect(clean.stdout).to.match(/^lines: \d+ rows of public\.lines compared/);
    plain.engine.plant('lines', 'o\\-1-1', undefined);
    const drift = await call('lines', '--refresh', '300');
    expect([drift.code, /missing 1,/.test(drift.stdout)], drift.stderr + drift.stdout).to.deep.equal([2, true]);
    const unknown = await call('nobody');
    expect(unknown).to.deep.include({ code: 1, stdout: '' });
    expect(unknown.stderr).to.match(/^there is no sink nobody\n {2}There are: .*products/);
    expect((await call('lines', '--show', 'many')).stderr).to.match(/--show must be a whole number/);
  });

  describe('what cannot be verified', () => {
    it('an unknown sink, and one that is no index', async () => {
      const unknown = await refusal(verify('product'));
      expect(unknown.message).to.equal('there is no sink product');
      expect(unknown.remedy).to.match(/products, cheap-ones, lines, lines-too, notes/);
      expect((await refusal(verify('pulled'))).message).to.match(/pulled is a pull consumer: only a search index/);
    });

    it('a sink that is paused, at once', async () => {
      await world.messages.query("select millrace.pause('products')");
      const paused = await refusal(verify('products'));
      expect(paused.message).to.match(/sink products is paused/);
      expect(paused.remedy).to.match(/millrace.resume\('products'\)/);
      await world.messages.query("select millrace.resume('products')");
    });

    it('a sink that cannot be delivered to, with the engine’s words', async () => {
      plain.engine.deleteIndex('cheap');
      await world.shop.query('update products set price = 1 where id between 20 and 30');
      await until('the circuit is open', async () => {
        const sql = "select 1 from millrace.sink_status where sink_name = 'cheap-ones' and health <> 'ok'";
        return (await world.messages.query(sql)).rowCount > 0;
      });
      expect((await refusal(verify('cheap-ones'))).message).to.match(
        /cannot be delivered to \(index_missing\).*no such index/,
      );
    });

    it('an engine that does not let us search', async () => {
      plain.fail({ kind: 'status', status: 403 }, { path: /lines\/_search$/, times: 10 });
      expect((await refusal(verify('lines'))).message).to.match(/index lines cannot be read: .*scripted 403/);
    });
  });

  describe('in the end', () => {
    it('asks the engine nothing but _bulk and _search', () => {
      expect([...plain.strays(), ...routed.strays(), ...alone.strays()]).to.deep.equal([]);
    });

    it('says when nobody captures, and when the source lets nobody in', async () => {
      await stopServices();
      // Without a change that nobody has captured there would be nothing to wait for.
      await world.shop.query('update products set price = price where id = 2');
      plain.engine.plant('products', '1', '{}');
      const stuck = await refusal(verify('products', { options: { patienceMs: 500 } }));
      expect(stuck.message).to.match(/sink products has made no progress for 1 s: capture persists nothing/);
      expect(stuck.remedy).to.match(/Is the service running/);
      const name = new URL(world.shopUrl).pathname.slice(1);
      await world.archive.query(`alter database ${name} allow_connections false`);
      const closed = await refusal(verify('products'));
      expect(closed.message).to.match(/^database shop cannot be used: .*not currently accepting connections/);
      expect(closed.remedy).to.match(/alter database ... allow_connections true/);
    });
  });
});
