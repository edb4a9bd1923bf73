/** A capture that is told to stop while it only begins: it ends at once, and has taken nothing over. */
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { captureDatabase } from '../../src/capture/database.ts';
import { openStream } from '../../src/capture/replication/connection.ts';
import { createLog } from '../../src/runtime/log.ts';
import { type Captured, captured, PULL, sinkSettings } from '../support/fixtures/captured.ts';
import { catalogued } from '../support/fixtures/catalogued.ts';

describe('a capture that is stopped', function () {
  this.timeout(120_000);
  let on: Captured | undefined;
  afterEach(async () => {
    await on?.close();
    on = undefined;
  });

  it('ends at once, at whatever moment of its beginning', async () => {
    const source = await captured('create table items (id bigint primary key)');
    on = source;
    await source.addSink(sinkSettings({ name: 'only', destination: PULL }));
    for (const ms of [0, 1, 5, 10, 20, 40, 60, 80, 100, 150, 200, 300]) {
      const stop = new AbortController();
      const running = captureDatabase(
        {
          messages: source.messages.db,
          log: createLog({ level: 'silent', role: 'test' }),
          current: () => catalogued(source.messages.db, source.declared),
          onPersisted: () => undefined,
        },
        source.databaseNo,
        stop.signal,
      );
      await Promise.race([running, sleep(ms)]);
      stop.abort();
      const how = await Promise.race([running.then(() => 'ended'), sleep(10_000, 'hangs', { ref: false })]);
      expect(how, `stopped after ${ms} ms`).to.equal('ended');
    }
  });

  it('by its source says so where something beside it does not end, and goes on once that has', async () => {
    const { promise, resolve: letGo } = Promise.withResolvers<void>();
    on = await captured('create table items (id bigint primary key)', {
      beside: () => promise,
      timing: { lateMs: 50, recheckMs: 50 },
    });
    const sink = await on.addSink(sinkSettings({ name: 'only', destination: PULL }));
    on.start();
    await on.streaming();
    await on.source.query(
      `select pg_terminate_backend(pid) from pg_stat_activity where application_name like 'millrace capture%'`,
    );
    const told = await on.becomes('error').finally(letGo);
    expect(told.reason).to.contain('cannot let go');
    expect(told.remedy).to.contain('Restart the capture process');
    await on.source.query('insert into items values (1)');
    expect(await on.received(sink, 1)).to.have.length(1);
    await on.streaming();
  });

  it('ends while its stream only connects', async () => {
    const silent = createServer();
    silent.listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const { port } = silent.address() as AddressInfo;
    const address = { host: '127.0.0.1', port, database: 'shop', user: 'app', password: 'secret' };
    const stream = openStream(
      { onMessage: () => undefined, onKeepAlive: () => undefined },
      { source: { address, max: 1, applicationName: 'test' }, slot: 'slot', publication: 'pub', raw: false },
    );
    try {
      await once(silent, 'connection');
      void stream.close();
      await stream.started;
      await stream.ended;
    } finally {
      silent.close();
    }
    // pg's own deadline is ten seconds.
  }).timeout(5_000);
});
