/** Verification while everything changes: nothing is found that is not there, and what is there is found and repaired. */
import { expect } from 'chai';
import { openVerifiedShop, type VerifiedShop } from '../support/fixtures/verified-shop.ts';
import { seeded } from '../support/outages/ledger.ts';
import { stopServices } from '../support/processes/service.ts';
import { until } from '../support/until.ts';

/** Rows that nobody changes. */
const STILL = Array.from({ length: 10 }, (_, n) => String(5_001 + n));
const SEED = Number(process.env.SEED ?? 4_812);

describe('verify while everything changes', function () {
  this.timeout(120_000);
  let shop: VerifiedShop;

  before(async () => {
    shop = await openVerifiedShop();
    // The rows from before the sink.
    expect((await shop.verify('products', { repair: true })).code).to.equal(0);
  });
  after(async () => {
    await shop?.close();
    await stopServices();
  });
  afterEach(async function () {
    await stop();
    if (this.currentTest?.state === 'failed') console.error(`SEED=${SEED}`);
  });

  const index = (name: string): Map<string, unknown> => shop.plain.engine.documents(name);

  let stop: () => Promise<void>;

  beforeEach(() => {
    const random = seeded(SEED);
    let going = true;
    const any = (most: number): number => 1 + Math.floor(random() * most);
    const write = async (): Promise<void> => {
      while (going) {
        const steps = Array.from({ length: any(6) }, () => {
          const id = any(1_100);
          const dice = random();
          if (dice < 0.2) return `delete from products where id = ${id}`;
          if (dice < 0.3)
            return `update products set id = ${id} where id = ${any(1_100)} and not exists (select from products where id = ${id})`;
          return `insert into products values (${id}, 'n${any(1e6)}', ${any(2_000)}) on conflict (id) do update set name = excluded.name, price = excluded.price`;
        });
        await shop.world.shop
          .query(`do $$ begin ${steps.join('; ')}; perform pg_sleep(0.02); end $$`)
          .catch((error: Error) => {
            if (!/duplicate key|deadlock/.test(error.message)) throw error;
          });
      }
    };
    const writing = Promise.all([write(), write()]);
    stop = async () => {
      going = false;
      await writing;
    };
  });

  it('finds nothing that is not there', async () => {
    for (let run = 0; run < 2; run += 1) {
      for (const sink of ['products', 'cheap-ones']) {
        const { code, out } = await shop.verify(sink);
        expect(code, `run ${run}: ${out}`).to.equal(0);
      }
    }
  });

  it('finds what is there, and repairs it', async () => {
    await shop.world.shop.query("insert into products select n, 'still', 1 from generate_series(5001, 5010) n");
    // Of both lanes.
    await until('they are delivered', () => STILL.every((id) => index('products').has(id)));
    shop.plain.engine.plant('products', '5001', undefined);
    shop.plain.engine.plant('products', '5002', '{"id":5002}');
    shop.plain.engine.plant('products', '6000', '{"id":6000}');
    const found = await shop.verify('products');
    expect(found.out, found.out).to.match(/missing 1, extra 1, different 1/);
    expect((await shop.verify('products', { repair: true })).code).to.equal(0);
    await stop();
    await shop.world.settled(['products', 'cheap-ones']);
    const { rows } = await shop.world.shop.query<{ id: number; name: string }>(
      'select id, name from products order by id',
    );
    const held = [...index('products')].map(([id, document]) => [Number(id), (document as { name: string }).name]);
    expect(held.toSorted(([a], [b]) => Number(a) - Number(b))).to.deep.equal(rows.map(({ id, name }) => [id, name]));
  });
});
