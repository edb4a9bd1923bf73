/**
 * What triggers note takes no more room the longer somebody holds a snapshot. MILLRACE_TEST_PINNED_SECONDS is how long it is held, and
 * written beside it; without it a partition of the ring is filled.
 */
import { expect } from 'chai';
import { type Database, openPool } from '../../../src/db/pool.ts';
import { type Captured, captured, PULL, sinkSettings } from '../../support/fixtures/captured.ts';
import { untilCaptured } from '../../support/processes/world.ts';
import { until } from '../../support/until.ts';

const PINNED_MS = Number(process.env.MILLRACE_TEST_PINNED_SECONDS ?? 0) * 1_000;
/** Changes that a partition of the ring takes. */
const PART = 65_536;
const ROWS = 10_000;
const MOST_MB = 64;

describe('noted changes under a snapshot that somebody holds', function () {
  this.timeout(300_000 + 2 * PINNED_MS);
  let on: Captured;
  let source: Database;

  before(async () => {
    on = await captured('create table rows (id int, value text); create table counted (id int primary key, n int)', {
      settings: { capture: 'triggers' },
    });
    source = openPool({ address: on.sourceUrl, max: 3, applicationName: 'test', path: 'role', idleInTransactionMs: 0 });
    // All of it is read, and nothing of it is kept.
    await on.addSink(sinkSettings({ name: 'all', destination: PULL, actions: ['delete'] }));
    on.start();
    await on.streaming();
  });
  after(async () => {
    await source?.close();
    await on?.close();
  });

  const megabytes = async (): Promise<number> => {
    const { rows } = await source.query<{ mb: number }>(
      `select (sum(pg_total_relation_size(c.oid)) / 1048576)::float8 as mb from pg_class c
        where c.relnamespace = 'millrace_capture'::regnamespace and c.relkind in ('r', 'S')`,
    );
    return rows[0]!.mb;
  };

  it('are as few as without it', async () => {
    const sizes: number[] = [];
    let written = 0;
    await source.session(async (holder) => {
      await holder.query('begin isolation level repeatable read; select count(*) from rows');
      await source.query('insert into counted values (1, 0)');
      const end = performance.now() + PINNED_MS;
      while (performance.now() < end || written < PART + ROWS) {
        await source.query(`insert into rows select g, md5(g::text) from generate_series(1, ${ROWS}) g`);
        for (let n = 0; n < 20; n += 1) await source.query('update counted set n = n + 1');
        written += ROWS + 20;
        await untilCaptured(on.messages.db, source);
        sizes.push(await megabytes());
      }
      await until('what was read is gone', async () => {
        await source.query('update counted set n = n + 1');
        const { rows } = await source.query<{ parts: number }>(
          'select count(distinct c.part)::integer as parts from millrace_capture.changes c',
        );
        return rows[0]!.parts === 1;
      });
      await holder.query('rollback');
    });
    sizes.push(await megabytes());
    console.log(
      `      ${written} changes, ${Math.round(Math.min(...sizes))} to ${Math.round(Math.max(...sizes))} MB, ${Math.round(sizes.at(-1)!)} in the end`,
    );
    expect(Math.max(...sizes)).to.be.below(MOST_MB);
  });
});
