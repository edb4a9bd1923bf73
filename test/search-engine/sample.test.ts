/**
 * A whole database with every common type and sort of key, backfilled into a real OpenSearch while it is changed at random,
 * and for some seconds after: in the end the indexes hold what `to_jsonb` says of each row, and nothing else. Postgres
 * compares, so that no digit is lost; `millrace verify` must say the same. MILLRACE_SAMPLE_ROWS and
 * MILLRACE_SAMPLE_SECONDS make it larger, SEED makes other changes.
 */
import { expect } from 'chai';
import { changeSample } from '../../bench/sample/changes.ts';
import { createSample, type SampleTable, sampleTables } from '../../bench/sample/database.ts';
import { type Database, openPool } from '../../src/db/pool.ts';
import type { SearchEngine } from '../support/engines/engine-process.ts';
import { ask } from '../support/engines/index-tools.ts';
import { openSearchObstacle, startOpenSearch } from '../support/engines/opensearch.ts';
import { verification } from '../support/fixtures/verification.ts';
import { startService, stopServices, type TestService } from '../support/processes/service.ts';
import { createWorld, type World } from '../support/processes/world.ts';
import { until } from '../support/until.ts';

const ROWS = Number(process.env.MILLRACE_SAMPLE_ROWS ?? 6_000);
const SECONDS = Number(process.env.MILLRACE_SAMPLE_SECONDS ?? 4);
const SEED = Number(process.env.SEED ?? 20_261_121);
const DEADLINE_MS = 20_000 + ROWS * 5 + SECONDS * 3_000;

const indexOf = (table: SampleTable): string => `sample-${table.name.toLowerCase().replace(' ', '-')}`;

const yaml = (url: string): string => `
functions:
  - name: by-table
    type: routing
    sink_type: elasticsearch
    code: "(action, record, changes, metadata) => ({ index_name: 'sample-' + metadata.table_name.toLowerCase().replace(' ', '-') })"
sinks:
  - name: sample
    database: shop
    source: { include_schemas: [sample] }
    routing: by-table
    destination: { type: elasticsearch, endpoint_url: "${url}", index_name: sample, auth_type: none, batch_size: 1000 }
`;

describe('a sample database in OpenSearch 2.19.1', function () {
  this.timeout(DEADLINE_MS * 2);
  let engine: SearchEngine;
  let world: World;
  let source: Database;
  let service: TestService;
  let tables: SampleTable[];

  before(async function () {
    this.timeout(700_000);
    const obstacle = await openSearchObstacle();
    if (obstacle !== undefined) {
      console.log(obstacle);
      this.skip();
    }
    engine = await startOpenSearch();
    world = await createWorld('select');
    source = openPool({
      address: world.shopUrl,
      max: 4,
      applicationName: 'test',
      path: 'role',
      statementTimeoutMs: 120_000,
    });
    await createSample(source, { rows: ROWS });
    await source.query(
      `create publication of_the_test for tables in schema sample
         with (publish_via_partition_root = true, publish_generated_columns = stored)`,
    );
    tables = await sampleTables(source);
    for (const name of ['sample', ...tables.map(indexOf)]) {
      const settings = { number_of_shards: 1, number_of_replicas: 0, refresh_interval: '500ms' };
      await ask(engine, 'PUT', `/${name}`, { settings, mappings: { dynamic: false } });
    }
    service = await startService({ databaseUrl: world.messagesUrl, yaml: world.yaml + yaml(engine.url) });
  });

  after(async () => {
    await stopServices();
    await source?.close();
    await world?.drop();
    await engine?.stop();
  });

  afterEach(function () {
    if (this.currentTest?.state === 'failed') console.error(`SEED=${SEED}\n${service?.output().slice(-4_000)}`);
  });

  it('is backfilled while it changes', async () => {
    const over = new AbortController();
    const changing = changeSample(source, { seed: SEED, writers: 2, rows: ROWS, pauseMs: 5 }, over.signal);
    const begun = performance.now();
    await world.messages.query("select millrace.backfill('sample')");
    try {
      await untilBackfilled(world);
      const readMs = performance.now() - begun;
      await new Promise((resolve) => setTimeout(resolve, SECONDS * 1_000));
      over.abort();
      const { transactions, rows } = await changing;
      await world.settled(['sample'], DEADLINE_MS);
      const settledMs = performance.now() - begun;
      console.log(
        `      ${ROWS} rows read in ${Math.round(readMs)} ms, settled after ${Math.round(settledMs)} ms; ${transactions} transactions changed ${rows} rows meanwhile`,
      );
      expect(transactions).to.be.at.least(20);
    } finally {
      over.abort();
      await changing;
    }
    const { rows: parked } = await world.messages.query(
      "select table_name, record_pk::text, stage, error from millrace.parked_messages where sink_name = 'sample' limit 3",
    );
    expect(parked).to.deep.equal([]);
  });

  it('is what to_jsonb says, row by row, and nothing else', async () => {
    let compared = 0;
    for (const table of tables) compared += await expectSame(source, engine, table);
    expect(compared).to.be.at.least(ROWS * 0.8);
  });

  it('has no drift, says `millrace verify`', async () => {
    const { code, out } = await verification(world.messagesUrl, 1_200)('sample');
    expect(code, out).to.equal(0);
    expect(out).to.contain('sample.order_items');
  });
});

