/** The source dies and comes back at each place of a switch of the way of capture: each row is told once. */
import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import pg from 'pg';
import type { CaptureWay } from '../../../src/model/declared.ts';
import type { Failpoint } from '../../../src/runtime/failpoint.ts';
import { isAscending, NOTES, PUBLISH, type SwitchedSource, switchedSource } from '../../support/fixtures/switched.ts';
import { type SourceServer, startSourceServer } from '../../support/postgres/source-server.ts';
import { until } from '../../support/until.ts';

const CHILD = fileURLToPath(new URL('../../support/processes/capture-child.ts', import.meta.url));
const OTHER = { triggers: 'replication', replication: 'triggers' } as const;

describe('a switch of the way of capture whose source is killed', () => {
  let server: SourceServer;
  let it_: SwitchedSource;
  let child: ChildProcess;

  beforeEach(async () => {
    server = await startSourceServer();
  });
  afterEach(async () => {
    child?.kill('SIGKILL');
    await it_?.close();
    await server.close();
  });

  const run = async (sql: string): Promise<pg.QueryResult> => {
    const client = new pg.Client({ connectionString: server.database.url });
    client.on('error', () => undefined);
    await client.connect();
    try {
      return await client.query(sql);
    } finally {
      await client.end().catch(() => undefined);
    }
  };
  const isStopped = (): boolean => /^State:\s+T/m.test(readFileSync(`/proc/${child.pid}/status`, 'utf8'));

  const places: [CaptureWay, Failpoint][] = [
    ['replication', 'switch/last-look'],
    ['replication', 'switch/before-move'],
    ['replication', 'switch/after-move'],
    ['triggers', 'switch/before-cut'],
    ['triggers', 'switch/after-cut'],
    ['triggers', 'switch/before-move'],
    ['triggers', 'switch/after-move'],
  ];
  for (const [to, place] of places)
    it(`goes on to ${to}, ${place}`, async () => {
      it_ = await switchedSource('create table rows (id int primary key)', OTHER[to], { database: server.database });
      const { on, sink, declare, reads } = it_;
      on.source.on('error', () => undefined);
      on.start();
      await on.streaming();
      if (to === 'replication') await on.source.query(PUBLISH);
      await on.stop();
      await declare(to);
      const { declared, messages } = on;
      const env = { ...process.env, DECLARED: JSON.stringify(declared), MESSAGES: messages.url };
      child = spawn(process.execPath, [CHILD], {
        env: { ...env, MILLRACE_FAILPOINTS: `${place}=stop` },
        stdio: ['pipe', 'ignore', 'inherit'],
      });
      let written = 0;
      const write = async (): Promise<void> => void (await run(`insert into rows values (${++written})`));
      await until('it is there', async () => {
        await write();
        return isStopped();
      });
      await write();
      await server.end('SIGKILL');
      await server.start();
      await write();
      child.kill('SIGCONT');
      await until('it has gone over', async () => {
        await write();
        return ((await reads()) === NOTES) === (to === 'triggers');
      });
      await on.streaming();
      await write();
      const rows = await on.received(sink, written);
      expect(isAscending(rows)).to.equal(true);
      const ids = rows.map(({ record }) => JSON.parse(record).id as number);
      expect(ids).to.deep.equal(Array.from({ length: written }, (_, n) => n + 1));
    });
});
