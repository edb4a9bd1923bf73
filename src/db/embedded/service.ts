/**
 * The embedded server as a Service: one that ends by itself (killed, out of memory) is started again on the same folder
 * and port, and whoever uses it reconnects.
 */
import { MillraceError } from '../../model/errors.ts';
import type { Service } from '../../runtime/service.ts';
import type { Embedded } from './server.ts';

export interface EmbeddedServiceOptions {
  /** Runs already. */
  first: Embedded;
  /** Starts it anew, on the same folder. */
  restart: () => Promise<Embedded>;
  /** Milliseconds that a fast shutdown may take, asked for when it begins. */
  stopMs: () => number;
}

export function embeddedService(options: EmbeddedServiceOptions): Service {
  let current: Embedded | undefined = options.first;
  return {
    name: 'embedded postgres',
    async run(signal) {
      current ??= await startAgain(options);
      const told = Promise.withResolvers<void>();
      signal.addEventListener('abort', () => told.resolve(), { once: true });
      if (signal.aborted) told.resolve();
      await Promise.race([current.exited, told.promise]);
      if (signal.aborted) return;
      await current.stop();
      current = undefined;
      throw new Error('the embedded Postgres ended by itself');
    },
    async close() {
      await current?.stop(options.stopMs());
    },
  };
}

async function startAgain(options: EmbeddedServiceOptions): Promise<Embedded> {
  const again = await options.restart();
  if (again.port === options.first.port) return again;
  await again.stop();
  throw new MillraceError(
    'unavailable',
    `Port ${options.first.port} of the embedded Postgres is in use by something else`,
  );
}
