/** What counting costs: the same changes drained by roles that count what they do and by roles that do not, by turns. */
import path from 'node:path';
import { type Drained, drainOnce, freshChanges, prepareSource } from './drain.ts';
import type { Server } from './server.ts';

export interface CountersCost {
  changes: number;
  rounds: { without: Drained; counted: Drained }[];
}

const UNCOUNTED = path.join(import.meta.dirname, 'uncounted-role.ts');

export async function countersCost(
  server: Server,
  options: { changes: number; rounds: number },
): Promise<CountersCost> {
  const { changes } = options;
  const { source, sourceUrl } = await prepareSource(server);
  const rounds: CountersCost['rounds'] = [];
  const once = async (round: number, main?: string): Promise<Drained> => {
    await freshChanges(source, { slot: `drain_${round}`, changes });
    return await drainOnce(server, { sourceUrl, round, changes, ...(main && { main }) });
  };
  for (let round = 1; round <= options.rounds; round += 1) {
    const without = await once(2 * round - 1, UNCOUNTED);
    const counted = await once(2 * round);
    rounds.push({ without, counted });
  }
  await source.close();
  return { changes, rounds };
}
