/** On the scripted engine; test/search-engine/ has the same on real ones. */
import { type BulkServer, startBulkServer } from '../support/engines/bulk-server.ts';
import { converges } from '../support/engines/converging.ts';

describe('requests that come late, large or many', () => {
  let server: BulkServer;
  let count = 0;
  before(async () => {
    server = await startBulkServer();
  });
  after(() => server.close());

  converges(() => ({
    url: server.url,
    auth: { auth_type: 'none', auth_value: null },
    createIndex() {
      const documents = server.engine;
      count += 1;
      const name = `products-${count}`;
      documents.createIndex(name);
      return Promise.resolve({
        name,
        documents: () => Promise.resolve(documents.documents(name)),
        drop: () => Promise.resolve(documents.deleteIndex(name)),
      });
    },
  }));
});
