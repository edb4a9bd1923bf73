/** Acknowledgements of several clients in one statement: what is sent, and what became of each client's. */
import { type Latency, spreadLatencies } from '../messages/latency.ts';
import type { Named } from './ack-id.ts';

export interface Answered {
  /** To how many messages it applied. */
  count: number;
  /** Of what was acknowledged: from its commit until now. Those of a whole statement are with one of its clients. */
  latencies: readonly Latency[];
}

export const NONE_ANSWERED: Answered = { count: 0, latencies: [] };

/** What Postgres is asked, by lease; tokens ascend, as the locks on leases do. */
export interface Acknowledging {
  tokens: string[];
  ids: string[];
  /** Whose it is: a place in what it was made from. */
  clients: number[];
}

export interface AcknowledgedRow {
  counts: number[] | null;
  /** When the first and the last one were committed, in seconds; empty when there is none. */
  committed: string | null;
}

/** `named`: by client. */
export function acknowledging(named: readonly (readonly Named[])[]): Acknowledging {
  const all = named.flatMap((each, client) => each.map(({ token, ids }) => ({ token, ids, client })));
  all.sort((one, other) => (one.token < other.token ? -1 : 1));
  return {
    tokens: all.map(({ token }) => token),
    ids: all.map(({ ids }) => ids),
    clients: all.map(({ client }) => client),
  };
}

/** By client. */
export function answeredBy({ clients }: Acknowledging, row: AcknowledgedRow | undefined, size: number): Answered[] {
  const counts = new Array<number>(size).fill(0);
  for (const [place, client] of clients.entries()) counts[client]! += row?.counts?.[place] ?? 0;
  const all = counts.reduce((sum, count) => sum + count, 0);
  const told = counts.findIndex((count) => count > 0);
  return counts.map((count, client) => ({
    count,
    latencies: client === told ? latenciesOf(row?.committed, all) : [],
  }));
}

function latenciesOf(committed: string | null | undefined, count: number): Latency[] {
  if (!committed) return [];
  const [first = 0, last = first] = committed.split(' ').map((seconds) => Number(seconds) * 1_000);
  return spreadLatencies({ firstMs: first, lastMs: last, count }, Date.now());
}
