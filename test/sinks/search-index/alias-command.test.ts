/** The command that makes an alias lead to another index: what a person pastes, quoted, without the credential. */
import { expect } from 'chai';
import { aliasCommand } from '../../../src/sinks/search-index/alias-command.ts';
import { SEARCH } from '../../support/fixtures/captured.ts';

describe('moving an alias', () => {
  it('is one call, with the credential in a variable', () => {
    const command = aliasCommand(
      { ...SEARCH, endpoint_url: 'https://h:9200/x', auth_type: 'basic' },
      { alias: "it's", before: 'o', after: 'n', credential: 'SEARCH_CREDENTIAL' },
    );
    expect(command).to.equal(
      `curl -X POST https://h:9200/x/_aliases -H 'Content-Type: application/json' -u "$SEARCH_CREDENTIAL" -d ` +
        `'{"actions":[{"remove":{"index":"o","alias":"it'\\''s"}},{"add":{"index":"n","alias":"it'\\''s"}}]}'`,
    );
  });
});
