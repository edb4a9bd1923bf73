/** A resync ends when changes are missed again while it waits: what it has asked for makes good the former gap alone. */
import { expect } from 'chai';
import { type ResyncDeps, type ResyncStep, resync } from '../../src/admin/resync.ts';
import type { Database } from '../../src/db/pool.ts';
import { refusal } from '../support/fixtures/verification.ts';

const SINK = { no: 1, name: 'index', receivable: false, takes_rows: true, readable: true };
const MINUTE_MS = 60_000;

/** A database that answers with what it is in at each moment; time passes with each look alone. */
function world(stateAt: (ms: number) => string): { deps: ResyncDeps; steps: ResyncStep[]; signal: AbortSignal } {
  let ms = 0;
  const over = new AbortController();
  const steps: ResyncStep[] = [];
  const rowsOf = (name: string): object[] => {
    const state = stateAt(ms);
    const reason = state === 'needs_resync' ? 'replication slot shop is gone' : null;
    if (name === 'admin/resync-state')
      return [{ name: 'shop', state, reason, remedy: null, sinks: [SINK], open_ids: [], is_asked: true }];
    if (name !== 'admin/watched') return [];
    const capture = { database_name: 'shop', capture_state: state, capture_reason: reason };
    return [{ id: 'all', kind: 'table', sink_name: 'index', state: 'running', rows_done: 1, ...capture }];
  };
  const db = { query: async ({ name }: { name: string }) => ({ rows: rowsOf(name) }) } as unknown as Database;
  const deps: ResyncDeps = {
    ...{ db, begin: async () => ['all'], verify: async () => true, onStep: (step) => steps.push(step), now: () => ms },
    sleep: async (more) => {
      ms += more;
      if (ms > 3 * MINUTE_MS) over.abort();
    },
  };
  return { deps, steps, signal: over.signal };
}

const REQUEST = { database: 'shop', verify: true, force: false };

describe('a resync during which changes are missed again', () => {
  const gaps: [string, (ms: number) => string][] = [
    ['before capture streams', () => 'needs_resync'],
    ['while rows are sent', (ms) => (ms < 5_000 ? 'streaming' : 'needs_resync')],
  ];
  for (const [when, stateAt] of gaps) {
    it(`${when}: ends, and says how to begin anew`, async () => {
      const { deps, signal } = world(stateAt);
      const { code, message, remedy } = await refusal(resync(deps, REQUEST, signal));
      expect({ code, message, remedy }).to.deep.equal({
        code: 'bad_source',
        message: 'changes of shop were missed again meanwhile: replication slot shop is gone',
        remedy: 'Begin another one: bin/millrace resync shop',
      });
    });
  }

  it('goes on where capture only says once more what it saw before', async () => {
    const { deps, steps, signal } = world((ms) => (ms > 5_000 && ms < 20_000 ? 'needs_resync' : 'streaming'));
    expect(await resync(deps, REQUEST, signal)).to.equal('left');
    expect(steps.at(-1)).to.include({ step: 'filled' });
  });
});
