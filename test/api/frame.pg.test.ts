/** What holds for every management route over HTTP: which bodies are read, and that receivers never wait for it. */
import { expect } from 'chai';
import { testWeb } from '../support/processes/web.ts';
import { until } from '../support/until.ts';
import { type Managed, managed } from './support.ts';

describe('api: the frame', () => {
  let all: Managed;
  before(async () => {
    all = await managed();
  });
  after(async () => await all?.close());

  it('reads JSON objects of at most 1 MB, and no body at all as an empty one', async () => {
    const post = (body: string | undefined, type = 'application/json') =>
      all.web.call('POST', '/api/sinks/orders/resume', {
        token: 'operate-token',
        body,
        headers: { 'content-type': type },
      });
    const cases: [string | undefined, string, number, string | undefined][] = [
      [undefined, 'application/json', 200, undefined],
      ['{}', 'application/json', 200, undefined],
      ['{', 'application/json', 400, 'bad_request'],
      ['1', 'application/json', 400, 'bad_request'],
      ['[]', 'application/json', 422, 'invalid'],
      ['{"resaon":"x"}', 'application/json', 422, 'invalid'],
      ['{}', 'text/plain', 415, 'unsupported_media_type'],
      ['a=b', 'application/x-www-form-urlencoded', 415, 'unsupported_media_type'],
      [JSON.stringify({ x: 'x'.repeat(1_100_000) }), 'application/json', 413, 'payload_too_large'],
    ];
    for (const [body, type, status, code] of cases) {
      const reply = await post(body, type);
      expect([reply.status, reply.json.code], `${body?.slice(0, 20)} ${type}`).to.deep.equal([status, code]);
      if (code !== undefined) expect(reply.json.request_id).to.equal(reply.headers.get('x-request-id'));
    }
    expect((await post('{"resaon":"x"}')).json.validation_errors).to.deep.equal({
      resaon: ['is not a known field. Did you mean `reason`?'],
    });
  });

  it('refuses what Postgres cannot store, wherever it stands', async () => {
    const cases: [string, string][] = [
      ['/api/sinks/%00', 'sink'],
      ['/api/sinks?database=%00', 'database'],
    ];
    for (const [path, field] of cases) {
      const { status, json } = await all.web.call('GET', path);
      expect([status, Object.keys(json.validation_errors)], path).to.deep.equal([400, [field]]);
    }
  });

  it('refuses keys that Postgres cannot store, of bodies and of files', async () => {
    const sink = { name: 'odd', database: 'shop', destination: { type: 'pull' } };
    const headers = { 'content-type': 'application/json' };
    for (const key of ['\\u0000', 'a\\ud800']) {
      const whole = JSON.stringify({ ...sink, annotations: { KEY: 'x' } }).replace('KEY', key);
      const made = await all.web.call('POST', '/api/sinks', { body: whole, headers });
      expect([made.status, made.json.validation_errors], key).to.deep.equal([
        422,
        { annotations: ['has a key that Postgres cannot store'] },
      ]);
      const planned = await all.web.call('POST', '/api/config/plan', {
        body: { yaml: `sinks: [${whole.replace('\\u0000', '\\0')}]` },
      });
      expect(planned.status, key).to.equal(422);
      expect(Object.keys(planned.json.validation_errors), key).to.include('sinks[0].annotations');
    }
  });

  it('says in its own words what is wrong with a field that has none', async () => {
    const wrong = async (method: string, path: string, body?: unknown) =>
      (await all.web.call(method, path, { body })).json.validation_errors;
    expect(await wrong('POST', '/api/sinks', [])).to.deep.equal({ body: ['must be a JSON object'] });
    expect(
      await wrong('POST', '/api/change_retentions/history/replays', { sink: 1, from_seq: 2 ** 53, dry_run: 'no' }),
    ).to.deep.equal({
      sink: ['must be a text'],
      from_seq: ['must be at most 9007199254740991'],
      dry_run: ['must be true or false'],
    });
    expect(await wrong('POST', '/api/config/plan', {})).to.deep.equal({ yaml: ['is missing'] });
    expect(await wrong('GET', '/api/sinks/orders?sink=idle')).to.deep.equal({
      sink: ['stands in the path. Leave it out of the query.'],
    });
  });

  it('says what else is wrong with what Postgres does not take', async () => {
    const body = {
      email: 'ann\u0000@example.org',
      name: 'a\ud800',
      password: 'short',
      scopes: ['consume:no such name'],
    };
    const { status, json } = await all.web.call('POST', '/api/users', { body });
    expect(status).to.equal(422);
    expect(Object.keys(json.validation_errors)).to.have.members(['email', 'name', 'scopes[0]', 'password']);
    for (const field of ['email', 'name'])
      expect(json.validation_errors[field]).to.deep.equal(['contains a character that Postgres cannot store']);
  });

  it('has one shape of errors, also where there is nothing', async () => {
    for (const path of ['/api/nothing', '/api/sinks/orders/nothing', '/api', '/api/sinks/%2e%2e']) {
      const { json, headers } = await all.web.call('GET', path);
      const id = headers.get('x-request-id');
      expect(json, path).to.deep.equal({ code: 'not_found', summary: 'There is nothing at this path', request_id: id });
    }
  });

  it('names the methods of a path', async () => {
    const { status, headers } = await all.web.call('PATCH', '/api/sinks/orders/pause', { body: {} });
    expect([status, headers.get('allow')]).to.deep.equal([405, 'POST']);
  });

  it('has two requests at the database at most, refuses a token with too many, and gives up', async () => {
    const { db } = all.m;
    const web = await testWeb({ db }, { management: { maxRequests: 4 }, keepHealthMs: 0 });
    const show = (name: string) => web.call('GET', `/api/sinks/${name}`);
    try {
      await db.transaction(async (tx) => {
        await tx.query('lock table millrace_private.sinks in access exclusive mode');
        const waiting = Array.from({ length: 4 }, () => show('orders'));
        await until('two wait at the database', async () => {
          const { rows } = await db.query<{ waiting: number }>(
            `select count(*)::integer as waiting from pg_stat_activity
              where datname = current_database() and wait_event_type = 'Lock'`,
          );
          return rows[0]!.waiting === 2;
        });
        const { status, json } = await show('products');
        expect([status, json.code]).to.deep.equal([429, 'too_many_requests']);
        const late = await Promise.race(waiting);
        expect([late.status, late.json.code]).to.deep.equal([503, 'unavailable']);
      });
    } finally {
      await web.close();
    }
  });
});