async function untilBackfilled(world: World): Promise<void> {
  await until('every table was read', () => backfillsDone(world), DEADLINE_MS).catch(async (error: unknown) => {
    const { rows } = await world.messages.query('select * from millrace.backfill_status');
    throw new Error(`${String(error)}\n${JSON.stringify(rows)}`);
  });
}

async function backfillsDone(world: World): Promise<boolean> {
  const { rows } = await world.messages.query<{ state: string; reason: string | null; table_name: string }>(
    'select state, reason, table_name from millrace.backfill_status',
  );
  expect(rows.filter(({ state }) => state === 'failed')).to.deep.equal([]);
  return rows.length === 16 && rows.every(({ state }) => state === 'done');
}

/** Hands the engine's answers to Postgres as they are, and lets it compare. How many rows there are. */
async function expectSame(source: Database, engine: SearchEngine, table: SampleTable): Promise<number> {
  const index = indexOf(table);
  await ask(engine, 'POST', `/${index}/_refresh`);
  return await source.session(async (client) => {
    await client.query('create temp table found (id text, source jsonb)');
    try {
      for await (const page of pages(engine, index)) {
        await client.query(
          `insert into found select h ->> '_id', h -> '_source' from jsonb_array_elements($1::text::jsonb #> '{hits,hits}') h`,
          [page],
        );
      }
      const id = table.keys.map((key) => `format('%s', t.${key})`).join(` || '-' || `);
      const { rows } = await client.query<{ id: string; wanted: string | null; held: string | null }>(
        `select coalesce(w.id, f.id) as id, left(w.record, 2000) as wanted, left(f.source::text, 2000) as held
           from (select ${id} as id, to_jsonb(t)::text as record from ${table.sql} t) w
           full join found f on f.id = w.id
          where w.record is distinct from f.source::text limit 3`,
      );
      expect(rows, table.name).to.deep.equal([]);
      const { rows: counted } = await client.query<{ count: number }>('select count(*)::integer as count from found');
      return counted[0]!.count;
    } finally {
      await client.query('drop table found');
    }
  });
}

async function* pages(engine: SearchEngine, index: string): AsyncIterable<string> {
  let path = `/${index}/_search?scroll=1m`;
  let body: object = { size: 1_000, sort: ['_doc'] };
  for (;;) {
    const answer = await fetch(`${engine.url}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${path}: HTTP ${answer.status} ${text.slice(0, 500)}`);
    const { _scroll_id, hits } = JSON.parse(text) as { _scroll_id: string; hits: { hits: unknown[] } };
    if (hits.hits.length === 0) return;
    yield text;
    path = '/_search/scroll';
    body = { scroll: '1m', scroll_id: _scroll_id };
  }
}
