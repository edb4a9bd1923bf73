/** Who speaks last of a table that is loaded anew while the catalog changes. */
import { expect } from 'chai';
import type { Database } from '../../src/db/pool.ts';
import type { SinkNotice } from '../../src/notices/notice.ts';
import { SaidNotices } from '../../src/routing/said-notices.ts';

const notice = (code: string): SinkNotice => ({
  ...{ sinkNo: 1, code, table: 'public.items', message: 'm', remedy: null },
});

describe('notices about the columns of tables', () => {
  const table = (load: number) => ({ oid: 7, schema: 'public', name: 'items', load });
  let written: string[][];
  let answers: (() => Promise<void>)[];
  let db: { messages: Database; databaseNo: number };
  let said: SaidNotices;
  beforeEach(() => {
    written = [];
    answers = [];
    const query = async (_: unknown, values: unknown[]) => {
      const codes = (JSON.parse(String(values.at(-1))) as { code: string }[]).map(({ code }) => code);
      await answers.shift()?.();
      written.push(codes);
      return { rows: [] };
    };
    db = { messages: { query } as unknown as Database, databaseNo: 1 };
    said = new SaidNotices();
  });
  const loaded = (load: number, ...codes: string[]) =>
    said.say(db, table(load), { notices: () => codes.map(notice), isNoted: false });
  const again = loaded;

  it('what an older load makes of a new catalog does not replace what a newer one found', async () => {
    const first = said.begin();
    await loaded(first);
    await loaded(said.begin(), 'no_primary_key');
    await again(first);
    expect(written).to.deep.equal([['no_primary_key']]);
  });

  it('one that is being written is replaced by a newer one, which finds nothing to say', async () => {
    const first = said.begin();
    await loaded(first);
    const asked = Promise.withResolvers<void>();
    const answered = Promise.withResolvers<void>();
    answers.push(() => {
      asked.resolve();
      return answered.promise;
    });
    const writing = again(first, 'filter_fault');
    await asked.promise;
    const newer = loaded(said.begin());
    answered.resolve();
    await Promise.all([writing, newer]);
    expect(written).to.deep.equal([['filter_fault'], []]);
  });

  it('what met another change of the catalog is said the next time, and nothing twice', async () => {
    const load = said.begin();
    answers.push(() => Promise.reject(Object.assign(new Error('a deadlock'), { code: '40P01' })));
    await loaded(load, 'no_old_values');
    expect(written).to.deep.equal([]);
    await again(load, 'no_old_values');
    await again(load, 'no_old_values');
    expect(written).to.deep.equal([['no_old_values']]);
  });

  it('a load beside the stream does not keep that from speaking', async () => {
    const load = said.begin();
    await loaded(load);
    await loaded(0, 'no_old_values');
    await again(load, 'filter_fault');
    expect(written).to.deep.equal([['no_old_values'], ['filter_fault']]);
  });
});
