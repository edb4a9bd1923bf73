/**
 * Two web processes, and everybody at the same thing at the same moment: requests, files, names, tokens. Each is as if one had come after
 * the other: no update is lost, nothing is an error of ours, and nobody waits for ever. SIDE_BY_SIDE_ROUNDS: how often, 12.
 */
import { expect } from 'chai';
import { applyConfig } from '../../src/catalog/apply/apply.ts';
import { keyRing } from '../../src/runtime/secret-key.ts';
import { parse } from '../catalog/support.ts';
import { type MessageDatabase, messageDatabase } from '../support/postgres/message-database.ts';
import { createService, SECRET_KEY, stopServices, type TestService } from '../support/processes/service.ts';
import { TOKEN } from '../support/processes/world.ts';
import { until } from '../support/until.ts';

const ROUNDS = Number(process.env.SIDE_BY_SIDE_ROUNDS ?? 12);
const SHOP = `databases:
  - { name: shop, url: 'postgres://u:p@db.example.com/d', slot: { name: a }, publication: { name: a } }
`;
const SINK = { name: 'orders', database: 'shop', destination: { type: 'pull' } };
const fileOf = (annotation: number): string => `${SHOP}sinks:
  - { name: orders, database: shop, destination: { type: pull }, annotations: { of: "file ${annotation}" } }
`;

interface Reply {
  status: number;
  etag: string | null;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
  json: any;
}

