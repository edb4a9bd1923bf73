/**
 * A change table that feeds itself, directly or through others, would grow without end: refused. Two names of one
 * database count as one.
 */
import type { Finding } from './finding.ts';
import type { Entries } from './schemas.ts';

export function checkRetentions({ databases, sinks }: Entries): Finding[] {
  const place = (name: string): string => {
    const address = databases.find((database) => database.name === name)?.value?.address;
    if (address === undefined) return JSON.stringify([name]);
    return JSON.stringify([address.host.toLowerCase(), address.port, address.database]);
  };
  const edges = sinks.flatMap((sink) => {
    const settings = sink.value?.settings;
    if (settings?.destination.type !== 'change_table') return [];
    const { database, table_schema, table_name } = settings.destination;
    const from = place(settings.database) + (settings.source.include_tables?.[0] ?? '');
    return [{ sink, from, to: `${place(database)}${table_schema}.${table_name}` }];
  });
  return edges.flatMap((edge): Finding[] => {
    const path = [...edge.sink.path, 'destination_table_name'];
    if (edge.from === edge.to) {
      return [{ path, message: 'is the source table itself', remedy: 'Name another table.' }];
    }
    if (!reaches(edge.to, edge.from, edges)) return [];
    return [
      { path, message: 'leads back to the source table, in a circle', remedy: 'Break the circle of retentions.' },
    ];
  });
}

function reaches(start: string, goal: string, edges: readonly { from: string; to: string }[]): boolean {
  const seen = new Set([start]);
  for (const at of seen) {
    if (at === goal) return true;
    for (const edge of edges) if (edge.from === at && edge.to !== at) seen.add(edge.to);
  }
  return false;
}
