/** What goes wrong in the middle of an operation, and how it comes back: each says where the operation is just then. */
import { expect } from 'chai';
import type { RunningCommand } from '../processes/cli.ts';
import { until } from '../until.ts';
import type { Outages } from './outages.ts';

export interface UnderWay {
  /** Those that watch it, and are to end by themselves. */
  commands: RunningCommand[];
  /** The number of the last backfill before it. */
  began: number;
  /** Calls the commands again, which says that it is under way; those that go on watching are in `commands` then. */
  callAgain(): Promise<void>;
}

export interface Strike {
  name: string;
  /** Where capture stops. */
  failpoints?: string;
  /** Returns when all is back. */
  strike(world: Outages, at: UnderWay): Promise<void>;
}

const DEADLINE_MS = 40_000;
/** A page is read, and its watermark is not written: so the page before it is on its way or there. */
const PAGE = 'backfill/before-watermark';

/** Each command has asked for its operation, and capture stands at its failpoint, in the middle; from now on rows change. */
async function inTheMiddle(world: Outages, { commands, began }: UnderWay): Promise<number> {
  const pid = await world.stopped();
  const asked = 'select from millrace_private.backfills where no > $1';
  const isAsked = async (): Promise<boolean> =>
    (await world.messages.query(asked, [began])).rowCount >= commands.length;
  await until('every command has asked', isAsked, DEADLINE_MS);
  const sql = "select from millrace.backfill_status where state = 'running' and kind <> 'all'";
  expect((await world.messages.query(sql)).rowCount, 'operations under way').to.be.greaterThan(0);
  world.write();
  return pid;
}

const DEATHS: Strike = {
  name: 'kill -9 of capture, worker and the command itself',
  failpoints: `${PAGE}=stop@2`,
  async strike(world, at) {
    const { capture, worker } = world;
    await inTheMiddle(world, at);
    for (const command of at.commands.splice(0)) {
      command.kill();
      await command.ended();
    }
    await Promise.all([capture.kill(), worker.kill()]);
    await world.timePasses();
    await at.callAgain();
    await worker.start({ env: { MILLRACE_FAILPOINTS: 'deliver/after-send=kill@3' }, wait: false });
    await capture.start({ env: { MILLRACE_FAILPOINTS: 'capture/in-persist=kill@4' }, wait: false });
    const deaths = await Promise.all([capture.died(DEADLINE_MS), worker.died(DEADLINE_MS)]);
    expect(deaths).to.deep.equal(['SIGKILL', 'SIGKILL']);
    await world.timePasses();
    await Promise.all([capture.start({ wait: false }), worker.start({ wait: false })]);
  },
};

const SOURCE_CRASHES: Strike = {
  name: 'the source crashes, and comes back',
  failpoints: `${PAGE}=stop@2`,
  async strike(world, at) {
    const pid = await inTheMiddle(world, at);
    await world.source.end('SIGQUIT');
    process.kill(pid, 'SIGCONT');
    await world.source.start();
  },
};

const MESSAGES_RESTART: Strike = {
  name: 'the message database is stopped, and started again',
  failpoints: `${PAGE}=stop@3`,
  async strike(world, at) {
    const pid = await inTheMiddle(world, at);
    await world.store.stopServer();
    process.kill(pid, 'SIGCONT');
    await world.store.startServer();
  },
};

const ENGINE_AWAY: Strike = {
  name: 'the engine loses answers, is away, and comes back',
  async strike(world, { began }) {
    const { engine, relay, messages } = world;
    const sending = `select from millrace_private.backfills where no > ${began} and rows_done > 0`;
    await until('a page is persisted', async () => (await messages.query(sending)).rowCount > 0, DEADLINE_MS);
    const before = engine.bulks().length;
    const seen = (count: number) =>
      until(`${count} bulk requests`, () => engine.bulks().length >= before + count, DEADLINE_MS);
    await seen(1);
    world.write();
    relay.loseAnswers(true);
    await seen(2);
    await relay.leave();
    relay.loseAnswers(false);
    const sql = "select from millrace.sink_status where error is not null and sink_name like 'accounts-index%'";
    await until('the sink says so', async () => (await messages.query(sql)).rowCount > 0, DEADLINE_MS);
    await relay.comeBack();
    await world.timePasses();
  },
};

export const STRIKES = [DEATHS, SOURCE_CRASHES, ENGINE_AWAY, MESSAGES_RESTART];
