/** Several sinks, or several tables, into one index: they overwrite each other's documents of the same key. */
import { byHand, type Finding, warning } from './finding.ts';

export interface IndexWriter {
  name: string;
  settings: { routing: string | null; source: { include_tables: readonly string[] | null } };
  index?: { endpoint: string; name: string } | undefined;
}

/** Of one sink. */
export function checkSharedIndex(sink: IndexWriter, all: readonly IndexWriter[]): Finding[] {
  const { index } = sink;
  if (!index) return [];
  const others = all
    .filter((one) => one.name !== sink.name && one.index?.name === index.name && one.index.endpoint === index.endpoint)
    .map(({ name }) => name);
  if (others.length === 0) return [];
  return [
    warning(
      'two_sinks_one_index',
      `index ${index.name} is written by ${others.join(', ')} too: documents of the same key replace each other`,
      byHand('Give each sink an index of its own, or have a routing function keep them apart.'),
    ),
  ];
}

/** Of a sink that names its tables. */
export function checkTablesOfIndex({ index, settings: { routing, source } }: IndexWriter): Finding[] {
  const tables = source.include_tables ?? [];
  if (!index || routing !== null || tables.length < 2) return [];
  return [
    warning(
      'two_tables_one_index',
      `${tables.length} tables go into index ${index.name}: documents of the same key replace each other`,
      byHand('Have a routing function send each table to an index of its own, or make a sink for each.'),
    ),
  ];
}
