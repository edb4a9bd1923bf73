/** Captures of a catalog: what they write to the log. */
import { expect } from 'chai';
import { openCaptures } from '../../src/capture/service.ts';
import { createLog } from '../../src/runtime/log.ts';
import { type Captured, captured, PULL, sinkSettings } from '../support/fixtures/captured.ts';
import { catalogued } from '../support/fixtures/catalogued.ts';
import { until } from '../support/until.ts';

describe('captures', () => {
  let on: Captured;
  afterEach(() => on.close());

  it('name their database in each line', async () => {
    on = await captured('create table items (id bigint primary key)');
    await on.addSink(sinkSettings({ name: 'only', destination: PULL }));
    const { sinks, catalogGeneration, settings, address } = await catalogued(on.messages.db, on.declared);
    const lines: string[] = [];
    let reached = false;
    const captures = openCaptures({
      messages: on.messages.db,
      log: createLog({ level: 'debug', role: 'capture', write: (line) => void lines.push(line) }),
      onPersisted: () => undefined,
      load: async () => ({
        generation: catalogGeneration,
        databases: [
          {
            no: on.databaseNo,
            id: 'id',
            settings,
            // Port 9: nothing listens there.
            address: () => (reached ? address : { ...address, port: 9 }),
            reach: { allowed: 'declared' as const },
          },
        ],
        sinks: sinks.map((sink) => ({
          ...sink,
          id: sink.name,
          databaseNo: on.databaseNo,
          status: 'active' as const,
          secret: () => null,
          reach: { allowed: 'declared' as const },
        })),
        functions: [],
      }),
    });
    const stop = new AbortController();
    const running = captures.run(stop.signal);
    await until('it is interrupted', () => lines.some((line) => line.includes('capture interrupted')));
    reached = true;
    await until('it streams', () => lines.some((line) => line.includes('"streaming"')));
    stop.abort();
    await running;
    for (const line of lines) expect(JSON.parse(line), line).to.include({ database: 'shop' });
    expect(lines.join('')).to.not.include('_no"');
  });
});
