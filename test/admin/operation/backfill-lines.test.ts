/** What a person sees of backfills under way. */
import { expect } from 'chai';
import { backfillLines, endLines } from '../../../src/admin/operation/backfill-lines.ts';
import { endOf, type WatchedBackfill } from '../../../src/admin/watched.ts';

const row = (changes: Partial<WatchedBackfill> = {}): WatchedBackfill => ({
  id: '11111111-2222-3333-4444-555555555555',
  sink_name: 'index',
  kind: 'table',
  table_schema: 'public',
  table_name: 'orders',
  state: 'running',
  reason: null,
  remedy: null,
  rows_done: 50,
  rows_sent: 50,
  rows_total: 100,
  rows_per_second: 10,
  seconds_left: 5,
  started_at: new Date(0),
  still_seconds: 0,
  database_name: 'shop',
  capture_state: 'streaming',
  capture_reason: null,
  capture_remedy: null,
  ...changes,
});
const waiting = (changes: Partial<WatchedBackfill> = {}): WatchedBackfill =>
  row({
    state: 'waiting',
    started_at: null,
    rows_done: 0,
    rows_total: null,
    rows_per_second: null,
    seconds_left: null,
    ...changes,
  });

describe('watching backfills', () => {
  it('shows rows, percent, rate and time left', () => {
    expect(backfillLines({ rows: [row()], stillMs: 0 })).to.deep.equal([
      'public.orders  [############............]  50 %  50 of 100 rows, 10 rows/s, 5 s left',
    ]);
  });

  it('says what one waits for', () => {
    expect(
      backfillLines({ rows: [row({ reason: '10000 messages wait', remedy: 'Take them.' })], stillMs: 60_000 })[0],
    ).to.match(/waiting: 10000 messages wait; Take them\.$/);
    expect(backfillLines({ rows: [waiting({ reason: 'no way' })], stillMs: 0 })).to.deep.equal([
      'public.orders  waiting: no way',
    ]);
    expect(backfillLines({ rows: [row({ state: 'paused' })], stillMs: 60_000 })).to.have.lengthOf(1);
  });

  it('counts the tables, and shows those that are under way', () => {
    const rows = [
      row({ kind: 'all', table_name: null, state: 'done' }),
      row({ state: 'done', rows_done: 100 }),
      row({ table_name: 'lines' }),
      waiting({ table_name: 'notes' }),
    ];
    const lines = backfillLines({ rows: rows, stillMs: 0 });
    expect(lines).to.have.lengthOf(2);
    expect(lines[0]).to.match(/^public\.lines {2}\[/);
    expect(lines[1]).to.equal('1 of 3 tables ended, 150 rows read');
  });

  it('asks whether anybody works on them, with the state of the database, when nothing happens', () => {
    expect(backfillLines({ rows: [waiting()], stillMs: 4_000 })).to.deep.equal(['public.orders  waiting']);
    const error = { capture_state: 'error', capture_reason: 'no route to host', capture_remedy: 'Check it.' };
    expect(backfillLines({ rows: [waiting(error)], stillMs: 6_000 }).at(-1)).to.equal(
      'waiting: is `bin/millrace start` (or the capture process) running? database shop: error: no route to host; Check it.',
    );
    expect(backfillLines({ rows: [waiting({ capture_state: null })], stillMs: 6_000 }).at(-1)).to.match(
      /database shop: never captured$/,
    );
    expect(backfillLines({ rows: [row()], stillMs: 6_000 })).to.have.lengthOf(1);
    expect(backfillLines({ rows: [row()], stillMs: 16_000 })).to.have.lengthOf(2);
  });
});

describe('the end of a watch', () => {
  const told = (rows: WatchedBackfill[]): { ended: string; said: string[] } => {
    const ended = endOf(rows);
    return { ended, said: endLines({ ended, rows }) };
  };
  const all = row({ kind: 'all', table_name: null, state: 'done', reason: 'one backfill per table, 1 in all' });

  it('is done when all are done', () => {
    expect(told([all, row({ state: 'done', rows_done: 1_000, rows_sent: 900 })])).to.deep.equal({
      ended: 'done',
      said: ['done: 1,000 rows read, 900 sent'],
    });
  });

  it('says which tables were left out', () => {
    const reason = 'one backfill per table, 1 in all; without a primary key, and left out: public.log';
    expect(told([{ ...all, reason }, row({ state: 'done' })]).said[0]).to.equal(reason);
  });

  it('is a failure when there was no table at all', () => {
    const { ended, said } = told([all]);
    expect(ended).to.equal('failed');
    expect(said).to.deep.equal([
      'The sink has no table that is in the publication and has a primary key: no row was sent.',
    ]);
  });

  it('is a failure when one failed or was cancelled, with the remedy', () => {
    const failed = row({ state: 'failed', reason: 'no key', remedy: 'Add one.' });
    expect(told([failed, row({ table_name: 'b', state: 'cancelled' })])).to.deep.equal({
      ended: 'failed',
      said: [
        'public.orders failed: no key',
        '  Add one.',
        `  Then continue where it stopped: bin/millrace backfills resume ${failed.id}`,
        'public.b cancelled',
        '100 rows read, 100 sent',
      ],
    });
  });
});
