/** Whoever may connect to a source can put messages of any size into its stream. */
import { expect } from 'chai';
import { openStream } from '../../src/capture/replication/connection.ts';
import { decode } from '../../src/capture/replication/decode.ts';
import { openPool } from '../../src/db/pool.ts';
import { ofReplication } from '../support/postgres/capture-way.ts';
import { eachMajor, type TestDatabase } from '../support/postgres/postgres.ts';
import { until } from '../support/until.ts';

ofReplication('triggers cut them').describe("large messages of somebody's", function () {
  this.timeout(120_000);
  eachMajor((cluster) => {
    let database: TestDatabase | undefined;
    afterEach(async () => await database?.drop());

    it('come without their content, between rows that come whole', async () => {
      database = await cluster().createDatabase();
      const options = { address: database.url, max: 1, applicationName: 'test', path: 'role' as const };
      const db = openPool(options);
      await db.query('create table t (v text); create publication p for table t');
      await db.query("select pg_create_logical_replication_slot('large', 'pgoutput')");
      const told: string[] = [];
      let most = 0;
      const stream = openStream(
        {
          onKeepAlive: () => undefined,
          onMessage(bytes) {
            const message = decode(bytes);
            if (message.tag !== 'message' && message.tag !== 'insert') return;
            told.push(`${message.tag} ${message.tag === 'message' ? message.prefix : bytes.length}`);
            if (message.tag === 'message') most = Math.max(most, bytes.length);
          },
        },
        { source: options, slot: 'large', publication: 'p', raw: false },
      );
      await stream.started;
      for (const sql of [
        "insert into t values (repeat('x', 1000000))",
        "select pg_logical_emit_message(true, 'kept', repeat('x', 1000))",
        "select pg_logical_emit_message(true, 'large', repeat('x', 20000000))",
        "insert into t values (repeat('y', 1000000))",
        "select pg_logical_emit_message(false, 'large', repeat('x', 20000000))",
        "select pg_logical_emit_message(true, 'last', '')",
      ])
        await db.query(`set synchronous_commit = on; ${sql}`);
      await until('the last one came', async () => told.includes('message last'));
      await stream.close();
      await db.close();
      expect(told.map((line) => line.replace(/^insert 10000\d\d$/, 'insert whole'))).to.deep.equal([
        ...['insert whole', 'message kept', 'message ', 'insert whole', 'message ', 'message last'],
      ]);
      expect(most).to.be.within(1_000, 1_100);
    });
  });
});
