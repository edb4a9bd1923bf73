/**
 * Webhooks: changes that are already in the WAL, until an endpoint that does nothing has all of them, in a request each and
 * in batches, beside the same requests by undici alone.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { type DrainRound, drainOnce, freshChanges, prepareSource } from './drain.ts';
import type { Server } from './server.ts';
import { startReceiver } from './service.ts';

export const PARALLEL = 32;
export const BATCH_SIZE = 100;

export interface WebhookWay extends Omit<DrainRound, 'limitPerSecond'> {
  /** Messages that undici alone sends in the same requests. */
  alonePerSecond: number;
}

export interface Webhook {
  changes: number;
  rounds: { single: WebhookWay; batched: WebhookWay }[];
}

export async function webhook(server: Server, options: { changes: number; rounds: number }): Promise<Webhook> {
  const { changes } = options;
  const { source, sourceUrl } = await prepareSource(server);
  const rounds: Webhook['rounds'] = [];
  const once = async (round: number, batch: boolean): Promise<WebhookWay> => {
    await freshChanges(source, { slot: `drain_${round}`, changes });
    const ours = await drainOnce(server, { sourceUrl, round, changes, declared: (url) => hook(url, batch) });
    const { requests, bytes } = ours;
    return { ...ours, alonePerSecond: changes / (await alone({ requests, bytes: Math.round(bytes / requests) })) };
  };
  for (let round = 1; round <= options.rounds; round += 1) {
    rounds.push({ single: await once(2 * round - 1, false), batched: await once(2 * round, true) });
  }
  await source.close();
  return { changes, rounds };
}

/** Seconds. `bytes`: of each request. */
async function alone({ requests, bytes }: { requests: number; bytes: number }): Promise<number> {
  const receiver = await startReceiver({ arrivals: false });
  try {
    const child = fork(path.join(import.meta.dirname, 'webhook-sender.ts'), {
      env: {
        ...process.env,
        ...{
          URL: `${receiver.url}/hook`,
          REQUESTS: String(requests),
          BYTES: String(bytes),
          PARALLEL: String(PARALLEL),
        },
      },
      stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
    });
    const [seconds] = (await once(createInterface({ input: child.stdout! }), 'line')) as [string];
    return Number(seconds);
  } finally {
    await receiver.stop();
  }
}

const hook = (receiverUrl: string, batch: boolean): string => `sinks:
  - name: bench
    database: bench
    destination:
      type: webhook
      url: ${receiverUrl}/hook
      parallel: ${PARALLEL}
      batch: ${batch}
      batch_size: ${BATCH_SIZE}
`;
