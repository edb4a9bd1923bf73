/** A capture that is told to stop while it only begins: it ends at once, and has taken nothing over. */
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { captureDatabase } from '../../src/capture/capture.ts';
import { createLog } from '../../src/runtime/log.ts';
import { type Captured, captured, PULL, sinkSettings } from '../support/captured.ts';
import { catalogued } from '../support/catalogued.ts';

describe('a capture that is stopped', function () {
  this.timeout(30_000);
  let on: Captured;
  afterEach(() => on.close());

  it('ends at once, at whatever moment of its beginning', async () => {
    on = await captured('create table items (id bigint primary key)');
    await on.addSink(sinkSettings({ name: 'only', destination: PULL }));
    for (const ms of [0, 1, 5, 10, 20, 40, 60, 80, 100, 150, 200, 300]) {
      const stop = new AbortController();
      const running = captureDatabase(
        {
          messages: on.messages.db,
          log: createLog({ level: 'silent', role: 'test' }),
          current: () => catalogued(on.messages.db, on.declared),
          onPersisted: () => undefined,
        },
        on.databaseNo,
        stop.signal,
      );
      await Promise.race([running, sleep(ms)]);
      stop.abort();
      const how = await Promise.race([running.then(() => 'ended'), sleep(10_000, 'hangs', { ref: false })]);
      expect(how, `stopped after ${ms} ms`).to.equal('ended');
    }
  });
});
