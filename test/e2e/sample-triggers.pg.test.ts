/**
 * The sample database, with every common type and sort of key, captured by triggers: it is backfilled into indexes while writers change it at random, also
 * its keys, and `millrace verify` finds nothing that differs. MILLRACE_SAMPLE_ROWS and MILLRACE_SAMPLE_SECONDS make it larger, SEED makes other
 * changes.
 */
import { expect } from 'chai';
import { changeSample } from '../../bench/sample/changes.ts';
import { createSample, type SampleTable, sampleTables } from '../../bench/sample/database.ts';
import { type Database, openPool } from '../../src/db/pool.ts';
import { type BulkServer, startBulkServer } from '../support/engines/bulk-server.ts';
import { verification } from '../support/fixtures/verification.ts';
import { startService, stopServices, type TestService } from '../support/processes/service.ts';
import { createWorld, type World } from '../support/processes/world.ts';
import { until } from '../support/until.ts';

const ROWS = Number(process.env.MILLRACE_SAMPLE_ROWS ?? 3_000);
const SECONDS = Number(process.env.MILLRACE_SAMPLE_SECONDS ?? 2);
const SEED = Number(process.env.SEED ?? 20_261_127);
const DEADLINE_MS = 60_000 + ROWS * 5 + SECONDS * 3_000;

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

describe('a sample database that is captured by triggers', function () {
  this.timeout(DEADLINE_MS * 2);
  let engine: BulkServer;
  let world: World;
  let source: Database;
  let service: TestService;
  let tables: SampleTable[];

  before(async () => {
    world = await createWorld('select', { capture: 'triggers' });
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
    engine = await startBulkServer({ indexes: ['sample', ...tables.map(indexOf)] });
    service = await startService({ databaseUrl: world.messagesUrl, yaml: world.yaml + yaml(engine.url) });
  });
  after(async () => {
    await stopServices();
    await source?.close();
    await world?.drop();
    await engine?.close();
  });
  afterEach(function () {
    if (this.currentTest?.state === 'failed') console.error(`SEED=${SEED}\n${service?.output().slice(-4_000)}`);
  });

  it('is backfilled while it changes', async () => {
    const over = new AbortController();
    const changing = changeSample(source, { seed: SEED, writers: 2, rows: ROWS, pauseMs: 5 }, over.signal);
    await world.messages.query("select millrace.backfill('sample')");
    try {
      const begun = performance.now();
      await until(
        'every table was read, and rows changed beside it',
        async () => {
          const { rows } = await world.messages.query<{ state: string }>('select state from millrace.backfill_status');
          expect(rows.filter(({ state }) => state === 'failed')).to.deep.equal([]);
          const isRead = rows.length === tables.length + 1 && rows.every(({ state }) => state === 'done');
          return isRead && performance.now() - begun > SECONDS * 1_000;
        },
        DEADLINE_MS,
      );
    } finally {
      over.abort();
    }
    const { transactions } = await changing;
    expect(transactions).to.be.at.least(20);
    await world.settled(['sample'], DEADLINE_MS);
    const { rows: parked } = await world.messages.query(
      "select table_name, record_pk::text, stage, error from millrace.parked_messages where sink_name = 'sample' limit 3",
    );
    expect(parked).to.deep.equal([]);
  });

  it('has as many documents as rows, and no drift, says `millrace verify`', async () => {
    for (const table of tables) {
      const { rows } = await source.query<{ n: number }>(`select count(*)::integer as n from ${table.sql}`);
      expect(engine.engine.documents(indexOf(table)).size, table.name).to.equal(rows[0]!.n);
    }
    const { code, out } = await verification(world.messagesUrl, 100)('sample');
    expect(code, out).to.equal(0);
    expect(out).to.contain('sample.order_items');
  });
});
