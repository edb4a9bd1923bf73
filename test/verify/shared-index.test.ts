import { expect } from 'chai';
import type { CatalogSink } from '../../src/catalog/store.ts';
import type { SinkSettings } from '../../src/model/declared.ts';
import { sharers } from '../../src/verify/shared-index.ts';
import { PULL, SEARCH, sinkSettings } from '../support/fixtures/captured.ts';
import { kindOf } from '../support/fixtures/sinks.ts';

let made = 0;
function sink(
  name: string,
  changes: Partial<SinkSettings> = {},
  index = 'products',
  url = 'http://e:9200',
): CatalogSink {
  made += 1;
  const destination = { ...SEARCH, index_name: index, endpoint_url: url };
  const settings = sinkSettings({ name, destination, ...changes });
  const shared = {
    id: name,
    name,
    kind: 'search_index',
    status: 'active',
    databaseNo: 1,
    secret: () => null,
    lanes: 2,
    reach: { allowed: true },
  } as const;
  const kind = kindOf(settings.destination);
  return { ...shared, traits: kind.traits, no: made, settings, index: kind.index?.place(settings.destination) };
}

describe('verify/shared-index', () => {
  const own = sink('own');
  const among = (...others: CatalogSink[]): string[] => sharers({ sinks: [own, ...others] }, own);

  it('finds who writes into the same index, however its address is written, and whatever its status', () => {
    expect(among(sink('same'), sink('slash', {}, 'products', 'http://E:9200/'))).to.deep.equal(['same', 'slash']);
    expect(among(sink('off', { status: 'disabled' }))).to.deep.equal(['off']);
  });

  it('takes a routing function for one that may', () => {
    expect(among(sink('routed', { routing: 'f' }, 'other'))).to.deep.equal(['routed']);
    const routed = sink('mine', { routing: 'f' }, 'orders');
    expect(sharers({ sinks: [own, routed] }, routed)).to.deep.equal(['own']);
  });

  it('passes over others', () => {
    const elsewhere = sink('elsewhere', {}, 'products', 'http://f:9200');
    expect(among(elsewhere, sink('other', {}, 'orders'), sink('pull', { destination: PULL }))).to.deep.equal([]);
  });
});
