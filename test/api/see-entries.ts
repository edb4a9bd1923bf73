/** Entries of the change retention `history`, in the order of their seq, in pages and by every filter. */
import { expect } from 'chai';
import type { ChangeRow } from '../support/fixtures/change-rows.ts';
import type { TestWeb } from '../support/processes/web.ts';

interface Entry {
  id: number;
  seq: number;
  record_pk: string;
  action: string;
  committed_at: string;
}

export async function seeEntries(web: TestWeb, entries: readonly ChangeRow[]): Promise<void> {
  const at = '/api/change_retentions/history/entries';
  const get = async (query: string, token = 'data-token') => await web.call('GET', `${at}?${query}`, { token });
  const read = async (query: string): Promise<Entry[]> => {
    const { status, json, text } = await get(query);
    expect(status, text).to.equal(200);
    return json.data;
  };
  const all = await read('limit=500');
  expect(all.map(({ action }) => action)).to.deep.equal(entries.map(({ action }) => action));
  expect(all.map(({ seq }) => seq)).to.deep.equal(all.map(({ seq }) => seq).toSorted((one, other) => one - other));
  // No digit of a row is lost.
  expect((await get('limit=1')).text).to.contain('9007199254740993.10');

  const paged: Entry[] = [];
  for (let cursor = ''; ; ) {
    const { json } = await get(`limit=7${cursor}`);
    paged.push(...json.data);
    if (json.next_cursor === null) break;
    cursor = `&cursor=${json.next_cursor}`;
  }
  expect(paged.map(({ id }) => id)).to.deep.equal(all.map(({ id }) => id));
  expect((await read('order=newest&limit=3')).map(({ id }) => id)).to.deep.equal(
    all
      .slice(-3)
      .toReversed()
      .map(({ id }) => id),
  );

  const middle = all[5]!;
  const same = (found: Entry[], fits: (entry: Entry) => boolean): void => {
    expect(found.map(({ id }) => id)).to.deep.equal(all.filter(fits).map(({ id }) => id));
  };
  same(await read('action=delete'), ({ action }) => action === 'delete');
  const key = middle.record_pk;
  same(await read(`record_pk=${encodeURIComponent(key)}`), ({ record_pk }) => record_pk === key);
  same(
    await read(`from_seq=${middle.seq}&to_seq=${all[9]!.seq}`),
    ({ seq }) => seq >= middle.seq && seq <= all[9]!.seq,
  );
  const time = all.at(-1)!.committed_at;
  same(await read(`since=${encodeURIComponent(time)}`), ({ committed_at }) => committed_at >= time);
  same(await read(`until=${encodeURIComponent(time)}`), ({ committed_at }) => committed_at < time);

  const wrong = await get('action=read&from_seq=x&since=soon&order=up&cursor=1&record_key=2');
  expect(wrong.status).to.equal(400);
  expect(Object.keys(wrong.json.validation_errors).toSorted()).to.include.members([
    ...['action', 'from_seq', 'order', 'record_key', 'since'],
  ]);
  expect((await get('limit=1', 'read-token')).status).to.equal(403);
}
