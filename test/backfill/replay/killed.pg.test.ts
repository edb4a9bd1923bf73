/** The capture process dies by kill -9 in the middle of a replay, at each place where its death could lose or double a page. */
import { expect } from 'chai';
import { type BulkServer, startBulkServer } from '../../support/engines/bulk-server.ts';
import { tableRows } from '../../support/fixtures/change-rows.ts';
import { type ReplayWorld, replayWorld } from '../../support/fixtures/replayed.ts';
import { createService, stopServices, type TestService } from '../../support/processes/service.ts';

/** More than three pages of changes. */
const ROWS = 3_000;
const SCHEMA = `
  create table items (id int primary key, version int not null, note text);
  alter table items replica identity full;
`;
const yaml = (endpoint: string): string => `
sinks:
  - { name: pull, database: shop, source: { include_tables: [items] }, destination: { type: pull } }
  - name: index
    database: shop
    source: { include_tables: [items] }
    destination: { type: elasticsearch, endpoint_url: "${endpoint}", index_name: items, auth_type: none, batch_size: 1000 }
change_retentions:
  - name: history
    source_database: shop
    source_table_name: items
    destination_database: archive
    destination_table_name: items_events
    create_if_not_exists: true
`;
const PLACES = [
  'backfill/before-watermark=kill@3',
  'capture/before-persist=kill@3',
  'capture/in-persist=kill@2',
  'capture/before-confirm=kill@2',
];

describe('a replay whose process is killed', function () {
  this.timeout(120_000);
  let engine: BulkServer;
  let world: ReplayWorld;
  let capture: TestService;

  before(async () => {
    engine = await startBulkServer({ indexes: ['items'] });
    world = await replayWorld(SCHEMA, () => yaml(engine.url), { capture: false });
    capture = await createService({ databaseUrl: world.messagesUrl, word: 'capture' });
    await capture.start();
    await world.shop.query(`insert into items select n, 1, 'note ' || n from generate_series(1, ${ROWS}) n`);
    await world.shop.query(`update items set version = 2 where id <= ${ROWS}`);
    await world.shop.query('update items set id = id + 100000 where id % 10 = 0');
    await world.shop.query('delete from items where id % 10 = 1');
    await world.settled(['history', 'index'], 60_000);
  });
  after(async () => {
    await stopServices();
    await world?.close();
    await engine?.close();
  });

  const forget = async (): Promise<void> => {
    await world.messages.query(`delete from millrace_private.messages m using millrace_private.sinks s
                                 where s.no = m.sink_no and s.name = 'pull'`);
  };

  /** Asks for a replay while nobody listens, and lets the process die on its way. */
  const dies = async (args: string, place: string): Promise<string> => {
    await capture.kill();
    const id = await world.replay(args);
    await capture.start({ env: { MILLRACE_FAILPOINTS: place }, wait: false });
    expect(await capture.died(30_000), place).to.equal('SIGKILL');
    expect((await world.status(id)).state).to.equal('running');
    await capture.start();
    return id;
  };

  for (const place of PLACES) {
    it(`at ${place}: every entry is sent once, in order`, async () => {
      await forget();
      const { rows: entries } = await world.archive.query<{ entry: string }>(
        `select concat_ws(' ', action, record, changes) as entry from items_events order by seq limit 6000`,
      );
      const { rows } = await world.archive.query<{ seq: number }>(
        'select seq from items_events order by seq offset 5999 limit 1',
      );
      const id = await dies(`'history', 'pull', to_seq => ${rows[0]!.seq}`, place);
      const done = await world.ended(id, 40_000);
      expect(done).to.include({ state: 'done', rows_done: 6_000, rows_sent: 6_000, rows_total: 6_000 });
      const { rows: sent } = await world.messages.query<{ entry: string }>(
        `select concat_ws(' ', m.action, m.record, m.changes) as entry from millrace_private.messages m
           join millrace_private.sinks s on s.no = m.sink_no where s.name = 'pull' order by m.id`,
      );
      expect(sent.length).to.equal(entries.length);
      expect(sent.findIndex(({ entry }, n) => entry !== entries[n]!.entry)).to.equal(-1);
    });
  }

  it('while it puts the index right: the index is the table', async () => {
    await forget();
    const id = await dies(`'history', 'index'`, 'backfill/before-watermark=kill@12');
    expect(await world.ended(id, 40_000)).to.include({ state: 'done' });
    await world.settled(['index'], 40_000);
    const rows = [...(await tableRows(world.shop, 'items'))].map(([key, row]): [string, object] => [`${key}`, row]);
    expect(engine.engine.documents('items')).to.deep.equal(new Map(rows));
  });
});
