/** The request that the console gives to copy where an index is missing. */
import { expect } from 'chai';
import { indexCommand } from '../../src/console/pages/sinks/form/index-command.ts';

describe('console: the request that makes an index', () => {
  const destination = { endpoint_url: 'https://es:9200/', index_name: "it's", auth_type: 'basic' };

  it('reaches the engine as the sink does', () => {
    const made = indexCommand(destination, [{ name: 'id', type: 'bigint' }]);
    expect(made)
      .to.match(/^curl -X PUT -u "\$SEARCH_CREDENTIAL" 'https:\/\/es:9200\/it'\\''s' /)
      .and.to.include('"type": "long"');
    expect(indexCommand({ ...destination, auth_type: 'none', tls: { ca: null, verify: false } }, undefined)).to.equal(
      `curl -X PUT -k 'https://es:9200/it'\\''s' -H 'Content-Type: application/json' -d '{}'`,
    );
  });
});
