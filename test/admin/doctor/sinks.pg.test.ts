/** Traps in what is delivered: each is set, found, and gone when what is printed was run. */
import { expect } from 'chai';
import { type BulkServer, startBulkServer } from '../../support/engines/bulk-server.ts';
import { PULL, SEARCH, sinkSettings } from '../../support/fixtures/captured.ts';
import { type Examined, examined } from '../../support/fixtures/examined.ts';
import { appendMessages, parkOnArrival } from '../../support/fixtures/fixtures.ts';

describe('millrace doctor: sinks', function () {
  this.timeout(120_000);
  let by: Examined;
  let engine: BulkServer;
  let pull: number;

  before(async () => {
    engine = await startBulkServer({ indexes: ['products'] });
    by = await examined('create table products (id int primary key, name text)');
    pull = await by.on.addSink(sinkSettings({ name: "o'rders", destination: PULL }));
    const destination = { ...SEARCH, endpoint_url: engine.url };
    await by.on.addSink(sinkSettings({ name: 'products-index', destination }));
    by.on.start();
    await by.on.streaming();
    await by.stop();
  });
  after(async () => {
    await by?.close();
    await engine?.close();
  });
  const gone = async (id: string): Promise<void> => {
    const found = await by.finding(id);
    expect(found, found?.text).to.equal(undefined);
  };

  it('says when an index is missing, and asks the engine by _search alone', async () => {
    engine.engine.deleteIndex('products');
    const found = await by.finding('index_missing');
    expect(found).to.include({ status: 'ERROR', subject: 'sink products-index' });
    expect(found?.text).to.include('Its answer: ').and.include('Create it, with its mapping.');
    engine.engine.createIndex('products');
    await gone('index_missing');
    expect(engine.strays()).to.deep.equal([]);
    expect(engine.requests.map(({ path }) => path)).to.satisfy((all: string[]) =>
      all.every((one) => one.endsWith('/_search')),
    );
  });

  it('says when the credential is refused, and when nobody is there, whatever delivery saw before', async () => {
    engine.authorization = 'ApiKey another';
    expect(await by.finding('auth_failed')).to.include({ status: 'ERROR' });
    engine.authorization = undefined;
    await gone('auth_failed');
    await by.on.messages.db.query(
      `insert into millrace_private.circuits (sink_no, reason, error, probe_at)
       select s.no, 'unreachable', 'of an hour ago', now() from millrace_private.sinks s where s.name = 'products-index'`,
    );
    expect(await by.finding('unreachable')).to.include({ status: 'WARNING', subject: 'sink products-index' });
    await by.on.messages.db.query('delete from millrace_private.circuits');
  });

  it('has the statement for messages that were parked', async () => {
    const ids = await appendMessages(by.on.messages.db, pull, [{}, {}]);
    await parkOnArrival(by.on.messages.db, pull, ids);
    const printed = await by.repair('parked');
    expect(printed).to.include({ status: 'WARNING', subject: "sink o'rders", place: 'message database' });
    expect(printed.summary).to.include('2 messages are parked');
    await gone('parked');
  });

  it('has the statement for a sink that somebody paused or disabled', async () => {
    // Its messages are older than a day.
    for (const [halted, id, status] of [
      ['paused', 'paused_long', 'WARNING'],
      ['disabled', 'disabled', 'NOTICE'],
    ] as const) {
      await by.on.messages.db.query('select millrace_private.set_status($1, $2)', ["o'rders", halted]);
      expect(await by.repair(id)).to.include({ status, subject: "sink o'rders" });
      await gone(id);
    }
  });

  it('shows notices with what puts them right', async () => {
    await by.on.messages.db.query(
      `insert into millrace_private.notices (sink_no, code, message, remedy) values ($1, 'gap', 'changes were missed', 'select millrace.dismiss(''x'', ''gap'')')`,
      [pull],
    );
    const found = await by.finding('gap');
    expect(found).to.include({ status: 'WARNING', summary: 'changes were missed' });
    expect(found?.text).to.include('select millrace.dismiss');
    await by.on.messages.db.query("select millrace.dismiss($1, 'gap')", ["o'rders"]);
    await gone('gap');
  });

  it('has the statement for a backfill that failed', async () => {
    await by.on.messages.db.query(
      `insert into millrace_private.backfills (sink_no, kind, table_schema, table_name, state, reason, ended_at)
       values ($1, 'table', 'public', 'products', 'failed', 'of a reason', now())`,
      [pull],
    );
    const printed = await by.repair('failed');
    expect(printed).to.include({ status: 'WARNING', subject: "sink o'rders" });
    expect(printed.summary).to.include('of public.products').and.include('of a reason');
    await gone('failed');
  });

  it('says when two sinks write one index', async () => {
    const destination = { ...SEARCH, endpoint_url: engine.url };
    await by.on.addSink(sinkSettings({ name: 'another-index', destination }));
    expect((await by.finding('two_sinks_one_index'))?.summary).to.match(/written by (another|products)-index too/);
    await by.on.messages.db.query("delete from millrace_private.sinks where name = 'another-index'");
    await gone('two_sinks_one_index');
  });

  it('looks at one sink, or one database, alone; and says what there is for a name that is not known', async () => {
    const one = JSON.parse((await by.doctor(['--sink', 'products-index', '--json'])).text);
    const subjects = new Set(
      one.checks.map(({ subject }: { subject: { kind: string; name: string } }) => `${subject.kind} ${subject.name}`),
    );
    expect([...subjects])
      .to.include('sink products-index')
      .and.not.include("sink o'rders");
    const { code, stderr } = await by.doctor(['--database', 'shp']);
    expect([code, stderr]).to.deep.equal([1, 'there is no database shp\n  Name one of: shop.\n']);
  });

  it('prints statements alone, as they can be run', async () => {
    await by.on.messages.db.query('select millrace.pause($1)', ["o'rders"]);
    const { text } = await by.doctor(['--sql']);
    expect(text).to.include('-- In message database\n').and.include("select millrace.resume('o''rders');");
    expect(text.split('\n').every((line) => line === '' || line.startsWith('-- ') || line.endsWith(';'))).to.equal(
      true,
    );
    await by.on.messages.db.query(text.slice(text.indexOf('select millrace.resume')).split('\n')[0]!);
    await gone('paused');
  });
});
