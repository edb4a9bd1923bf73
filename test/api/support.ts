/** What tests of management routes begin with: a message database with something of everything, and a web role on it. */
import { applyConfig } from '../../src/catalog/apply/apply.ts';
import { KEYS, parse, SHOP } from '../catalog/support.ts';
import { addShop } from '../support/fixtures/fixtures.ts';
import { type MessageDatabase, messageDatabase } from '../support/postgres/message-database.ts';
import { type TestWeb, testWeb } from '../support/processes/web.ts';

/** In every secret field: no answer may have one. */
export const CANARIES = ['a-credential-that-nobody-reads', 'hunter22'];

export const FILE = `${SHOP}  - { name: other, url: 'postgres://u:${CANARIES[1]}@h2/d', slot: { name: b }, publication: { name: b } }
functions: [{ name: document, type: transform, code: "(action, record) => record" }]
sinks:
  - { name: orders, database: shop, destination: { type: pull }, annotations: { team: billing } }
  - { name: idle, database: other, status: paused, destination: { type: sequin_stream } }
  - name: products
    database: shop
    transform: document
    destination: { type: elasticsearch, endpoint_url: 'http://h:9200', index_name: p, auth_type: api_key, auth_value: ${CANARIES[0]} }
change_retentions:
  - { name: history, source_database: shop, source_table_name: a, destination_database: shop, destination_table_name: b, retention: { by: job, keep: 30 days } }
`;

export interface Managed {
  m: MessageDatabase;
  web: TestWeb;
  noOf(sink: string): Promise<number>;
  close(): Promise<void>;
}

/** The sinks orders, idle and products, and the change retention history. */
export async function managed(): Promise<Managed> {
  await using opened = new AsyncDisposableStack();
  const m = opened.adopt(await messageDatabase(), (made) => made.drop());
  await applyConfig({ db: m.db, keys: KEYS }, parse(FILE).config);
  await addShop(m.db);
  const web = opened.adopt(await testWeb({ db: m.db }, { keepHealthMs: 0 }), (made) => made.close());
  const all = opened.move();
  return {
    m,
    web,
    async noOf(sink) {
      const { rows } = await m.db.query<{ no: number }>('select no from millrace_private.sinks where name = $1', [
        sink,
      ]);
      return rows[0]!.no;
    },
    close: () => all.disposeAsync(),
  };
}
