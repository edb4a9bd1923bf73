/** What tests that make and edit sinks begin with: two databases, a function and a sink of a file, and an engine that the web role may reach. */
import { expect } from 'chai';
import { applyConfig } from '../../src/catalog/apply/apply.ts';
import { KEYS, parse } from '../catalog/support.ts';
import { type BulkServer, startBulkServer } from '../support/engines/bulk-server.ts';
import { type MessageDatabase, messageDatabase } from '../support/postgres/message-database.ts';
import { type Reply, type TestWeb, testWeb } from '../support/processes/web.ts';

export const CANARY = 'a-credential-that-nobody-reads';
const FILE = `databases:
  - { name: shop, url: 'postgres://u:p@h/d', slot: { name: a }, publication: { name: a } }
  - { name: other, url: 'postgres://u:p@h2/d', slot: { name: b }, publication: { name: b } }
functions: [{ name: document, type: transform, code: "(action, record) => record" }]
sinks: [{ name: filed, database: shop, destination: { type: pull } }]
`;

export interface Editing {
  m: MessageDatabase;
  web: TestWeb;
  /** Has the index `products`. */
  engine: BulkServer;
  close(): Promise<void>;
}

export async function editing(): Promise<Editing> {
  await using opened = new AsyncDisposableStack();
  const m = opened.adopt(await messageDatabase(), (made) => made.drop());
  const engine = opened.adopt(await startBulkServer({ indexes: ['products'] }), (made) => made.close());
  await applyConfig({ db: m.db, keys: KEYS }, parse(FILE).config, { from: 'start' });
  const web = opened.adopt(await testWeb({ db: m.db, privateAllowed: true }, { keepHealthMs: 0 }), (made) =>
    made.close(),
  );
  const all = opened.move();
  return { m, web, engine, close: () => all.disposeAsync() };
}

/** A search index with a secret, as it is posted. */
export const search = (engine: BulkServer, name: string, more: object = {}) => ({
  ...{ name, database: 'shop' },
  destination: {
    ...{ type: 'elasticsearch', endpoint_url: engine.url, index_name: 'products' },
    ...{ auth_type: 'bearer', auth_value: CANARY, ...more },
  },
});

/** With this status, this code and, where they are said, these fields; without the secret. */
export const fails = async (reply: Promise<Reply>, ...wanted: unknown[]): Promise<Reply> => {
  const { status, json, text } = await reply;
  const fields = wanted.length > 2 ? [Object.keys(json.validation_errors ?? {})] : [];
  expect([status, json.code, ...fields], text).to.deep.equal(wanted);
  expect(text).to.not.include(CANARY);
  return await reply;
};
