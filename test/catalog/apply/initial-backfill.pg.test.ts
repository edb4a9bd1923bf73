import { expect } from 'chai';
import { applyConfig } from '../../../src/catalog/apply/apply.ts';
import type { ApplySummary } from '../../../src/catalog/apply/summary.ts';
import type { Declared } from '../../../src/catalog/declare/declaration.ts';
import { MillraceError } from '../../../src/model/errors.ts';
import { type MessageDatabase, messageDatabase } from '../../support/postgres/message-database.ts';
import { KEYS, parse, SHOP } from '../support.ts';

const FILE = `${SHOP}sinks:
  - name: index
    database: shop
    destination: { type: elasticsearch, endpoint_url: "http://h", index_name: i, auth_value: bXlrZXk6c2VjcmV0 }
`;

describe('applying an initial_backfill', () => {
  let messages: MessageDatabase;
  const apply = (config: Declared | string): Promise<ApplySummary> =>
    applyConfig({ db: messages.db, keys: KEYS }, typeof config === 'string' ? parse(config).config : config);
  const rows = async (sql: string): Promise<Record<string, unknown>[]> => (await messages.db.query(sql)).rows;

  beforeEach(async () => {
    messages = await messageDatabase();
  });
  afterEach(async () => await messages.drop());

  const withBackfill = (value: string): string =>
    FILE.replace('name: index\n', `name: index\n    initial_backfill: ${value}\n`);
  const backfills = (): Promise<Record<string, unknown>[]> =>
    rows(`select b.sink_name, b.kind, b.table_schema, b.table_name, b.sort_column, b.start_position, b.state
            from millrace.backfill_status b order by b.created_at`);

  it('starts with the sink, once', async () => {
    await apply(withBackfill('true'));
    const started = [{ sink_name: 'index', kind: 'all', table_schema: null, table_name: null, state: 'waiting' }].map(
      (row) => ({ ...row, sort_column: null, start_position: null }),
    );
    expect(await backfills()).to.deep.equal(started);
    const again = await apply(withBackfill('true'));
    expect(again).to.deep.include({ created: [], changed: [], notes: [] });
    expect(await backfills()).to.deep.equal(started);
  });

  it('takes tables by their exact names, and where a partial one begins', async () => {
    await apply(
      withBackfill(
        '[{ table: Orders }, { table: "my sales.no\'tes", type: partial, sort_column: "up at", start_position: "it\'s" }]',
      ),
    );
    const row = { sink_name: 'index', kind: 'table', state: 'waiting' };
    expect(await backfills()).to.deep.equal([
      { ...row, table_schema: 'public', table_name: 'Orders', sort_column: null, start_position: null },
      { ...row, table_schema: 'my sales', table_name: "no'tes", sort_column: 'up at', start_position: "it's" },
    ]);
  });

  it('starts nothing for a sink that is there, and says how to', async () => {
    await apply(FILE);
    const later = await apply(withBackfill('true'));
    expect(later.changed).to.deep.equal(['sink index']);
    expect(later.notes).to.have.lengthOf(1);
    expect(later.notes[0]).to.contain('sink index is there already').and.contain('`bin/millrace backfill index`');
    expect(await backfills()).to.deep.equal([]);
    // Said once: what is stored is as declared now.
    expect(await apply(withBackfill('true'))).to.deep.include({ changed: [], notes: [] });
    expect(await apply(FILE)).to.deep.include({ changed: ['sink index'], notes: [] });
  });

  it('is not there without its sink', async () => {
    const config = parse(withBackfill('true')).config;
    config.sinks.at(-1)!.settings.filter = 'gone';
    const refused = await apply(config).catch((error: unknown) => error);
    expect(refused).to.be.instanceOf(MillraceError);
    expect(await backfills()).to.deep.equal([]);
  });
});
