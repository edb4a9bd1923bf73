/**
 * What must hold at every moment while a service runs and is killed: the source is never told more than what is recorded,
 * and the connections stay within their budget. Looks again and again, beside the test; faults are gathered.
 */
import { setTimeout as pace } from 'node:timers/promises';
import type { World } from './world.ts';

export const CONNECTIONS_MAX = 12;

export interface Watch {
  readonly faults: readonly string[];
  /** Times that it looked. */
  readonly looks: number;
  /** The most connections to the message database that one run of the service had at a time. */
  readonly connections: number;
  /** A new run of the service begins: those of the run before do not count any more. */
  begin(): Promise<void>;
  stop(): Promise<void>;
}

export function startWatch(world: World): Watch {
  const faults: string[] = [];
  let looks = 0;
  let connections = 0;
  let since = 'now';
  let over = false;

  const look = async (): Promise<void> => {
    // In this order: what is recorded only grows.
    const slot = await world.shop.query<{ lsn: string }>(
      'select confirmed_flush_lsn::text as lsn from pg_replication_slots where slot_name = $1::text',
      [world.slot],
    );
    const confirmed = slot.rows[0]?.lsn ?? '0/0';
    const { rows } = await world.messages.query<{ recorded: string | null; ahead: boolean; connections: number }>(
      `select d.confirmed_lsn::text as recorded, coalesce($1::pg_lsn > d.confirmed_lsn, false) as ahead,
              (select count(*) from pg_stat_activity a
                where a.datname = current_database() and a.backend_start >= $2::timestamptz
                  and a.application_name like 'millrace %' and a.application_name <> 'millrace test') as connections
         from millrace.database_status d where d.database_name = 'shop'`,
      [confirmed, since],
    );
    const state = rows[0];
    if (state === undefined) return;
    looks += 1;
    connections = Math.max(connections, state.connections);
    if (state.ahead) faults.push(`confirmed ${confirmed}, recorded ${state.recorded}`);
    if (state.connections > CONNECTIONS_MAX) faults.push(`${state.connections} connections`);
  };

  const looking = (async () => {
    // A server that is away has nothing to show.
    while (!over) await look().catch(() => pace(50));
  })();
  return {
    faults,
    get looks() {
      return looks;
    },
    get connections() {
      return connections;
    },
    async begin() {
      const { rows } = await world.messages.query<{ now: string }>('select clock_timestamp()::text as now');
      since = rows[0]!.now;
    },
    async stop() {
      over = true;
      await looking;
    },
  };
}
