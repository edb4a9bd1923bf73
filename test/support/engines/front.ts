/** What a person asks of a search engine, before a scripted one: an index by PUT, and a search by `?q=`. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse, request as send } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { BulkServer } from './bulk-server.ts';

/** Its port; everything else goes to the scripted engine. */
export async function startFront(engine: BulkServer): Promise<{ port: number; close(): Promise<void> }> {
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', engine.url);
    const [, index = '', verb] = pathname.split('/');
    if (request.method === 'PUT' && verb === undefined) {
      engine.engine.createIndex(index);
      answer(response, { acknowledged: true, index });
    } else if (request.method === 'GET' && verb === '_search') {
      const word = searchParams.get('q') ?? '';
      const found = [...engine.engine.documents(index)].filter(([, source]) => JSON.stringify(source).includes(word));
      answer(response, { hits: { hits: found.map(([id, source]) => ({ _index: index, _id: id, _source: source })) } });
    } else pass(request, response, engine);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    async close() {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

function answer(response: ServerResponse, body: object): void {
  response.setHeader('content-type', 'application/json').end(JSON.stringify(body));
}

function pass(request: IncomingMessage, response: ServerResponse, { port }: BulkServer): void {
  const { method, url: path, headers } = request;
  const onward = send({ host: '127.0.0.1', port, method, path, headers }, (answered) => {
    response.writeHead(answered.statusCode ?? 502, answered.headers);
    answered.pipe(response);
  });
  onward.on('error', () => response.destroy());
  request.pipe(onward);
}
