/** A search index: a document for each row, written with `_bulk` under the row's key, the message's id as its version. */
import { setTimeout as wait } from 'node:timers/promises';
import { checkCircuit } from '../../checks/circuit.ts';
import { passed } from '../../checks/finding.ts';
import { originOf } from '../../model/origin.ts';
import { withoutTrailing } from '../../model/trailing.ts';
import type { SinkKind } from '../contract.ts';
import { aliasCommand } from './alias-command.ts';
import type { SearchDestination } from './section.ts';

/** `, and has 3 documents`; empty where the engine did not say. */
function hasText({ documents, orMore }: { documents?: number; orMore?: true }): string {
  if (documents === undefined) return '';
  const count = `${documents.toLocaleString('en')} ${documents === 1 ? 'document' : 'documents'}`;
  return `, and has ${count}${orMore ? ' or more' : ''}`;
}

export const searchIndex: SinkKind<SearchDestination> = {
  type: 'search_index',
  names: ['elasticsearch', 'opensearch', 'search_index'],
  title: 'a search index',
  traits: { receivable: false, replaces: true, order: 'key', takesRows: true, readable: true },
  lanes: 2,
  gated: true,
  section: async () => (await import('./section.ts')).searchSection,
  async open({ settings: { destination }, secret, reach }, { log }) {
    const { openSearchSink } = await import('./sink.ts');
    return openSearchSink({ log }, { destination, authValue: secret(), reach });
  },
  async look({ settings: { destination }, secret, reach }, _deps, signal) {
    const { openSearchClient } = await import('./client.ts');
    const { decodeSearch } = await import('./decode.ts');
    const client = openSearchClient({ destination, authValue: secret(), reach });
    try {
      const begun = performance.now();
      const readiness = decodeSearch(await client.search(destination.index_name, signal));
      const tookMs = Math.round(performance.now() - begun);
      if (readiness.kind === 'aborted') throw signal.reason ?? new Error('the look was ended');
      if (readiness.kind !== 'ready') return [checkCircuit(readiness.circuit)];
      return [passed('index', `index ${destination.index_name} answers in ${tookMs} ms${hasText(readiness)}`)];
    } finally {
      await client.close();
    }
  },
  async openReader({ settings: { destination }, secret, reach }) {
    const { openSearchReader } = await import('./reader.ts');
    const sleep = async (ms: number, signal: AbortSignal): Promise<void> =>
      void (await wait(ms, undefined, { signal }));
    return openSearchReader({ sleep, random: Math.random }, { destination, authValue: secret(), reach });
  },
  index: {
    place: ({ endpoint_url: url, index_name: name }) => ({
      endpoint: URL.canParse(url) ? withoutTrailing(new URL(url).href, '/') : url,
      name,
    }),
    at: (destination, name) => ({ ...destination, index_name: name }),
    aliasCommand,
  },
  server: ({ endpoint_url: url }) => originOf(url),
};
