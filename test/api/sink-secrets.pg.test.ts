/** The secrets of sinks over HTTP: shown masked, kept where they come back masked, told no other server, and not lost. */
import { expect } from 'chai';
import { loadCatalog } from '../../src/catalog/store.ts';
import { KEYS } from '../catalog/support.ts';
import type { BulkServer } from '../support/engines/bulk-server.ts';
import type { MessageDatabase } from '../support/postgres/message-database.ts';
import { CANARY, type Editing, editing, fails, search } from './editing.ts';

describe('api: secrets of sinks', () => {
  let all: Editing;
  let m: MessageDatabase;
  let engine: BulkServer;
  before(async () => {
    all = await editing();
    ({ m, engine } = all);
    expect((await call('POST', 'sinks', search(engine, 'products'))).status).to.equal(200);
  });
  after(async () => await all?.close());

  const call = async (method: string, path: string, body?: unknown) =>
    await all.web.call(method, `/api/${path}`, { body });

  it('never tells another server the stored secret', async () => {
    const elsewhere = { destination: { endpoint_url: 'http://127.0.0.1:1' } };
    await fails(call('PATCH', 'sinks/products', elsewhere), 422, 'secret_required', ['destination.auth_value']);
    const masked = { destination: { endpoint_url: 'http://127.0.0.1:1', auth_value: '********' } };
    await fails(call('PUT', 'sinks/products', masked), 422, 'secret_required', ['destination.auth_value']);
    const https = { destination: { endpoint_url: engine.url.replace('http:', 'https:') } };
    await fails(call('PATCH', 'sinks/products', https), 422, 'secret_required', ['destination.auth_value']);
    const given = { destination: { endpoint_url: 'http://127.0.0.1:1', auth_value: 'another' } };
    expect((await call('PATCH', 'sinks/products', given)).status).to.equal(200);
  });

  it('shows a webhook its headers masked, and keeps those that come back masked', async () => {
    const hook = (headers: object) => ({
      destination: { type: 'webhook', url: 'http://h/x', encrypted_headers: headers },
    });
    await call('POST', 'sinks', {
      name: 'hook',
      database: 'shop',
      ...hook({ authorization: CANARY, 'x-key': 'other-key' }),
    });
    const { json, text } = await call('GET', 'sinks/hook');
    expect(json.destination.encrypted_headers).to.deep.equal({ authorization: '********', 'x-key': '********' });
    expect(text).to.not.include(CANARY);
    const { 'x-key': _, ...kept } = json.destination.encrypted_headers;
    const edited = await call('PUT', 'sinks/hook', {
      ...json,
      destination: { ...json.destination, encrypted_headers: kept },
    });
    expect(edited.json.destination.encrypted_headers).to.deep.equal({ authorization: '********' });
    const { sinks } = await loadCatalog(m.db, KEYS);
    expect(JSON.parse(sinks.find(({ name }) => name === 'hook')!.secret()!).encrypted_headers).to.deep.equal({
      authorization: CANARY,
    });
  });

  it('loses no credential that does not open', async () => {
    await m.db.query(
      "update millrace_private.sinks set settings = jsonb_set(settings, '{destination,endpoint_url}', '\"http://x\"') where name = 'products'",
    );
    const { json } = await call('GET', 'sinks/products');
    expect(json.destination.auth_value).to.equal('********');
    await fails(call('PATCH', 'sinks/products', { annotations: {} }), 422, 'secret_required', ['destination']);
    await fails(call('PUT', 'sinks/products', json), 422, 'invalid', ['destination.auth_value']);
    const { rows } = await m.db.query<{ text: string }>('select a::text as text from millrace_private.audit_log a');
    expect(rows.map(({ text }) => text).join()).to.not.include(CANARY);
    const again = { destination: { auth_value: CANARY } };
    expect((await call('PATCH', 'sinks/products', again)).json.destination.auth_value).to.equal('********');
    const none = await call('PATCH', 'sinks/products', { destination: { auth_type: 'none' } });
    expect([none.status, none.json.destination.auth_value], none.text).to.deep.equal([200, undefined]);
  });
});
