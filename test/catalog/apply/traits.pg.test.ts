/** What SQL knows of a kind is what the kind says, also of sinks that an earlier release made. */
import { expect } from 'chai';
import { applyConfig } from '../../../src/catalog/apply/apply.ts';
import { storeTraits } from '../../../src/catalog/apply/traits.ts';
import { openSink } from '../../../src/catalog/open-sink.ts';
import { loadCatalog } from '../../../src/catalog/store.ts';
import { createLog } from '../../../src/runtime/log.ts';
import { kindOfType } from '../../../src/sinks/kinds.ts';
import { type MessageDatabase, messageDatabase } from '../../support/postgres/message-database.ts';
import { KEYS, parse, SHOP } from '../support.ts';

const DECLARED = `${SHOP}  - { name: archive, url: postgres://u:p@h/archive }
sinks:
  - { name: pulled, database: shop, destination: { type: pull } }
  - { name: index, database: shop, destination: { type: opensearch, endpoint_url: http://h, index_name: i, auth_type: none } }
change_retentions:
  - { name: history, source_database: shop, source_table_name: orders, destination_database: archive, destination_table_name: events }
`;

describe('the traits of a sink', () => {
  let on: MessageDatabase;
  const load = () => loadCatalog(on.db, KEYS);
  before(async () => {
    on = await messageDatabase();
    await applyConfig({ db: on.db, keys: KEYS }, parse(DECLARED).config);
  });
  after(() => on.drop());

  it('are stored with it, and the database that it writes into', async () => {
    const { sinks } = await load();
    expect(sinks.map(({ kind }) => kind)).to.have.members(['pull', 'search_index', 'change_table']);
    for (const { kind, traits } of sinks) expect(traits, kind).to.deep.equal(kindOfType(kind)!.traits);
    const { rows } = await on.db.query<{ sink: string; into: string | null }>(
      `select s.name as sink, d.name as into from millrace_private.sinks s
         left join millrace_private.databases d on d.id = s.destination_database_id order by 1`,
    );
    expect(rows).to.deep.equal([
      { sink: 'history', into: 'archive' },
      { sink: 'index', into: null },
      { sink: 'pulled', into: null },
    ]);
    expect(sinks.find(({ name }) => name === 'history')!.into).to.deep.equal({
      ...{ database: 'archive', schema: 'public', name: 'events' },
    });
  });

  it('become those of this release when it migrates, and only then the catalog is another one', async () => {
    const { generation } = await load();
    await storeTraits(on.db);
    expect((await load()).generation).to.equal(generation);
    await on.db.query("update millrace_private.sinks set takes_rows = false, ordering = 'group' where name = 'index'");
    await storeTraits(on.db);
    const now = await load();
    expect(now.generation).to.be.greaterThan(generation);
    expect(now.sinks.find(({ name }) => name === 'index')!.traits).to.deep.equal(kindOfType('search_index')!.traits);
  });

  it('are asked also of a kind that this release does not know: only delivering to it must wait', async () => {
    await on.db.query("update millrace_private.sinks set kind = 'carrier_pigeon' where name = 'index'");
    await storeTraits(on.db);
    const catalog = await load();
    const sink = catalog.sinks.find(({ name }) => name === 'index')!;
    expect(sink.traits).to.deep.equal(kindOfType('search_index')!.traits);
    const log = createLog({ level: 'silent', role: 'test' });
    const error = await openSink({ messages: on.db, log }, sink, catalog).then(
      () => undefined,
      (reason: unknown) => reason,
    );
    expect(error)
      .to.include({ code: 'bad_destination', remedy: 'Run the release that made it, or remove the sink.' })
      .with.property('message', 'sink index is of kind carrier_pigeon, which this release does not know');
  });
});
