/** /metrics of a role that has no HTTP API: its own process and what it does. Open, like that of the web role. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { Log } from './log.ts';
import type { Metrics } from './metrics.ts';
import type { Service } from './service.ts';

/** Listens while it runs. A port that is taken is tried again by whoever runs it. */
export function openMetricsServer(
  { metrics, log }: { metrics: Metrics; log: Pick<Log, 'info'> },
  address: { host: string | null; port: number },
): Service {
  return {
    name: 'metrics',
    async run(signal) {
      const server = createServer({ requestTimeout: 10_000 }, (request, response) => {
        const answer = (status: number, type: string, text: string): void => {
          response.writeHead(status, { 'Content-Type': type, 'Cache-Control': 'no-store' }).end(text);
        };
        if (request.url !== '/metrics') return answer(404, 'text/plain', 'GET /metrics\n');
        if (request.method !== 'GET') return answer(405, 'text/plain', 'GET /metrics\n');
        metrics.render().then(
          ({ contentType, text }) => answer(200, contentType, text),
          () => answer(500, 'text/plain', 'the metrics could not be rendered\n'),
        );
      });
      server.maxConnections = 20;
      server.listen({ port: address.port, ...(address.host === null ? {} : { host: address.host }) });
      await once(server, 'listening');
      log.info({ host: address.host ?? '*', port: address.port }, 'metrics');
      if (!signal.aborted) await once(signal, 'abort');
      server.closeAllConnections();
      server.close();
    },
    close: () => Promise.resolve(),
  };
}
