/**
 * A webhook from end to end: declared in the file, its secrets sealed, signed requests in the order of each row, while the
 * worker is killed over and over and the endpoint fails now and then. Every change arrives, at least once.
 */
import { createHmac } from 'node:crypto';
import { expect } from 'chai';
import { seeded } from '../support/outages/ledger.ts';
import { createService, runMain, SECRET_KEY, stopServices, type TestService } from '../support/processes/service.ts';
import { createWorld, type World } from '../support/processes/world.ts';
import { until } from '../support/until.ts';
import { type Endpoint, type Received, startEndpoint } from '../support/webhook/endpoint.ts';

const SEED = Number(process.env.SEED ?? 7_376);
const ROWS = 12;
const KEY = Buffer.alloc(32, 9);
const SECRET = `whsec_${KEY.toString('base64')}`;
const TOKEN = 'hook-token-8f2b';
const SCHEMA = 'create table items (id int primary key, version int not null)';

interface Message {
  record: { id: number; version: number };
  action: string;
  metadata: { idempotency_key: string };
}

for (const batch of [false, true]) {
  describe(`a webhook ${batch ? 'in batches' : 'with a request for each message'}, as processes`, function () {
    this.timeout(120_000);
    let world: World;
    let endpoint: Endpoint;
    let capture: TestService;
    let worker: TestService;
    const random = seeded(SEED);
    /** Rows of which a request is under way. */
    const underWay = new Set<number>();
    const doubled: number[] = [];

    const messagesOf = ({ body }: Received): Message[] => {
      const parsed = JSON.parse(body);
      return batch ? parsed.data : [parsed];
    };

    before(async () => {
      world = await createWorld(SCHEMA);
      endpoint = await startEndpoint();
      endpoint.answer = (request) => {
        const ids = [...new Set(messagesOf(request).map(({ record }) => record.id))];
        doubled.push(...ids.filter((id) => underWay.has(id)));
        for (const id of ids) underWay.add(id);
        const done = (): void => {
          for (const id of ids) underWay.delete(id);
        };
        const chance = random();
        const status = chance < 0.05 ? 500 : chance < 0.1 ? 429 : 200;
        return {
          speak(response) {
            // A killed worker's request ends with it.
            response.on('close', done);
            if (chance > 0.97) return void response.destroy();
            if (status === 200) endpoint.taken.push(request);
            response.writeHead(status, { 'retry-after': '0' });
            response.end();
          },
        };
      };
      const yaml = `${world.yaml}
sinks:
  - name: hook
    database: shop
    destination:
      type: webhook
      url: ${endpoint.url}
      batch: ${batch}
      batch_size: 3
      encrypted_headers: { authorization: "Bearer ${TOKEN}" }
      signing_secrets: ["${SECRET}"]
`;
      const { code, stderr } = await runMain('migrate', {
        DATABASE_URL: world.messagesUrl,
        SECRET_KEY,
        CONFIG_FILE_YAML: Buffer.from(yaml).toString('base64'),
        LOG_LEVEL: 'warn',
      });
      expect(code, stderr).to.equal(0);
      capture = await createService({ databaseUrl: world.messagesUrl, word: 'capture' });
      worker = await createService({ databaseUrl: world.messagesUrl, word: 'worker' });
      await Promise.all([capture.start(), worker.start()]);
    });
    after(async () => {
      await stopServices();
      await endpoint?.close();
      await world?.drop();
    });
    afterEach(function () {
      if (this.currentTest?.state === 'failed') console.error(`SEED=${SEED}\n${worker.output().slice(-3_000)}`);
    });

    it('gets every change, in the order of each row, signed, whatever dies', async () => {
      await world.shop.query(`insert into items select i, 0 from generate_series(1, ${ROWS}) i`);
      for (let version = 1; version <= 6; version += 1) {
        for (let id = 1; id <= ROWS; id += 1)
          await world.shop.query('update items set version = $2 where id = $1', [id, version]);
        const before = endpoint.taken.length;
        await until('some of it is taken', () => endpoint.taken.length > before);
        if (version % 2 === 1) continue;
        await worker.kill();
        await world.endLaneLeases();
        // A probe that was under way is made again at once.
        await world.messages.query('update millrace_private.circuits set probe_at = clock_timestamp()');
        await worker.start();
      }
      await world.settled(['hook'], 60_000);
      const seen = new Map<number, number[]>();
      for (const request of endpoint.taken) {
        for (const { record } of messagesOf(request)) {
          const versions = seen.get(record.id) ?? [];
          // Again: it was sent before.
          if (!versions.includes(record.version)) versions.push(record.version);
          seen.set(record.id, versions);
        }
      }
      for (let id = 1; id <= ROWS; id += 1) expect(seen.get(id), `row ${id}`).to.deep.equal([0, 1, 2, 3, 4, 5, 6]);
      expect(doubled).to.deep.equal([]);
    });

    it('each request is signed and has the sealed header', () => {
      for (const { headers, body } of endpoint.requests) {
        const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`;
        const signature = createHmac('sha256', KEY).update(signed).digest('base64');
        expect(headers).to.include({ authorization: `Bearer ${TOKEN}`, 'webhook-signature': `v1,${signature}` });
      }
    });

    it('its secrets stand nowhere as they are', async () => {
      const { rows } = await world.messages.query(
        'select settings::text as settings, secret from millrace_private.sinks',
      );
      const text = JSON.stringify(rows) + worker.output() + capture.output();
      expect(rows).to.have.length(1);
      for (const secret of [TOKEN, SECRET, SECRET.slice(6)]) expect(text).to.not.contain(secret);
    });
  });
}
