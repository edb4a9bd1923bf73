/** What is refused of sinks over HTTP: junk in any field, by that field; of what a file manages exactly its edits. And how they go. */
import { expect } from 'chai';
import fc from 'fast-check';
import { ROUTES } from '../../src/api/routes.ts';
import type { Reply } from '../support/processes/web.ts';
import { until } from '../support/until.ts';
import { type Managed, managed } from './support.ts';

describe('api: what is refused of sinks', function () {
  this.timeout(60_000);
  let all: Managed;
  before(async () => {
    all = await managed();
  });
  after(async () => await all?.close());
  const call = async (method: string, path: string, body?: unknown): Promise<Reply> =>
    await all.web.call(method, `/api/${path}`, { body });

  it('names the field that is wrong, whatever is in it', async () => {
    const whole = (await call('GET', 'sinks/products')).json;
    const top = ['name', 'database', 'status', 'source', 'actions', 'filters', 'transform', 'filter_leave', 'tables'];
    const more = ['annotations', 'max_retry_count', 'message_grouping', 'initial_backfill', 'destination', 'routing'];
    const inner = Object.keys(whole.destination).map((key) => `destination.${key}`);
    const deep = JSON.parse(`${'[{"a":'.repeat(30)}"x"${'}]'.repeat(30)}`);
    const junk = fc.oneof(fc.jsonValue(), fc.constantFrom<unknown>('\0', 'a\ud800', deep, [], {}, '', -1, 1e300));
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...top, ...more, ...inner), junk, fc.boolean(), async (field, value, isNew) => {
        const [key, within] = field.split('.') as [string, string?];
        // One that is not known, for junk may happen to be right.
        const body = { ...(isNew ? { ...whole, name: 'never' } : {}), nonsense: 1 };
        const part = within
          ? { destination: { ...(isNew ? whole.destination : {}), [within]: value } }
          : { [key]: value };
        const { status, json, text } = await call(
          ...((isNew ? ['POST', 'sinks'] : ['PATCH', 'sinks/products']) as [string, string]),
          { ...body, ...part },
        );
        expect(status, text).to.be.oneOf([409, 422]);
        for (const fault of Object.keys(json.validation_errors ?? {}))
          expect(fault, JSON.stringify(part)).to.match(
            new RegExp(`^(${key}|destination|nonsense|source|tables|filter)`),
          );
      }),
      { numRuns: 60 },
    );
    expect((await call('GET', 'sinks/products')).json.version).to.equal(whole.version);
    expect((await call('GET', 'sinks/never')).status).to.equal(404);
  });

  it('names a key that nobody knows, with null too', async () => {
    for (const at of ['sinks/products', 'change_retentions/history', 'postgres_databases/shop', 'functions/document'])
      for (const method of ['PATCH', 'PUT']) {
        const { status, json } = await call(method, at, { nonsense: null, '': null });
        expect([status, Object.keys(json.validation_errors ?? {})], `${method} ${at}`).to.deep.equal([
          ...[422, ['nonsense', 'body']],
        ]);
      }
    for (const [at, part] of [
      ['sinks/products', 'destination'],
      ['postgres_databases/shop', 'slot'],
    ] as const) {
      const { status, json } = await call('PATCH', at, { [part]: { nonsense: null } });
      expect([status, Object.keys(json.validation_errors ?? {})], at).to.deep.equal([422, [`${part}.nonsense`]]);
    }
    const body = { name: 'new', database: 'shop', destination: { type: 'pull' }, nonsense: null };
    expect(Object.keys((await call('POST', 'sinks', body)).json.validation_errors)).to.deep.equal(['nonsense']);
    const { json } = await call('GET', 'sinks/products');
    expect((await call('PUT', 'sinks/products', json)).status).to.equal(200);
  });

  it('makes no search index in a private network, that only whoever runs the machine may name', async () => {
    const index = { type: 'elasticsearch', index_name: 'i', auth_type: 'none' };
    const make = (endpoint_url: string) =>
      call('POST', 'sinks', { name: 'inside', database: 'shop', destination: { ...index, endpoint_url } });
    for (const url of ['http://127.0.0.1:1', 'http://10.1.2.3:9200', 'http://[::ffff:7f00:1]:1']) {
      const { status, json } = await make(url);
      expect([status, json.code], url).to.deep.equal([422, 'destination_denied']);
      expect(json.remedy).to.include('ALLOW_PRIVATE_DESTINATIONS');
    }
    const { json } = await make('http://169.254.169.254');
    expect(Object.keys(json.validation_errors)).to.deep.equal(['destination.endpoint_url']);
    expect((await call('GET', 'sinks/inside')).status).to.equal(404);
  });

  it('deletes them side by side behind a long reader, which keeps their storage until it ends', async () => {
    const { db } = all.m;
    const partitions = async (): Promise<number> =>
      (await db.query("select from pg_class c where c.relname ~ '^messages_[0-9]+$' and c.relkind = 'r'")).rowCount;
    const before = await partitions();
    const destination = { type: 'pull' };
    const names = ['a', 'b', 'c', 'd', 'e'];
    for (const name of names)
      expect((await call('POST', 'sinks', { name, database: 'shop', destination })).status).to.equal(200);
    expect(await partitions()).to.equal(before + 5);
    const reader = await db.pool.connect();
    try {
      await reader.query('begin isolation level repeatable read');
      await reader.query('select count(*) from millrace_private.messages');
      const gone = await Promise.all(names.slice(1).map((name) => call('DELETE', `sinks/${name}`)));
      expect(gone.map(({ status }) => status)).to.deep.equal([200, 200, 200, 200]);
      expect(await partitions()).to.equal(before + 5);
    } finally {
      await reader.query('rollback');
      reader.release();
    }
    expect((await call('DELETE', 'sinks/a')).status).to.equal(200);
    await until('their storage is free', async () => (await partitions()) === before);
  });

  it('of what a file manages refuses edits and deletion, and nothing else', async () => {
    await all.m.db.query("update millrace_private.sinks set managed_by = 'file' where name in ('orders', 'history')");
    for (const { method, path } of ROUTES) {
      const [, list, sink, verb] = /^\/api\/(sinks|change_retentions)\/(:sink)(?:\/(.*))?$/.exec(path) ?? [];
      if (list === undefined || sink === undefined || method === 'GET') continue;
      if (verb === 'release' || verb === 'adopt') continue;
      const at = path
        .replace(':sink', list === 'sinks' ? 'orders' : 'history')
        .replaceAll(/:\w+/g, '1')
        .slice(5);
      const { json, text } = await call(
        method,
        at,
        verb === undefined && method !== 'DELETE' ? { annotations: {} } : {},
      );
      expect(json.code === 'managed_by_file', `${method} ${path}: ${text}`).to.equal(verb === undefined);
    }
    for (const status of ['paused', 'active'])
      expect((await call('PATCH', 'change_retentions/history', { status })).json.status).to.equal(status);
  });
});
