/** Several sinks into one index: each overwrites the other's documents of the same key. */
import { byHand, type Finding, warning } from './finding.ts';

export interface IndexWriter {
  name: string;
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