describe('two web processes', function () {
  this.timeout(120_000 + ROUNDS * 10_000);
  let m: MessageDatabase;
  let webs: TestService[];
  before(async () => {
    m = await messageDatabase();
    const keys = keyRing({ secretKey: SECRET_KEY, previousKeys: [] });
    const token = `api_tokens: [{ name: tests, token: ${TOKEN}, scopes: [admin] }]\n`;
    await applyConfig({ db: m.db, keys }, parse(SHOP + token).config);
    webs = await Promise.all([0, 1].map(() => createService({ databaseUrl: m.url, word: 'web' })));
    for (const web of webs) await web.start({ wait: false });
    for (const web of webs)
      await until('it is ready', async () => (await fetch(`${web.url}/readyz`).catch(() => undefined))?.ok === true);
  });
  after(async () => {
    await stopServices();
    await m?.drop();
  });

  const call = async (
    at: number,
    method: string,
    path: string,
    given: { body?: unknown; headers?: object; token?: string } = {},
  ) => {
    const { body, headers = {}, token = TOKEN } = given;
    const response = await fetch(`${webs[at]!.url}/api/${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(60_000),
    });
    const reply: Reply = { status: response.status, etag: response.headers.get('etag'), json: await response.json() };
    expect(reply.status, `${method} ${path}: ${JSON.stringify(reply.json)}`).to.be.below(500);
    return reply;
  };
  const one = { body: { ...SINK } };
  const apply = (at: number, text: string): Promise<Reply> =>
    call(at, 'POST', 'config/apply', { body: { yaml: text } });
  const erase = (at = 0): Promise<Reply> => call(at, 'DELETE', 'sinks/orders?force=true&release=true');
  const rounds = async (work: (round: number) => Promise<unknown>): Promise<void> => {
    for (let round = 0; round < ROUNDS; round += 1) await work(round);
  };

  it('that add to one sink by its ETag lose no addition, while a file of something else is applied', async () => {
    expect((await call(0, 'POST', 'sinks', one)).status).to.equal(200);
    let added = 0;
    const add = async (at: number): Promise<void> => {
      for (let done = 0; done < ROUNDS; ) {
        const { json, etag } = await call(at, 'GET', 'sinks/orders');
        const count = Number(json.annotations.count ?? 0) + 1;
        const body = { annotations: { count: String(count) } };
        const { status } = await call(at, 'PATCH', 'sinks/orders', { body, headers: { 'if-match': etag } });
        expect(status).to.be.oneOf([200, 412]);
        if (status !== 200) continue;
        done += 1;
        added += 1;
      }
    };
    const others = async (): Promise<void> =>
      await rounds(async (round) => {
        const { status } = await apply(
          round % 2,
          SHOP.replace('{ name: shop', `{ name: shop, annotations: { n: "${round}" }`),
        );
        expect(status).to.equal(200);
      });
    await Promise.all([add(0), add(1), add(0), add(1), others()]);
    expect((await call(1, 'GET', 'sinks/orders')).json.annotations).to.deep.equal({ count: String(added) });
    await erase();
  });

  it('of which one edits a sink, and one applies a file that has it', async () => {
    await rounds(async (round) => {
      await call(0, 'POST', 'sinks', one);
      const { etag } = await call(0, 'GET', 'sinks/orders');
      const headers = { 'if-match': etag };
      const [edited, twin, applied] = await Promise.all([
        call(0, 'PATCH', 'sinks/orders', { body: { max_retry_count: round }, headers }),
        call(1, 'PATCH', 'sinks/orders', { body: { max_retry_count: round + 100 }, headers }),
        apply(1, fileOf(round)),
      ]);
      expect(applied.status).to.equal(200);
      for (const { status, json } of [edited, twin]) expect([200, 409, 412], JSON.stringify(json)).to.include(status);
      expect([edited, twin].filter(({ status }) => status === 200)).to.have.length.at.most(1);
      // The file was applied after an edit, or an edit came too late: it says all of the sink.
      const { json } = await call(0, 'GET', 'sinks/orders');
      expect(json).to.deep.include({ managed_by: 'file', max_retry_count: null, annotations: { of: `file ${round}` } });
      await erase(round % 2);
    });
  });

  it('of which one deletes a sink, and one applies a file that has it', async () => {
    await rounds(async (round) => {
      await apply(0, fileOf(round));
      const others = Promise.all([
        ...[call(0, 'GET', 'sinks/orders'), call(1, 'GET', 'sinks/orders'), call(1, 'GET', 'overview')],
        call(0, 'POST', 'sinks/orders/pause', { body: {} }),
      ]);
      const [erased, applied] = await Promise.all([erase(1), apply(0, fileOf(round))]);
      for (const { status } of await others) expect(status).to.be.oneOf([200, 404]);
      expect([erased.status, applied.status]).to.deep.equal([200, 200]);
      expect((await apply(1, fileOf(round))).status).to.equal(200);
      // With its storage.
      const received = await call(0, 'POST', 'http_pull_consumers/orders/receive', { body: {} });
      expect([received.status, received.json]).to.deep.equal([200, { data: [] }]);
      await erase();
    });
  });

  it('make one thing of a name', async () => {
    await rounds(async () => {
      const made = await Promise.all([0, 1, 0, 1].map((at) => call(at, 'POST', 'sinks', one)));
      expect(made.map(({ status }) => status).sort()).to.deep.equal([200, 409, 409, 409]);
      const { id } = made.find(({ status }) => status === 200)!.json;
      for (const { status, json } of made) if (status === 409) expect(json).to.deep.include({ code: 'name_taken', id });
      await erase(1);
    });
  });

  it('of which one renames a sink, and one edits it', async () => {
    await rounds(async (round) => {
      const { id } = (await call(0, 'POST', 'sinks', one)).json;
      const body = { annotations: { round: String(round) } };
      const [renamed, byName, byId] = await Promise.all([
        call(0, 'PATCH', 'sinks/orders', { body: { name: 'renamed' } }),
        call(1, 'PATCH', 'sinks/orders', { body }),
        call(0, 'PATCH', `sinks/${id}`, { body: { max_retry_count: round } }),
      ]);
      expect([renamed.status, byId.status]).to.deep.equal([200, 200]);
      expect(byName.status).to.be.oneOf([200, 404]);
      const { json } = await call(1, 'GET', 'sinks/renamed');
      expect(json).to.deep.include({
        ...{ id, max_retry_count: round, annotations: byName.status === 200 ? body.annotations : {} },
      });
      await call(0, 'DELETE', 'sinks/renamed?force=true');
    });
  });

  it('of which one revokes a token, and both are asked with it', async () => {
    await rounds(async (round) => {
      const body = { name: `brief-${round}`, scopes: ['read'] };
      const { id, token } = (await call(0, 'POST', 'api_keys', { body })).json;
      let over = false;
      const use = async (at: number): Promise<void> => {
        while (!over) expect((await call(at, 'GET', 'sinks', { token })).status).to.be.oneOf([200, 401]);
      };
      const uses = [use(0), use(1), use(1)];
      await Promise.all([0, 1].map((at) => call(at, 'DELETE', `api_keys/${id}`)));
      await until('nobody takes it any more', async () =>
        (await Promise.all([0, 1].map((at) => call(at, 'GET', 'sinks', { token })))).every(
          ({ status }) => status === 401,
        ),
      );
      over = true;
      await Promise.all(uses);
    });
  });
});
