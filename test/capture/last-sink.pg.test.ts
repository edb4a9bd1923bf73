/** A database from which no sink reads any more: its capture ends and lets go of the slot, so that somebody can drop it. */
import { expect } from 'chai';
import { captureDatabase } from '../../src/capture/database.ts';
import { createLog } from '../../src/runtime/log.ts';
import { type Captured, captured, PULL, sinkSettings } from '../support/fixtures/captured.ts';
import { catalogued } from '../support/fixtures/catalogued.ts';
import { removeSink } from '../support/fixtures/remove-sink.ts';
import { readerPid } from '../support/postgres/capture-way.ts';
import { until } from '../support/until.ts';

describe('capture without a sink', function () {
  this.timeout(120_000);
  let on: Captured;
  afterEach(() => on.close());

  it('ends, though the source is quiet', async () => {
    on = await captured('create table items (id bigint primary key)');
    await on.addSink(sinkSettings({ name: 'only', destination: PULL }));
    let ended = false;
    const stop = new AbortController();
    const running = captureDatabase(
      {
        messages: on.messages.db,
        log: createLog({ level: 'silent', role: 'test' }),
        current: async () => {
          const database = await catalogued(on.messages.db, on.declared);
          return database.sinks.length === 0 ? undefined : database;
        },
        onPersisted: () => undefined,
        checkMs: 300,
      },
      on.databaseNo,
      stop.signal,
    ).finally(() => {
      ended = true;
    });
    try {
      await on.streaming();
      await removeSink(on.messages.db, 'only');
      await until('it ends by itself', () => ended);
      expect(await readerPid(on.source, on.slot)).to.equal(null);
    } finally {
      stop.abort();
      await running;
    }
  });
});
