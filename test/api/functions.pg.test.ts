/** Functions over HTTP: what is declared, and what a function makes of messages before anybody depends on it. */
import { expect } from 'chai';
import { appendMessages } from '../support/fixtures/fixtures.ts';
import type { Reply } from '../support/processes/web.ts';
import { type Managed, managed } from './support.ts';

/** Digits that no double has. */
const RECORD = '{"id":9223372036854775807,"price":12345678901234567890.1200,"note":"a \\u0000 b"}';

describe('api: functions', () => {
  let all: Managed;
  before(async () => {
    all = await managed();
  });
  after(async () => await all?.close());

  const get = async (path: string): Promise<Reply> =>
    await all.web.call('GET', `/api/functions${path}`, { token: 'read-token' });
  const run = async (body: unknown, token = 'admin-token'): Promise<Reply> =>
    await all.web.call('POST', '/api/functions/run', {
      token,
      body,
      headers: typeof body === 'string' ? { 'content-type': 'application/json' } : {},
    });
  const tried = async (body: object): Promise<unknown[]> => {
    const reply = await run(body);
    expect(reply.status, reply.text).to.equal(200);
    return reply.json.results.map(({ ok, result, error }: { ok: boolean; result: unknown; error: object }) =>
      ok ? result : error,
    );
  };

  it('are listed and shown with the sinks that use them, and found by type', async () => {
    const { json } = await get('');
    expect(json.next_cursor).to.equal(null);
    expect(json.data).to.have.length(1);
    expect(json.data[0]).to.include({
      name: 'document',
      type: 'transform',
      code: '(action, record) => record',
      path: null,
    });
    expect(json.data[0]).to.include({ description: null, managed_by: 'api' });
    expect(json.data[0].used_by).to.deep.equal(['products']);
    expect((await get('?type=filter')).json.data).to.deep.equal([]);
    expect((await get('?type=on')).status).to.equal(400);
    expect((await get(`/${json.data[0].id}`)).json).to.deep.equal(json.data[0]);
    const missing = await get('/documents');
    expect([missing.status, missing.json.remedy]).to.deep.equal([404, 'Did you mean document? There are: document.']);
    const unmanaged = await all.web.call('POST', '/api/functions/document/release');
    expect([unmanaged.status, unmanaged.json.code]).to.deep.equal([409, 'wrong_state']);
  });

  it('are listed in pages of some megabytes', async () => {
    const add = `insert into millrace_private.functions (name, settings)
                 select 'big-' || n, jsonb_build_object('name', 'big-' || n, 'type', 'transform', 'sink_type', null, 'path', null,
                                                        'code', '() => "' || repeat('x', 100000) || '"')
                   from generate_series(1, 60) n`;
    await all.m.db.query(add);
    const names: string[] = [];
    let pages = 0;
    for (let cursor: string | null = ''; cursor !== null; pages += 1) {
      const { json, text } = await get(cursor === '' ? '' : `?cursor=${cursor}`);
      expect(text.length).to.be.lessThan(4_500_000);
      names.push(...json.data.map(({ name }: { name: string }) => name));
      cursor = json.next_cursor;
    }
    expect([new Set(names).size, names.length, pages]).to.deep.equal([61, 61, 2]);
    await all.m.db.query("delete from millrace_private.functions where name like 'big-%'");
  });

  it('are tried on messages, whose digits pass through unchanged', async () => {
    const reply = await run(
      `{"type":"transform","code":"(action, record, changes, metadata) => ({ action, record, changes, table: metadata.table_name })",
        "on":{"messages":[{"record":${RECORD},"action":"update","changes":{"price":1.10}}, ${JSON.stringify(`{"record":${RECORD}}`)}]}}`,
    );
    expect(reply.status, reply.text).to.equal(200);
    expect(reply.text).to.include(
      `"result":{"action":"update","record":${RECORD},"changes":{"price":1.10},"table":"example"}`,
    );
    expect(reply.text).to.include(`"result":{"action":"insert","record":${RECORD},"changes":null,"table":"example"}`);
    const odd = await run(
      `{"type":"path","path":"record","on":{"messages":[ {"record" : {"a":1e400,"a":2,"__proto__":{"x":1.50},"s":"\\u2028\\ud800"} , "action":"up\\u0064ate"} ]}}`,
    );
    expect(odd.text).to.include('"result":{"a":1e400,"a":2,"__proto__":{"x":1.50},"s":"\\u2028\\ud800"}');
    expect(reply.json.results.map(({ took_ms }: { took_ms: unknown }) => typeof took_ms)).to.deep.equal([
      'number',
      'number',
    ]);
  });

  it('are tried as each type, drafts and stored ones, and for a sink', async () => {
    const on = { messages: [{ record: { id: 1, done: true } }, { record: { id: 2, done: false }, action: 'delete' }] };
    expect(await tried({ type: 'filter', code: '(action, record) => record.done', on })).to.deep.equal([true, false]);
    expect(await tried({ type: 'path', path: 'record.id', on })).to.deep.equal([1, 2]);
    const code = "(action, record) => ({ index_name: 'i' + record.id })";
    expect(await tried({ type: 'routing', code, on })).to.deep.equal([{ index_name: 'i1' }, { index_name: 'i2' }]);
    expect(await tried({ function: 'document', on })).to.deep.equal([
      { id: 1, done: true },
      { id: 2, done: false },
    ]);
    // A search index has no document for a delete, and takes objects alone.
    expect(await tried({ function: 'document', sink: 'products', on })).to.deep.equal([{ id: 1, done: true }, null]);
    const [text] = await tried({ type: 'transform', code: '() => 1', sink: 'products', on });
    expect(text)
      .to.include({ kind: 'bad_output' })
      .and.property('message')
      .to.match(/must return an object/);
  });

  it('fail for one message, with line and column of the code', async () => {
    const on = { messages: [{ record: { id: 1 } }, { record: { id: 2, name: 'a' } }] };
    const code = '(action, record) => {\n  return record.name.length\n}';
    expect(await tried({ type: 'transform', code, on })).to.deep.equal([
      {
        kind: 'threw',
        message: "TypeError: Cannot read properties of undefined (reading 'length')",
        line: 2,
        column: 22,
      },
      1,
    ]);
    const [broken] = await tried({ type: 'filter', code: '(a) => {\n  return ((1)\n}', on });
    expect(broken)
      .to.include({ kind: 'threw', line: 3 })
      .and.property('message')
      .to.match(/^SyntaxError/);
  });

  it('are tried on the oldest messages of a sink', async () => {
    await appendMessages(all.m.db, await all.noOf('orders'), [
      { record: RECORD },
      ...Array.from({ length: 11 }, (_, id) => ({ record: `{"id":${id}}` })),
    ]);
    const reply = await run({ type: 'path', path: 'record.id', on: { recent: 'orders' } });
    expect(reply.text).to.match(/^\{"results":\[\{"ok":true,"result":9223372036854775807,/);
    expect(reply.json.results).to.have.length(10);
    expect(await tried({ type: 'path', path: 'record', on: { recent: 'idle' } })).to.deep.equal([]);
  });

  it('are refused by the field that is wrong, and to whoever is no admin', async () => {
    const on = { messages: [{ record: {} }] };
    const wrong: [object, string][] = [
      [{ type: 'filter', on }, 'code'],
      [{ type: 'filter', code: '() => 1', path: 'record', on }, 'code'],
      [{ type: 'on', code: '() => 1', on }, 'type'],
      [{ code: '() => 1', on }, 'type'],
      [{ type: 'path', function: 'document', on }, 'type'],
      [{ type: 'path', path: 'row.id', on }, 'path'],
      [{ type: 'path', code: '() => 1', on }, 'code'],
      [{ type: 'path', path: 'record' }, 'on'],
      [{ type: 'path', path: 'record', on: {} }, 'on'],
      [{ type: 'path', path: 'record', on: { messages: {} } }, 'on.messages'],
      [{ type: 'path', path: 'record', on: { messages: Array(11).fill({ record: {} }) } }, 'on.messages'],
      [{ type: 'path', path: 'record', on: { messages: [1] } }, 'on.messages[0]'],
      [{ type: 'path', path: 'record', on: { messages: ['{"record": nothing}'] } }, 'on.messages[0]'],
      [{ type: 'path', path: 'record', on: { messages: [{ record: {} }, { record: [] }] } }, 'on.messages[1].record'],
      [
        { type: 'path', path: 'record', on: { messages: [{ record: {}, action: 'truncate' }] } },
        'on.messages[0].action',
      ],
      [{ type: 'path', path: 'record', on: { messages: [{ record: {}, changes: 1 }] } }, 'on.messages[0].changes'],
    ];
    for (const [body, field] of wrong) {
      const { status, json, text } = await run(body);
      expect([status, json.code], text).to.deep.equal([422, 'invalid']);
      expect(Object.keys(json.validation_errors), text).to.include(field);
    }
    expect((await run({ function: 'documents', on })).status).to.equal(404);
    expect((await run({ function: 'document', sink: 'nobody', on })).status).to.equal(404);
    expect((await run({ function: 'document', on }, 'operate-token')).status).to.equal(403);
  });
});
