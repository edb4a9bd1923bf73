/** What a rebuild makes of a sink, what it refuses, and what it tells at the end. */
import { expect } from 'chai';
import { planRebuild } from '../../src/admin/plan-rebuild.ts';
import { switchOver } from '../../src/admin/switch-over.ts';
import type { Catalog } from '../../src/catalog/store.ts';
import { MillraceError } from '../../src/model/errors.ts';
import type { SearchDestination } from '../../src/sinks/search-index/section.ts';
import { PULL, SEARCH, sinkSettings } from '../support/fixtures/captured.ts';
import { kindOf } from '../support/fixtures/sinks.ts';

const sink = (name: string, changes: Partial<Parameters<typeof sinkSettings>[0]> = {}): Catalog['sinks'][number] => {
  const settings = sinkSettings({ destination: SEARCH, ...changes, name });
  const { type: kind, traits, index } = kindOf(settings.destination);
  const places = { traits, index: index?.place(settings.destination) };
  const open = { secret: () => 'hush', lanes: 2, reach: { allowed: true } };
  return { id: name, no: 1, name, kind, status: 'active', databaseNo: 1, settings, ...places, ...open };
};
const fn = (name: string, type: 'transform' | 'filter'): Catalog['functions'][number] => ({
  ...{ name, type, sink_type: null, code: '() => ({})', path: null },
});
const catalog = (...sinks: Catalog['sinks']): Catalog => ({
  ...{ generation: 1, databases: [] },
  functions: [fn('document', 'transform'), fn('open', 'filter')],
  sinks: [sink('products'), sink('worker', { destination: PULL }), ...sinks],
});
const index = (name: string): SearchDestination => ({ ...SEARCH, index_name: name });

describe('a rebuild', () => {
  it('is the same sink with another index, another transform and a full backfill', () => {
    const { settings, exists } = planRebuild(catalog(), {
      sink: 'products',
      index: 'products-2',
      transform: 'document',
    });
    expect(exists).to.equal(false);
    expect(settings).to.deep.equal({
      ...sinkSettings({ name: 'products-products-2', destination: index('products-2') }),
      transform: 'document',
      initial_backfill: true,
    });
    const kept = planRebuild(catalog(sink('old', { transform: 'document' })), { sink: 'old', index: 'n', name: 'new' });
    expect(kept.settings).to.include({ name: 'new', transform: 'document' });
    expect(planRebuild(catalog(), { sink: 'products', index: 'n', transform: 'none' }).settings.transform).to.equal(
      null,
    );
  });

  it('is known again', () => {
    const made = sink('products-n', { destination: index('n') });
    expect(planRebuild(catalog(made), { sink: 'products', index: 'n' }).exists).to.equal(true);
  });

  it('refuses what cannot be, with what can', () => {
    const refused = (request: Parameters<typeof planRebuild>[1], on = catalog()): string => {
      try {
        planRebuild(on, request);
      } catch (error) {
        expect(error).to.be.instanceOf(MillraceError);
        return `${(error as MillraceError).message}; ${(error as MillraceError).remedy}`;
      }
      throw new Error('it was not refused');
    };
    expect(refused({ sink: 'product', index: 'n' })).to.equal(
      'there is no sink product; Did you mean products? There are: products.',
    );
    expect(refused({ sink: 'worker', index: 'n' })).to.include('is a pull consumer: only a search index is rebuilt');
    expect(refused({ sink: 'products', index: 'products' })).to.include('is the index of products already');
    expect(refused({ sink: 'products', index: 'n', transform: 'documents' })).to.include('Did you mean document?');
    expect(refused({ sink: 'products', index: 'n', transform: 'open' })).to.include('is of type filter');
    expect(refused({ sink: 'products', index: 'n+1' })).to.include('--name');
    const routed = catalog(sink('routed', { routing: 'by-kind' }));
    expect(refused({ sink: 'routed', index: 'n' }, routed)).to.include('routes with by-kind');
    const taken = catalog(sink('products-n', { destination: index('m') }));
    expect(refused({ sink: 'products', index: 'n' }, taken)).to.include('bin/millrace sink remove products-n');
    expect(refused({ sink: 'products', index: 'm' }, taken)).to.include('sink products-n writes into m');
  });

  it('tells how to switch over, without the credential', () => {
    const plan = planRebuild(catalog(), { sink: 'products', index: 'products-2' });
    const { text } = switchOver({ plan, alias: undefined, hasSecret: true });
    expect(text)
      .to.include('ALIAS')
      .and.include('bin/millrace sink remove products\n')
      .and.include('name: products-products-2');
    expect(text).to.not.include('hush');
  });

  it('has the old sink removed first where readers use the very name that it writes to', () => {
    const plan = planRebuild(catalog(), { sink: 'products', index: 'products-2' });
    const { text, aliasCall } = switchOver({ plan, alias: 'products', hasSecret: false });
    // An alias is in the way of nothing; one that is no index cannot be named as one.
    expect(aliasCall).to.include(
      '{"actions":[{"remove":{"index":"*","alias":"products"}},{"add":{"index":"products-2","alias":"products"}}]}',
    );
    expect(text.indexOf('bin/millrace sink remove products\n')).to.be.within(0, text.indexOf(aliasCall));
    expect(text).to.include('"remove_index":{"index":"products"}');
  });
});
