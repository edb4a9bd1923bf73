/** The changes of the drain taken by Debezium Server, made anew, until the same receiver has them all. */
import { type DebeziumServer, findDebezium, startDebezium } from './debezium-server.ts';
import { type Drained, type DrainOptions, less, untilReceived, untilStreaming } from './drain.ts';
import { cpuOf, serverCpu, watchMemory } from './processes.ts';
import type { Server } from './server.ts';
import { startReceiver } from './service.ts';

/** Undefined, with a word about it, where it cannot be run. */
export async function debeziumBeside(): Promise<DrainOptions['peer']> {
  const found = await findDebezium();
  if (!('why' in found)) return (server, input) => drainByDebezium(server, found, input);
  console.error(`Debezium Server is not compared: ${found.why}`);
  return undefined;
}

async function drainByDebezium(
  server: Server,
  debezium: DebeziumServer,
  input: { sourceUrl: string; slot: string; changes: number },
): Promise<Drained> {
  const { sourceUrl, slot, changes } = input;
  const receiver = await startReceiver({ arrivals: false });
  try {
    const service = await startDebezium(debezium, { sourceUrl, slot, receiverUrl: receiver.url });
    const memory = watchMemory([service.pid]);
    try {
      const begunAt = await Promise.race([service.failed, untilStreaming(server, slot)]);
      const before = { own: cpuOf([service.pid]), server: serverCpu(server.pid) };
      const lastAt = await Promise.race([service.failed, untilReceived(receiver, changes)]);
      const { requests, bytes } = await receiver.stats();
      const after = { own: cpuOf([service.pid]), server: serverCpu(server.pid) };
      return {
        perSecond: changes / ((lastAt - begunAt) / 1_000),
        rolesCpu: less(after.own, before.own),
        walsenderCpu: less(after.server?.walsenders, before.server?.walsenders),
        serverCpu: less(after.server?.others, before.server?.others),
        peakRssBytes: memory.stop(),
        requests,
        bytes,
      };
    } finally {
      memory.stop();
      await service.stop();
    }
  } finally {
    await receiver.stop();
  }
}
