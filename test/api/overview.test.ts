/** How large the answer gets. */
import { expect } from 'chai';
import { type Attention, attentionOf } from '../../src/admin/attention.ts';
import type { Operation } from '../../src/admin/operations.ts';
import type { Overview, OverviewSink } from '../../src/admin/overview.ts';
import { OVERVIEW_ROUTES } from '../../src/api/overview.ts';
import type { ApiDeps, Asking } from '../../src/api/route.ts';

const at = new Date('2026-11-22T08:00:00.123Z');
const idOf = (no: number): string => `8f0c1c4e-6a36-4b5e-9f6e-${String(no).padStart(12, '0')}`;
const hour = { persisted: Array(60).fill(123_456), delivered: Array(60).fill(1) };
const rate = { persisted: 2057.6, delivered: 1646.08, failed: 12.25 };

const sink = (no: number): OverviewSink => ({
  ...{
    id: idOf(no),
    name: `products-of-shop-${no}`,
    kind: 'search_index',
    database: 'shop',
    status: 'active',
    status_reason: null,
    lanes: 4,
  },
  ...{ health: 'index_missing', level: 'failing', reasons: ['index_missing', 'behind', 'parked', 'no_old_values'] },
  ...{ is_retention: false, into_database: null, error: 'x'.repeat(2_000), failing_since: at },
  ...{
    pending: 1_234_567,
    pending_is_estimate: true,
    retrying: 12_345,
    parked: 812,
    faulty: 12,
    oldest_seconds: 86_400.123456,
    lag_seconds: 86_400.123456,
  },
  ...{ status_since: null, parked_since: at, waiting_since: at, untaken_since: null },
  ...{ rate, hour, p50_ms: 12.3, p99_ms: 12_345.6 },
  notices: [
    {
      ...{ code: 'no_old_values', table: 'public.products', since: at.toISOString() },
      message:
        'public.products has no replica identity full: updates come without old values, deletes with the key alone',
      remedy: 'alter table "public"."products" replica identity full',
    },
    {
      ...{ code: 'truncated', table: 'public.products', since: at.toISOString() },
      ...{ message: 'public.products was truncated', remedy: 'bin/millrace verify products --repair' },
    },
  ],
});

const operation = (no: number): Operation => ({
  ...{ id: idOf(no), kind: 'rebuild', sink_name: `products-of-shop-${no}`, database_name: 'shop', table_schema: null },
  ...{
    table_name: 'public.products',
    state: 'running',
    reason: 'x'.repeat(2_000),
    remedy: 'Wait.',
    rows_done: 12_345_678,
  },
  ...{ rows_sent: 12_345_678, rows_total: 99_999_999, percent: 12, rows_per_second: 12_345.6, seconds_left: 7_100.5 },
  ...{ sort_column: null, start_position: null, created_at: at, started_at: at, updated_at: at, ended_at: null },
  ...{ phase: 'filling', result: { yaml: 'x'.repeat(5_000) }, attempt: 1, requested_by: 'user ann@example.org' },
  ...{ steps: Array(50).fill({ at: at.toISOString(), text: 'a step' }), lines: Array(50).fill('a line') },
});

const process = (no: number): Overview['processes'][number] => ({
  ...{ id: idOf(no), role: 'worker', host: `worker-${no}.example.org`, pid: 71, version: '1.0.0', key_id: '5b1f09ce' },
  ...{ started_at: at, seen_at: at, seen_seconds_ago: 1 },
});

describe('the answer of GET /api/overview', () => {
  const sinks = Array.from({ length: 100 }, (_, no) => sink(no));
  const processes = Array.from({ length: 10 }, (_, no) => process(no));
  const attention: Attention[] = attentionOf({
    ...{
      sinks,
      processes,
      databases: [],
      operations: [],
      consumers: [],
      messages: [],
      hasWorker: true,
      workerSeenAt: at,
    },
  });
  const overview: Overview = {
    ...{ at, level: 'failing', attention, databases: [], sinks, processes },
    totals: { rate, hour, p50_ms: 3, p99_ms: 17 },
    operations: Array.from({ length: 50 }, (_, no) => operation(no)),
  };
  const deps = { overview: async () => overview } as Pick<ApiDeps, 'overview'> as ApiDeps;
  const asking = { may: () => true } as Pick<Asking, 'may'> as Asking;

  it('has less than 100 KB for a hundred busy sinks that fail', async () => {
    const answer = await OVERVIEW_ROUTES[0]!.run(deps, {}, asking);
    expect(Buffer.byteLength(JSON.stringify(answer))).to.be.lessThan(100_000);
    expect(answer).to.have.property('attention_count', attention.length).greaterThan(300);
    expect(answer).to.have.property('operations_count', 50);
  });

  it('names each item of what needs attention by a key of its own', () => {
    expect(new Set(attention.map(({ key }) => key)).size).to.equal(attention.length);
    const truncated = attention.find(({ id, subject }) => id === 'truncated' && subject.name === 'products-of-shop-7');
    expect(truncated).to.deep.include({
      ...{ key: 'sink/products-of-shop-7/truncated/public.products', item: 'public.products', since: at.toISOString() },
      act: { method: 'POST', path: `/api/sinks/${idOf(7)}/verifications`, body: { repair: true } },
    });
  });

  it('looks at each of a thousand notices a few times, and not once for each other one', () => {
    let looks = 0;
    const [first] = sinks;
    const notices = Array.from({ length: 1_000 }, (_, no) => ({
      ...{ ...first!.notices[1]!, table: `public.t${no}` },
      get code() {
        looks += 1;
        return 'truncated';
      },
    }));
    const facts = { processes, databases: [], operations: [], consumers: [], messages: [], hasWorker: true };
    const found = attentionOf({ ...facts, sinks: [{ ...first!, notices }], workerSeenAt: at });
    expect(found.filter(({ id, since }) => id === 'truncated' && since !== null)).to.have.lengthOf(1_000);
    expect(looks).to.be.below(20 * 1_000);
  });

  it('leaves out what is only good to know: else nothing would ever be well', () => {
    expect(attention.map(({ id }) => id)).to.not.include('no_old_values');
  });
});
