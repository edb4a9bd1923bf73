/** Capture dies at each place of a switch of its way, while rows are written: each is told once, in its order. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import type { CaptureWay } from '../../../src/model/declared.ts';
import type { Failpoint } from '../../../src/runtime/failpoint.ts';
import { isAscending, NOTES, PUBLISH, type SwitchedSource, switchedSource } from '../../support/fixtures/switched.ts';
import { until } from '../../support/until.ts';

const CHILD = fileURLToPath(new URL('../../support/processes/capture-child.ts', import.meta.url));
const OTHER = { triggers: 'replication', replication: 'triggers' } as const;

describe('a switch of the way of capture that is killed', () => {
  let it_: SwitchedSource;
  const children: ChildProcess[] = [];

  afterEach(async () => {
    for (const child of children.splice(0)) child.kill('SIGKILL');
    await it_?.close();
  });

  const spawnCapture = (failpoints = ''): ChildProcess => {
    const { declared, messages } = it_.on;
    const env = {
      ...process.env,
      DECLARED: JSON.stringify(declared),
      MESSAGES: messages.url,
      MILLRACE_FAILPOINTS: failpoints,
    };
    const child = spawn(process.execPath, [CHILD], { env, stdio: ['pipe', 'ignore', 'inherit'] });
    children.push(child);
    return child;
  };
  /** Captured in this way, and not captured now. */
  const begin = async (way: CaptureWay): Promise<void> => {
    it_ = await switchedSource('create table rows (id int primary key)', way);
    it_.on.start();
    await it_.on.streaming();
    if (way === 'triggers') await it_.on.source.query(PUBLISH);
    await it_.on.stop();
  };
  /** Rows one by one, until it is stopped; then how many there are. */
  const writing = (): { stop(): Promise<number> } => {
    let over = false;
    let written = 0;
    const done = (async () => {
      while (!over) {
        await it_.on.source.query('insert into rows values ($1)', [written + 1]);
        written += 1;
      }
    })();
    return {
      async stop() {
        over = true;
        await done;
        return written;
      },
    };
  };
  const eachOnce = async (count: number): Promise<void> => {
    await it_.on.source.query('insert into rows values (0)');
    const rows = await it_.on.received(it_.sink, count + 1);
    expect(isAscending(rows)).to.equal(true);
    const ids = rows.map(({ record }) => JSON.parse(record).id as number);
    expect(ids).to.deep.equal([...Array.from({ length: count }, (_, i) => i + 1), 0]);
  };

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
      await begin(OTHER[to]);
      await it_.declare(to);
      const child = spawnCapture(`${place}=kill`);
      const writers = writing();
      await once(child, 'exit');
      expect(child.signalCode, 'died there').to.equal('SIGKILL');
      it_.on.start();
      await it_.goneOver(to);
      await eachOnce(await writers.stop());
    });

  it('goes over and back where a cut is stored and the way is declared back', async () => {
    await begin('replication');
    await it_.declare('triggers');
    const child = spawnCapture('switch/after-cut=kill');
    const writers = writing();
    await once(child, 'exit');
    await it_.declare('replication');
    await it_.on.source.query(PUBLISH);
    it_.on.start();
    await until('it is over', async () => {
      const { rows } = await it_.on.messages.db.query<{ way: string }>(
        'select way from millrace_private.capture_switches',
      );
      return rows[0]?.way === 'replication' && (await it_.reads()) === it_.on.slot;
    });
    await it_.on.streaming();
    await eachOnce(await writers.stop());
  });

  it('is gone on with by another capture that stands by', async () => {
    await begin('triggers');
    await it_.declare('replication');
    const writers = writing();
    spawnCapture('switch/before-move=kill');
    it_.on.start();
    await until('it has gone over', async () => (await it_.reads()) !== NOTES);
    await it_.on.streaming();
    await eachOnce(await writers.stop());
  });
});
