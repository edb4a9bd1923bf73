/** Connections that nothing is asked on for long: firewalls forget them, unless something passes now and then. */
import { readFile } from 'node:fs/promises';
import type { Socket } from 'node:net';
import { expect } from 'chai';
import { socketOf } from '../../src/db/drop-connection.ts';
import { openPool } from '../../src/db/pool.ts';
import { sharedCluster, type TestDatabase } from '../support/postgres/postgres.ts';

const HERTZ = 100;

/** Seconds until the next probe of the connection that has this port here, as Linux has it. */
async function nextProbe(port: number): Promise<number> {
  const end = `:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  const lines = (await readFile('/proc/net/tcp', 'utf8')).split('\n').map((line) => line.trim().split(/\s+/));
  const [timer, when] = lines.find(([, local]) => local?.endsWith(end))?.[5]?.split(':') ?? [];
  expect(timer, 'a timer that is no retransmission').to.equal('02');
  return Number.parseInt(when!, 16) / HERTZ;
}

describe('a connection on which nothing is asked', () => {
  let database: TestDatabase;
  before(async () => {
    database = await (await sharedCluster()).createDatabase();
  });
  after(() => database.drop());

  it('says that it is there before a firewall forgets it', async function () {
    if (process.platform !== 'linux') this.skip();
    const db = openPool({ address: database.url, max: 1, applicationName: 'test' });
    try {
      await db.session(async (client) => {
        const { localPort } = socketOf(client) as Socket;
        expect(await nextProbe(localPort!)).to.be.within(1, 60);
      });
    } finally {
      await db.close();
    }
  });
});
