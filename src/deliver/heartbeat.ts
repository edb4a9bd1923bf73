/**
 * The heartbeat of a worker's lanes: one statement for all of them, and never a second one before it is answered, so that
 * with a slow database it does not take the connections that the lanes need. It also knows, by this machine's clock alone,
 * whether a lane is certainly still ours: a process that was stopped past its lease, or whose machine slept, sends nothing more of what
 * it had read.
 */
import type { Queryable } from '../db/pool.ts';
import { statement } from '../db/statement.ts';
import { wakingClock } from '../runtime/waking-clock.ts';
import type { Presence } from './presence.ts';
import { LANE_TTL_MS, type LaneId } from './settle.ts';

const HOLD = statement('deliver/hold-lanes');

/** A lane that the heartbeat holds. */
export interface Hold {
  /** Its lease has not ended since it was last taken or renewed. */
  isSure(): boolean;
  /** It is held no longer. */
  end(): void;
}

export interface Heartbeat {
  /** Holds a lane that was asked for at `since` (of `clock`), and taken. `onLost`: it has another owner, or none. */
  hold(id: LaneId, lane: { since: number; onLost(): void }): Hold;
  clock(): number;
  /** What lanes name as their owner's session, now (presence.ts). */
  session(): string | null;
}

export interface HeartbeatOptions {
  everyMs?: number;
  /** Absent: unknown. Each change of its key is told at once. */
  presence?: Presence;
  /** Milliseconds that go on while the process is stopped, or its machine sleeps. */
  clock?: () => number;
}

interface Lane {
  id: LaneId;
  since: number;
  onLost(): void;
}

interface Row {
  owner: string;
  held: boolean;
  ours: boolean;
}

export function createHeartbeat(db: Queryable, options: HeartbeatOptions = {}): Heartbeat {
  const clock = options.clock ?? wakingClock();
  /** By owner, which is another one for each time that a lane is taken. */
  const lanes = new Map<string, Lane>();
  let timer: NodeJS.Timeout | undefined;
  let asking = false;
  let again = false;
  const session = (): string | null => options.presence?.key ?? null;

  const beat = async (): Promise<void> => {
    const since = clock();
    const ids = [...lanes.values()].map(({ id }) => id);
    const values = [
      ids.map((id) => id.sinkNo),
      ids.map((id) => id.lane),
      ids.map((id) => id.owner),
      LANE_TTL_MS,
      session(),
    ];
    const { rows } = await db.query<Row>(HOLD, values);
    for (const { owner, held, ours } of rows) {
      const lane = lanes.get(owner);
      if (lane && held) lane.since = since;
      if (lane && !ours) lane.onLost();
    }
  };
  const tick = (): void => {
    if (asking || lanes.size === 0) return;
    asking = true;
    again = false;
    // Without an answer nothing is known: the next one may come in time.
    beat()
      .catch(() => undefined)
      .finally(() => {
        asking = false;
        if (again) tick();
      });
  };
  options.presence?.onChange(() => {
    again = asking;
    tick();
  });

  return {
    clock,
    session,
    hold(id, { since, onLost }) {
      const lane: Lane = { id, since, onLost };
      lanes.set(id.owner, lane);
      timer ??= setInterval(tick, options.everyMs ?? LANE_TTL_MS / 3);
      return {
        isSure: () => clock() - lane.since < LANE_TTL_MS,
        end() {
          if (lanes.get(id.owner) === lane) lanes.delete(id.owner);
          if (lanes.size > 0) return;
          clearInterval(timer);
          timer = undefined;
        },
      };
    },
  };
}
