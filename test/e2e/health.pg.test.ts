/**
 * What /healthz says while parts of a running service are away: the message database, then whoever captures and delivers.
 * Nothing that nobody has confirmed is called well, and it is well again by itself.
 */
import { expect } from 'chai';
import { type BulkServer, startBulkServer } from '../support/engines/bulk-server.ts';
import { createService, runMain, SECRET_KEY, stopServices, type TestService } from '../support/processes/service.ts';
import { type Store, startStore } from '../support/processes/store.ts';
import { createWorld, type World } from '../support/processes/world.ts';
import { until } from '../support/until.ts';

interface Health {
  code: number;
  status: string;
  reasons: string[];
}

describe('health of a running service', function () {
  this.timeout(120_000);
  let store: Store;
  let world: World;
  let engine: BulkServer;
  let roles: Record<'web' | 'worker' | 'capture', TestService>;

  before(async () => {
    store = await startStore();
    world = await createWorld('create table items (n integer primary key)', { messages: store });
    engine = await startBulkServer({ indexes: ['items'] });
    const yaml = `${world.yaml}
sinks:
  - name: items
    database: shop
    destination: { type: elasticsearch, endpoint_url: "${engine.url}", index_name: items, auth_type: none }
`;
    const migrated = await runMain('migrate', {
      DATABASE_URL: world.messagesUrl,
      SECRET_KEY,
      CONFIG_FILE_YAML: Buffer.from(yaml).toString('base64'),
    });
    expect(migrated.code, migrated.stderr).to.equal(0);
    const make = (word: 'web' | 'worker' | 'capture') => createService({ databaseUrl: world.messagesUrl, word });
    roles = { web: await make('web'), worker: await make('worker'), capture: await make('capture') };
  });
  after(async () => {
    await stopServices();
    await engine?.close();
    await world?.drop();
  });

  const health = async (): Promise<Health> => {
    const response = await fetch(`${roles.web.url}/healthz`);
    const { status, reasons } = (await response.json()) as { status: string; reasons: string[] };
    return { code: response.status, status, reasons };
  };
  /** Until it is so; what it was last is told where it never is. */
  const untilHealth = async (what: string, isSo: (health: Health) => boolean): Promise<Health> => {
    let last: Health | undefined;
    try {
      await until(
        what,
        async () => {
          last = await health();
          return isSo(last);
        },
        60_000,
      );
    } catch (error) {
      throw new Error(`${String(error)} ${JSON.stringify(last)}`);
    }
    return last!;
  };
  const isWell = ({ code, status }: Health): boolean => code === 200 && status === 'ok';
  const live = async (): Promise<number> => (await fetch(`${roles.web.url}/livez`)).status;

  it('is unknown while a web role is alone, and says who is missing', async () => {
    await roles.web.start();
    const alone = await untilHealth('both are missed', ({ reasons }) => reasons.length > 0);
    expect(alone.code).to.equal(503);
    expect(alone.status).to.equal('unknown');
    await roles.capture.start();
    await roles.worker.start();
    await untilHealth('all is well', isWell);
  });

  it('is unknown while Postgres is away, and well again when it is back, with what came meanwhile', async () => {
    await store.stopServer();
    const away = await untilHealth('it is noticed', ({ code }) => code === 503);
    expect(away).to.deep.equal({ code: 503, status: 'unknown', reasons: ['message_database'] });
    expect(await live(), 'the process itself').to.equal(200);
    await world.shop.query('insert into items values (1)');
    await store.startServer();
    await untilHealth('all is well', isWell);
    await world.settled(['items'], 30_000);
    expect([...engine.engine.documents('items').keys()]).to.deep.equal(['1']);
  });

  it('is unknown once nobody has captured for a while, whatever the state was', async () => {
    await roles.capture.kill();
    const lost = await untilHealth('it is missed', ({ status }) => status === 'unknown');
    expect(lost.code).to.equal(503);
    await roles.capture.start();
    await untilHealth('all is well', isWell);
  });
});
