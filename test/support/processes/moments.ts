/** When to kill: moments in the middle of writing, of delivering, of shaping and of receiving, in an order by chance. */
import type { BulkServer } from '../engines/bulk-server.ts';
import type { Random, Writers } from '../outages/ledger.ts';
import type { Crowd } from '../pull/crowd.ts';
import { until } from '../until.ts';
import type { World } from './world.ts';

export interface Surroundings {
  world: World;
  engine: BulkServer;
  writers: Writers;
  crowds: readonly Crowd[];
  random: Random;
}

export interface Moment {
  what: string;
  /** Returns when it has come, with what is to be done after the kill. Writers write meanwhile. */
  come(): Promise<() => Promise<void>>;
}

const NOTHING = async (): Promise<void> => undefined;

/** All of them, shuffled. */
export function moments(around: Surroundings): Moment[] {
  const { world, engine, writers, crowds, random } = around;
  const soon = (most: number): number => 1 + Math.floor(random() * most);
  const received = (): number => crowds.reduce((sum, crowd) => sum + crowd.seen.size, 0);
  /** When so much more of it has happened than at the beginning. */
  const more = (what: string, count: () => number, most: number): Moment => {
    const extra = soon(most);
    return {
      what: `${extra} more ${what}`,
      async come() {
        const goal = count() + extra;
        await until(this.what, () => count() >= goal, 20_000);
        return NOTHING;
      },
    };
  };
  const all: Moment[] = [
    more('changes are written', () => writers.written, 400),
    more('bulk requests', () => engine.bulks().length, 8),
    more('messages are received', received, 400),
    {
      what: 'messages wait to be shaped',
      async come() {
        await until(this.what, () => waitsToBeShaped(world), 20_000);
        return NOTHING;
      },
    },
    {
      what: 'a batch is written into a change table elsewhere, and not settled',
      come: () => writtenNotSettled(world, writers),
    },
  ];
  return all
    .map((moment) => ({ moment, at: random() }))
    .sort((a, b) => a.at - b.at)
    .map(({ moment }) => moment);
}

async function waitsToBeShaped(world: World): Promise<boolean> {
  const { rows } = await world.messages.query<{ some: boolean }>(
    `select exists (select from millrace_private.messages m join millrace_private.sinks s on s.no = m.sink_no
                     where s.kind = 'pull' and m.lane = 1) as some`,
  );
  return rows[0]!.some;
}

/**
 * Holds the row of the lane, so that settling waits for it, until more is in the change table than before. What is written
 * meanwhile is there to be delivered, however quick the lane was with the rest. Returns how to let go.
 */
async function writtenNotSettled(world: World, writers: Writers): Promise<() => Promise<void>> {
  const lane = `select l.owner from millrace_private.lanes l join millrace_private.sinks s on s.no = l.sink_no
                 where s.name = 'accounts-in-archive' and l.owner is not null and l.until > clock_timestamp()
                   for update of l`;
  const client = await world.messages.pool.connect();
  const letGo = async (): Promise<void> => {
    await client.query('rollback');
  };
  const attempt = async (): Promise<boolean> => {
    await client.query('begin');
    const before = (await client.query(lane)).rowCount === 0 ? undefined : await archived(world);
    // A lane that was about to end writes no more: then another one is waited for.
    const grows = async (): Promise<boolean> => before !== undefined && (await archived(world)) > before;
    const writing = writers.write(writers.written + 50);
    const grown = before !== undefined && (await until('more rows', grows, 1_000).catch(() => false));
    await writing;
    if (!grown) await letGo();
    return grown;
  };
  await until('a batch is written and not settled', attempt, 20_000).catch((error: unknown) => {
    client.release(true);
    throw error;
  });
  return async () => {
    // A statement whose client died is still run to its end, unless its server dies too.
    const waiting = `select pg_terminate_backend(a.pid, 5000) from pg_stat_activity a
                      where pg_backend_pid() = any (pg_blocking_pids(a.pid))`;
    await client.query(waiting);
    await letGo();
    client.release();
  };
}

async function archived(world: World): Promise<number> {
  const { rows } = await world.archive.query<{ rows: number }>('select count(*) as rows from accounts_events');
  return rows[0]!.rows;
}
