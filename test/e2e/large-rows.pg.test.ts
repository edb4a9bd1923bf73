/** Rows of 20 MB, where somebody wants them whole: through every role, to a search index and to a client, without a hole. */
import { createHash } from 'node:crypto';
import { expect } from 'chai';
import { type BulkServer, startBulkServer } from '../support/engines/bulk-server.ts';
import { startService, stopServices, type TestService } from '../support/processes/service.ts';
import { createWorld, TOKEN, type World } from '../support/processes/world.ts';
import { until } from '../support/until.ts';

const LENGTH = 20_000_000;

describe('rows of 20 MB', function () {
  this.timeout(120_000);
  let world: World;
  let engine: BulkServer;
  let service: TestService;

  before(async () => {
    engine = await startBulkServer({ indexes: ['papers'] });
    world = await createWorld('create table papers (id int primary key, title text, body text)');
    service = await startService({
      databaseUrl: world.messagesUrl,
      yaml: `${world.yaml.replace('slot: {', 'max_row_bytes: 67108864\n    slot: {')}
functions:
  - { name: kept, type: filter, code: "(action, record) => record.title !== 'draft'" }
sinks:
  - name: index
    database: shop
    filter: kept
    destination: { type: elasticsearch, endpoint_url: "${engine.url}", index_name: papers, auth_type: none }
  - { name: pull, database: shop, destination: { type: pull } }
`,
    });
  });
  after(async () => {
    await stopServices();
    await world?.drop();
    await engine?.close();
  });

  const documentOf = (id: string) => engine.engine.documents('papers').get(id) as Record<string, unknown> | undefined;
  const hash = (text: unknown): string => createHash('md5').update(String(text)).digest('hex');

  it('arrive whole, one after the other, also when an update does not carry the value', async () => {
    await world.shop.query(
      `insert into papers select n, 'paper ' || n, (select string_agg(md5(n || '-' || i), '') from generate_series(1, ${LENGTH / 32}) i)
         from generate_series(1, 2) n`,
    );
    await world.shop.query("update papers set title = 'renamed' where id = 2");
    await until('they are indexed', () => documentOf('2')?.title === 'renamed', 60_000);
    const { rows } = await world.shop.query<{ id: number; hash: string }>(
      'select id, md5(body) as hash from papers order by id',
    );
    for (const row of rows) {
      const document = documentOf(String(row.id))!;
      expect(String(document.body).length).to.equal(LENGTH);
      expect(hash(document.body), `document ${row.id}`).to.equal(row.hash);
    }
    const seen: string[] = [];
    while (seen.length < 3) {
      const response = await fetch(`${service.url}/api/http_pull_consumers/pull/receive`, {
        method: 'POST',
        headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' },
        body: '{"batch_size":10,"wait_for":10000}',
      });
      expect(response.status).to.equal(200);
      const { data } = (await response.json()) as { data: { ack_id: string; record: Record<string, unknown> }[] };
      expect(data.length).to.be.greaterThan(0);
      for (const { record } of data) seen.push(`${record.id} ${record.title} ${hash(record.body)}`);
      await fetch(`${service.url}/api/http_pull_consumers/pull/ack`, {
        method: 'POST',
        headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' },
        body: JSON.stringify({ ack_ids: data.map(({ ack_id }) => ack_id) }),
      });
    }
    expect(seen).to.deep.equal([
      `1 paper 1 ${rows[0]!.hash}`,
      `2 paper 2 ${rows[1]!.hash}`,
      `2 renamed ${rows[1]!.hash}`,
    ]);
    const { rows: parked } = await world.messages.query('select error from millrace.parked_messages');
    expect(parked).to.deep.equal([]);
  });
});
