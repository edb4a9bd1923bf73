/** A token for one consumer learns nothing about the others, also not by how long an answer takes. */
import { expect } from 'chai';
import type { Database } from '../../src/db/pool.ts';
import { addPullSink } from '../support/fixtures/fixtures.ts';
import { messageDatabase } from '../support/postgres/message-database.ts';
import { testWeb } from '../support/processes/web.ts';

describe('http: consumers of others', () => {
  it('are not looked up for a token that may not consume them, by whatever name', async () => {
    const m = await messageDatabase();
    const asked: unknown[] = [];
    const db = new Proxy(m.db, {
      get(target, key) {
        const own: unknown = Reflect.get(target, key, target);
        if (key !== 'query' || typeof own !== 'function') return own;
        return (sql: unknown, values: readonly unknown[] = []): unknown => {
          asked.push(...values);
          return own.call(target, sql, values);
        };
      },
    }) as Database;
    const web = await testWeb({ db });
    try {
      const { id } = await addPullSink(m.db, { name: 'orders' });
      await addPullSink(m.db, { name: 'others' });
      const statuses = async (token: string, names: readonly string[]): Promise<number[]> => {
        const status = async (name: string): Promise<number> =>
          (await web.call('POST', `/api/http_pull_consumers/${name}/receive`, { token, body: {} })).status;
        return await Promise.all(names.map(status));
      };
      const names = ['others', 'nobody', 'Orders', 'orders%20', 'x'.repeat(300)];
      expect(await statuses('orders-token', names)).to.deep.equal(names.map(() => 403));
      expect(await statuses('read-token', names)).to.deep.equal(names.map(() => 403));
      expect(asked.filter((value) => names.includes(String(value)))).to.deep.equal([]);
      expect(await statuses('orders-token', ['orders', id])).to.deep.equal([200, 200]);
      expect(await statuses('admin-token', ['others', 'nobody'])).to.deep.equal([200, 404]);
      expect(asked).to.include('nobody');
    } finally {
      await web.close();
      await m.drop();
    }
  });
});
