/** Secrets that were moved about in the tables while a worker delivers: those sinks alone stop, say why, and are healed. */
import { expect } from 'chai';
import { migrate } from '../../src/roles/migrate.ts';
import { type BulkServer, startBulkServer } from '../support/engines/bulk-server.ts';
import { type ReplayWorld, replayWorld } from '../support/fixtures/replayed.ts';
import { until } from '../support/until.ts';

const SCHEMA = 'create table items (id int primary key)';

describe('sealed secrets under a running worker', function () {
  this.timeout(120_000);
  let engine: BulkServer;
  let world: ReplayWorld;
  const sink = (name: string, auth: string): string => `
  - name: ${name}
    database: shop
    destination: { type: elasticsearch, endpoint_url: "${engine.url}", index_name: ${name}, auth_type: basic, auth_value: "${auth}" }`;
  const documents = (index: string): number => engine.engine.documents(index).size;
  const status = async () =>
    (
      await world.messages.query<{ sink_name: string; health: string; error: string | null }>(
        'select sink_name, health, error from millrace.sink_status order by 1',
      )
    ).rows;

  before(async () => {
    engine = await startBulkServer({ indexes: ['one', 'two', 'three'] });
    world = await replayWorld(
      SCHEMA,
      () => `sinks:${sink('one', 'ann:one-one')}${sink('two', 'ann:two-two')}${sink('three', 'ann:x')}\n`,
    );
  });
  after(async () => {
    await world?.close();
    await engine?.close();
  });

  it('do not open, name the sink and the remedy, and leave the others alone', async () => {
    await world.shop.query('insert into items values (1)');
    await until('all are delivered to', () => ['one', 'two', 'three'].every((index) => documents(index) === 1));
    await world.messages.query(`update millrace_private.sinks a set secret = b.secret from millrace_private.sinks b
                                 where (a.name, b.name) in (('one', 'two'), ('two', 'one'))`);
    await world.messages.query('select millrace_private.publish_catalog()');
    // The worker hears of it soon: what is delivered until then, is delivered as before.
    let last = 1;
    const insert = async (): Promise<unknown> => {
      last += 1;
      return await world.shop.query('insert into items values ($1::int)', [last]);
    };
    await until('two of them say why', async () => {
      await insert();
      return (await status()).every(
        ({ sink_name: name, error }) => (name === 'three') === !error?.includes('sealed for another place'),
      );
    });
    const before = engine.requests.length;
    await insert();
    await until('the third goes on', () => documents('three') === last);
    const sent = engine.requests
      .slice(before)
      .map(({ path, headers }) => `${path.split('/')[1]} ${headers.authorization}`);
    expect(new Set(sent)).to.deep.equal(new Set([`three Basic ${Buffer.from('ann:x').toString('base64')}`]));
    for (const { sink_name: name, health, error } of await status()) {
      expect(health).to.equal(name === 'three' ? 'ok' : 'bad_destination');
      if (name !== 'three') expect(error).to.include(`sink ${name} does not open`).and.include('millrace.yaml');
    }
    await migrate(world.settings);
    // The next probe comes at once.
    await world.messages.query('update millrace_private.circuits set probe_at = clock_timestamp()');
    await world.endLaneLeases();
    await until('all are delivered to again', () => ['one', 'two'].every((index) => documents(index) === last), 90_000);
  });
});
