/** What is refused of sinks over HTTP: junk in any field, by that field; and of what a file manages exactly its edits. */
import { expect } from 'chai';
import fc from 'fast-check';
import { ROUTES } from '../../src/api/routes.ts';
import type { Reply } from '../support/processes/web.ts';
import { type Managed, managed } from './support.ts';

describe('api: what is refused of sinks', () => {
  let all: Managed;
  before(async () => {
    all = await managed();
  });
  after(async () => await all?.close());
  const call = async (method: string, path: string, body?: unknown): Promise<Reply> =>
    await all.web.call(method, `/api/${path}`, { body });

  it('names the field that is wrong, whatever is in it', async function () {
    this.timeout(60_000);
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
