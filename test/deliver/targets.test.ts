/** When a sink's destination is opened, and when it is closed. */
import { expect } from 'chai';
import type { Catalog, CatalogSink } from '../../src/catalog/store.ts';
import { openTargets } from '../../src/deliver/targets.ts';
import { MillraceError } from '../../src/model/errors.ts';
import type { Sink } from '../../src/model/sink.ts';
import { createLog } from '../../src/runtime/log.ts';
import { SEARCH, sinkSettings } from '../support/fixtures/captured.ts';
import { traitsOf } from '../support/fixtures/sinks.ts';
import { until } from '../support/until.ts';

describe('the destinations of a worker', () => {
  let catalog: Catalog;
  let events: string[];
  const sink = (no: number, changes: Partial<CatalogSink> = {}): CatalogSink => {
    const settings = sinkSettings({ name: `sink-${no}`, destination: SEARCH });
    const entry = { id: `${no}`, no, name: `sink-${no}`, kind: 'search_index' as const, status: 'active' as const };
    const open = { traits: traitsOf('search_index'), secret: () => null, lanes: 4, reach: { allowed: true } };
    return { ...entry, databaseNo: 1, settings, ...open, ...changes };
  };
  const open = async ({ name, ...entry }: CatalogSink): Promise<Sink> => {
    const secret = entry.secret();
    events.push(`open ${name} ${secret}`);
    const close = async () => void events.push(`close ${name} ${secret}`);
    return { batchSize: 1, batchBytes: 1, close, send: async () => ({ outcomes: [] }), test: async () => undefined };
  };
  const targets = () =>
    openTargets({
      load: async () => catalog,
      open,
      log: createLog({ level: 'silent', role: 'test' }),
    });

  beforeEach(() => {
    events = [];
    catalog = { generation: 1, databases: [], functions: [], sinks: [sink(1), sink(2)] };
  });

  it('are opened once, and all closed at the end', async () => {
    const opened = targets();
    expect(await opened.get(1)).to.equal(await opened.get(1));
    await opened.get(2);
    opened.refresh();
    await opened.get(1);
    await opened.close();
    expect(events).to.deep.equal(['open sink-1 null', 'open sink-2 null', 'close sink-1 null', 'close sink-2 null']);
  });

  it('are read ahead for where one lane is alone, or lanes wait for functions', async () => {
    const shape = { name: 'shape', type: 'path' as const, sink_type: null, code: null, path: 'record' };
    const settings = sinkSettings({ name: 'sink-2', destination: SEARCH, transform: 'shape' });
    catalog = { ...catalog, functions: [shape], sinks: [sink(1), sink(2, { settings }), sink(3, { lanes: 1 })] };
    const opened = targets();
    const all = await Promise.all([1, 2, 3].map(async (no) => (await opened.get(no))?.readsAhead));
    expect(all).to.deep.equal([false, true, true]);
    await opened.close();
  });

  it('are opened anew with other settings, and closed when they are switched off', async () => {
    const opened = targets();
    await opened.get(1);
    catalog = { ...catalog, sinks: [sink(1, { secret: () => 'another' })] };
    opened.refresh();
    await opened.get(1);
    expect(events.slice(0, 3)).to.have.members(['open sink-1 null', 'close sink-1 null', 'open sink-1 another']);
    catalog = { ...catalog, sinks: [sink(1, { status: 'paused' })] };
    opened.refresh();
    expect(await opened.get(1)).to.equal(undefined);
    await until('it is closed', () => events.includes('close sink-1 another'));
    expect(events).to.have.length(4);
  });

  it('say why they cannot be opened, and are tried again with each run of a lane', async () => {
    const opened = targets();
    let remedy = 'Seal it anew.';
    const secret = (): string => {
      throw new MillraceError('bad_configuration', 'it does not open', { remedy });
    };
    catalog = { ...catalog, sinks: [sink(1, { secret }), sink(2)] };
    const refused = (await opened.get(1))!.sink;
    const circuit = { reason: 'bad_destination', error: 'it does not open. Seal it anew.' };
    expect(await refused.test(AbortSignal.timeout(1_000))).to.deep.equal(circuit);
    expect(await refused.send([], AbortSignal.timeout(1_000))).to.deep.equal({ outcomes: [], circuit });
    remedy = 'Seal it now.';
    expect((await (await opened.get(1))!.sink.test(AbortSignal.timeout(1_000)))?.error).to.include('Seal it now.');
    catalog = { ...catalog, sinks: [sink(1), sink(2)] };
    opened.refresh();
    expect(await (await opened.get(1))!.sink.test(AbortSignal.timeout(1_000))).to.equal(undefined);
    expect(events).to.deep.equal(['open sink-1 null']);
    await refused.close();
  });

  it('are closed when their sink is removed, although nobody asks for it any more', async () => {
    const opened = targets();
    await opened.get(1);
    await opened.get(2);
    catalog = { ...catalog, sinks: [sink(2)] };
    opened.refresh();
    await opened.get(2);
    await until('it is closed', () => events.includes('close sink-1 null'));
    await opened.close();
    expect(events.filter((event) => event.startsWith('close'))).to.deep.equal([
      'close sink-1 null',
      'close sink-2 null',
    ]);
  });
});
