/** docs/change-tables.md, "Reading it": what it says to read is the source table, whatever happened to keys. */
import { expect } from 'chai';
import { type ReplayWorld, replayWorld } from '../../support/fixtures/replayed.ts';
import { blocksOf } from '../../support/pages.ts';

const SCHEMA = `
  create table orders (id int primary key, status text);
  alter table orders replica identity full;
`;
const RETENTION = `
change_retentions:
  - name: history
    source_database: shop
    source_table_name: orders
    destination_database: archive
    destination_table_name: orders_events
    create_if_not_exists: true
`;
const CHANGES = [
  `insert into orders select n, 'new' from generate_series(1, 9) n`,
  `update orders set status = 'paid' where id in (1, 2, 3)`,
  'delete from orders where id in (3, 4)',
  'update orders set id = id + 100 where id in (1, 5)',
  `begin; update orders set id = -6 where id = 6; update orders set id = 6 where id = 7; update orders set id = 7, status = 'swapped' where id = -6; commit`,
  `update orders set id = 200 where id = 8; delete from orders where id = 200; insert into orders values (8, 'again')`,
];

describe('a change table', () => {
  let world: ReplayWorld;

  before(async () => {
    world = await replayWorld(SCHEMA, () => RETENTION);
  });
  after(async () => await world?.close());

  it('is read as the documentation says, and is the table as it is now', async () => {
    for (const sql of CHANGES) await world.shop.query(sql);
    await world.settled(['history']);
    const [block] = blocksOf('docs/change-tables.md').filter(({ heading }) => heading === 'Reading it');
    const { rows: read } = await world.archive.query<{ record: object }>(block!.text);
    const { rows: there } = await world.shop.query<{ record: object }>('select to_jsonb(o) as record from orders o');
    expect(read.map(({ record }) => record)).to.have.deep.members(there.map(({ record }) => record));
    expect(there.length).to.equal(7);
  });
});
