/**
 * A change table that feeds itself, directly or through others, would grow without end: refused. Two names of one
 * database count as one.
 */
import type { Finding } from '../../model/finding.ts';
import type { Entries } from './entry.ts';

interface Edge {
  from: string;
  to: string;
}

export function checkRetentions({ databases, sinks }: Pick<Entries, 'databases' | 'sinks'>): Finding[] {
  const addresses = new Map(databases.toReversed().map(({ name, value }) => [name, value?.address]));
  const place = (name: string): string => {
    const address = addresses.get(name);
    if (address === undefined) return JSON.stringify([name]);
    return JSON.stringify([address.host.toLowerCase(), address.port, address.database]);
  };
  const edges = sinks.flatMap((sink) => {
    if (sink.value === undefined) return [];
    const { settings, kind } = sink.value;
    const into = kind.writesInto?.(settings.destination);
    if (into === undefined) return [];
    const from = place(settings.database) + (settings.source.include_tables?.[0] ?? '');
    return [{ sink, from, to: `${place(into.database)}${into.schema}.${into.name}` }];
  });
  const circleOf = circles(edges);
  return edges.flatMap((edge): Finding[] => {
    const path = [...edge.sink.path, 'destination_table_name'];
    if (edge.from === edge.to) {
      return [{ path, message: 'is the source table itself', remedy: 'Name another table.' }];
    }
    if (circleOf.get(edge.from) !== circleOf.get(edge.to)) return [];
    return [
      { path, message: 'leads back to the source table, in a circle', remedy: 'Break the circle of retentions.' },
    ];
  });
}

/** Tables that lead to each other have the same circle; every other one has its own. Each edge is looked at twice. */
function circles(edges: readonly Edge[]): Map<string, string> {
  const forth = neighbours(edges, 'from', 'to');
  const back = neighbours(edges, 'to', 'from');
  const ended: string[] = [];
  const seen = new Set<string>();
  for (const start of forth.keys()) follow(forth, start, { seen, onEnd: (at) => ended.push(at) });
  const found = new Map<string, string>();
  const placed = new Set<string>();
  for (const start of ended.reverse()) follow(back, start, { seen: placed, onEnd: (at) => found.set(at, start) });
  return found;
}

function neighbours(edges: readonly Edge[], from: keyof Edge, to: keyof Edge): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (const edge of edges) {
    const list = found.get(edge[from]);
    if (list === undefined) found.set(edge[from], [edge[to]]);
    else list.push(edge[to]);
  }
  return found;
}

/** Depth first, without a recursion that a long chain would exhaust. `onEnd`: all behind it have ended before. */
function follow(
  next: ReadonlyMap<string, string[]>,
  start: string,
  { seen, onEnd }: { seen: Set<string>; onEnd: (at: string) => void },
): void {
  if (seen.has(start)) return;
  seen.add(start);
  const way = [{ at: start, left: [...(next.get(start) ?? [])] }];
  while (way.length > 0) {
    const { at, left } = way.at(-1)!;
    const step = left.pop();
    if (step === undefined) {
      way.pop();
      onEnd(at);
    } else if (!seen.has(step)) {
      seen.add(step);
      way.push({ at: step, left: [...(next.get(step) ?? [])] });
    }
  }
}
