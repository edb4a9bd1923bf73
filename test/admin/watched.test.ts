/** What a person sees of backfills under way. */
import { expect } from 'chai';
import { parseFrom } from '../../src/admin/start-backfill.ts';
import { linesOf, type WatchedBackfill, watchRows } from '../../src/admin/watched.ts';

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
    expect(linesOf([row()], 0)).to.deep.equal([
      'public.orders  [############............]  50 %  50 of 100 rows, 10 rows/s, 5 s left',
    ]);
  });

  it('says what one waits for', () => {
    expect(linesOf([row({ reason: '10000 messages wait', remedy: 'Take them.' })], 60_000)[0]).to.match(
      /waiting: 10000 messages wait; Take them\.$/,
    );
    expect(linesOf([waiting({ reason: 'no way' })], 0)).to.deep.equal(['public.orders  waiting: no way']);
    expect(linesOf([row({ state: 'paused' })], 60_000)).to.have.lengthOf(1);
  });

  it('counts the tables, and shows those that are under way', () => {
    const rows = [
      row({ kind: 'all', table_name: null, state: 'done' }),
      row({ state: 'done', rows_done: 100 }),
      row({ table_name: 'lines' }),
      waiting({ table_name: 'notes' }),
    ];
    const lines = linesOf(rows, 0);
    expect(lines).to.have.lengthOf(2);
    expect(lines[0]).to.match(/^public\.lines {2}\[/);
    expect(lines[1]).to.equal('1 of 3 tables ended, 150 rows read');
  });

  it('asks whether anybody works on them, with the state of the database, when nothing happens', () => {
    expect(linesOf([waiting()], 4_000)).to.deep.equal(['public.orders  waiting']);
    const error = { capture_state: 'error', capture_reason: 'no route to host', capture_remedy: 'Check it.' };
    expect(linesOf([waiting(error)], 6_000).at(-1)).to.equal(
      'waiting: is `bin/millrace start` (or the capture process) running? database shop: error: no route to host; Check it.',
    );
    expect(linesOf([waiting({ capture_state: null })], 6_000).at(-1)).to.match(/database shop: never captured$/);
    expect(linesOf([row()], 6_000)).to.have.lengthOf(1);
    expect(linesOf([row()], 16_000)).to.have.lengthOf(2);
  });
});

describe('the end of a watch', () => {
  const watched = async (rows: WatchedBackfill[]): Promise<{ ended: string; said: string[] }> => {
    const said: string[] = [];
    const screen = { show: () => undefined, say: (line: string) => void said.push(line), end: () => undefined };
    const ended = await watchRows(
      async () => rows,
      { screen, now: () => 0, sleep: async () => undefined },
      new AbortController().signal,
    );
    return { ended, said };
  };
  const all = row({ kind: 'all', table_name: null, state: 'done', reason: 'one backfill for each of 1 tables' });

  it('is done when all are done', async () => {
    expect(await watched([all, row({ state: 'done', rows_done: 1_000, rows_sent: 900 })])).to.deep.equal({
      ended: 'done',
      said: ['done: 1,000 rows read, 900 sent'],
    });
  });

  it('says which tables were left out', async () => {
    const reason = 'one backfill for each of 1 tables; without a primary key, and left out: public.log';
    expect((await watched([{ ...all, reason }, row({ state: 'done' })])).said[0]).to.equal(reason);
  });

  it('is a failure when there was no table at all', async () => {
    const { ended, said } = await watched([all]);
    expect(ended).to.equal('failed');
    expect(said).to.deep.equal([
      'The sink has no table that is in the publication and has a primary key: no row was sent.',
    ]);
  });

  it('is a failure when one failed or was cancelled, with the remedy', async () => {
    const failed = row({ state: 'failed', reason: 'no key', remedy: 'Add one.' });
    expect(await watched([failed, row({ table_name: 'b', state: 'cancelled' })])).to.deep.equal({
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

describe('--from', () => {
  it('is a column and a value, which may hold anything', () => {
    expect(parseFrom('updated_at=2026-01-31')).to.deep.equal({ column: 'updated_at', value: '2026-01-31' });
    expect(parseFrom('a b=c=d')).to.deep.equal({ column: 'a b', value: 'c=d' });
    for (const wrong of ['', '=', 'id', 'id=', '=3']) expect(() => parseFrom(wrong), wrong).to.throw('COLUMN=VALUE');
  });
});
