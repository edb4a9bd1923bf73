/**
 * What a transform costs end to end: the same changes drained without one and with one, by turns.
 */
import { type Drained, drainOnce, freshChanges, prepareSource } from './drain.ts';
import type { Server } from './server.ts';
import { searchSink } from './service.ts';

export interface Shaping {
  changes: number;
  rounds: { plain: Drained; shaped: Drained }[];
}

const FUNCTION = `functions:
  - name: document
    type: transform
    code: "(action, record) => ({ name: record.email, price: record.amount, status: record.status, tags: record.attributes.tags, text: record.body })"

`;

export async function shaping(server: Server, options: { changes: number; rounds: number }): Promise<Shaping> {
  const { changes } = options;
  const { source, sourceUrl } = await prepareSource(server);
  const rounds: Shaping['rounds'] = [];
  const once = async (round: number, declared: (url: string) => string): Promise<Drained> => {
    await freshChanges(source, { slot: `drain_${round}`, changes });
    return await drainOnce(server, { sourceUrl, round, changes, declared });
  };
  for (let round = 1; round <= options.rounds; round += 1) {
    const plain = await once(2 * round - 1, (url) => searchSink(url));
    const shaped = await once(2 * round, (url) => FUNCTION + searchSink(url, '    transform: document\n'));
    rounds.push({ plain, shaped });
  }
  await source.close();
  return { changes, rounds };
}
