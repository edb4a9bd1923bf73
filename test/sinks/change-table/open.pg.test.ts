/**
 * A change table whose database cannot even be asked whether it speaks TLS: the sink says so, and is tried again. And how
 * many connections one takes that is opened.
 */
import { expect } from 'chai';
import { applyConfig } from '../../../src/catalog/apply/apply.ts';
import { openSink } from '../../../src/catalog/open-sink.ts';
import { type Catalog, loadCatalog } from '../../../src/catalog/store.ts';
import { openPool } from '../../../src/db/pool.ts';
import { refusedSink } from '../../../src/deliver/refused.ts';
import type { Circuit } from '../../../src/model/sink.ts';
import type { PrivateAllowed } from '../../../src/runtime/addresses.ts';
import { createLog } from '../../../src/runtime/log.ts';
import { KEYS, parse } from '../../catalog/support.ts';
import { type MessageDatabase, messageDatabase } from '../../support/postgres/message-database.ts';
import { sharedSource } from '../../support/postgres/postgres.ts';
import { startPostgresRelay } from '../../support/postgres/postgres-relay.ts';

const LOG = createLog({ level: 'silent', role: 'test' });

describe('a change table as a sink', () => {
  let messages: MessageDatabase;
  before(async () => {
    messages = await messageDatabase();
  });
  after(() => messages.drop());

  const declared = async (archive: string, allowed: PrivateAllowed): Promise<Catalog> => {
    const from = `slot: { name: s }, publication: { name: p }`;
    const text = `databases:
  - { name: shop, url: ${JSON.stringify(messages.url)}, ${from} }
  - { name: archive, url: ${JSON.stringify(archive)} }
change_retentions:
  - { name: history, source_database: shop, source_table_name: orders, destination_database: archive, destination_table_name: events }
`;
    await applyConfig({ db: messages.db, keys: KEYS }, parse(text).config);
    return await loadCatalog(messages.db, KEYS, allowed);
  };

  const circuitOf = async (archive: string, allowed: PrivateAllowed): Promise<Circuit | undefined> => {
    const catalog = await declared(archive, allowed);
    const error = await openSink({ messages: messages.db, log: LOG }, catalog.sinks[0]!, catalog).then(
      () => undefined,
      (one: unknown) => one,
    );
    return await refusedSink(error)?.test(AbortSignal.timeout(1_000));
  };

  it('that cannot be opened is a circuit with what happened and what to do', async () => {
    const at = (change: (url: URL) => void): string => {
      const url = new URL(messages.url);
      change(url);
      return url.href;
    };
    for (const [url, reason, words, allowed] of [
      [at((one) => (one.port = '1')), 'unreachable', /nothing listens .* Start the server/, 'declared'],
      [at((one) => (one.password = 'wrong')), 'auth_failed', /password .* Correct the user and password/, 'declared'],
      [at((one) => (one.pathname = '/nowhere')), 'bad_destination', /does not exist\. Create that/, 'declared'],
      [messages.url, 'bad_destination', /127\.0\.0\.1 is private.*127\.0\.0\.0\/8/, false],
    ] as const) {
      const circuit = await circuitOf(url, allowed);
      expect(circuit?.reason, url).to.equal(reason);
      expect(circuit?.error, url).to.match(words).and.not.contain('test-password');
    }
  });

  it('takes one connection in the message database, where the role has found out that sessions are its own', async () => {
    const elsewhere = await (await sharedSource()).createDatabase();
    for (const [place, wanted] of [
      [messages, 1],
      [elsewhere, 3],
    ] as const) {
      const relay = await startPostgresRelay(place.url);
      const address = place === messages ? relay.url : messages.url;
      const db = openPool({ address, max: 1, applicationName: 'test' });
      try {
        await db.query('select');
        const before = relay.made;
        const catalog = await declared(`${relay.url}?sslmode=disable`, 'declared');
        const sink = await openSink({ messages: db, log: LOG }, catalog.sinks[0]!, catalog);
        const circuit = await sink.test(AbortSignal.timeout(10_000));
        expect(circuit?.error).to.match(/events" does not exist/);
        expect(relay.made - before).to.equal(wanted);
        await sink.close();
      } finally {
        await db.close();
        await relay.close();
      }
    }
  });
});
