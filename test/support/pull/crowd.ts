/**
 * Several clients that drain a pull consumer as clients do: most messages are acknowledged, some given back, some
 * forgotten; a service that is gone is asked again. What they see is checked at once: per row nothing goes back, and what
 * was acknowledged never comes again.
 */
import { setTimeout as pace } from 'node:timers/promises';
import type { Random } from '../outages/ledger.ts';
import type { PullClient, Received } from './client.ts';

/** What a message is about, read from it by the test. */
export interface Sighting {
  /** Increases in commit order. */
  id: number;
  /** Keys of the rows that it changes: two for a key change. */
  keys: readonly unknown[];
  /** What the ledger says of it. */
  entry: string;
}

export interface Crowd {
  /** Entries received, by message id. */
  readonly seen: ReadonlyMap<number, string>;
  readonly acked: ReadonlySet<number>;
  /** Messages received more than once. */
  readonly redelivered: number;
  /** What must not happen. */
  readonly faults: readonly string[];
  /** From now on they acknowledge everything, so that the end comes. */
  finish(): void;
  stop(): Promise<void>;
}

export interface CrowdOptions {
  clients: readonly PullClient[];
  random: Random;
  read: (received: Received) => Sighting;
}

interface State {
  seen: Map<number, string>;
  acked: Set<number>;
  latest: Map<unknown, number>;
  faults: string[];
  redelivered: number;
  diligent: boolean;
}

export function startCrowd(options: CrowdOptions): Crowd {
  const stop = new AbortController();
  const state: State = {
    seen: new Map(),
    acked: new Set(),
    latest: new Map(),
    faults: [],
    redelivered: 0,
    diligent: false,
  };
  const loops = options.clients.map(async (client) => {
    while (!stop.signal.aborted) {
      const served = await serve(client, state, options).catch(() => undefined);
      if (served === undefined) await pace(100, undefined, { signal: stop.signal }).catch(() => undefined);
    }
  });
  return {
    seen: state.seen,
    acked: state.acked,
    faults: state.faults,
    get redelivered() {
      return state.redelivered;
    },
    finish() {
      state.diligent = true;
    },
    async stop() {
      stop.abort();
      await Promise.all(loops);
    },
  };
}

/** One round of one client; undefined when there was nothing. Throws what the service answers, or that it is gone. */
async function serve(client: PullClient, state: State, { random, read }: CrowdOptions): Promise<true | undefined> {
  const batch = await client.receive(1 + Math.floor(random() * 40), 500);
  if (batch.length === 0) return undefined;
  const sightings = batch.map(read);
  for (const sighting of sightings) notice(state, sighting);
  const roll = state.diligent ? 1 : random();
  // Forgotten: it comes again when its visibility timeout has passed.
  if (roll < 0.1) return true;
  const ids = batch.map(({ ack_id }) => ack_id);
  if (roll < 0.3) {
    await client.nack(ids, random() < 0.5 ? 0 : 200);
    return true;
  }
  const count = await client.ack(ids);
  // Fewer: some went to somebody else meanwhile, and it is not known which.
  if (count === ids.length) for (const { id } of sightings) state.acked.add(id);
  return true;
}

function notice(state: State, { id, keys, entry }: Sighting): void {
  if (state.acked.has(id)) state.faults.push(`acknowledged, and there again: ${entry}`);
  if (state.seen.has(id)) state.redelivered += 1;
  state.seen.set(id, entry);
  for (const key of keys) {
    const latest = state.latest.get(key) ?? 0;
    if (id < latest) state.faults.push(`row ${key} went back: ${entry} after ${state.seen.get(latest)}`);
    else state.latest.set(key, id);
  }
}
