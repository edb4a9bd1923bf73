/** The console's types are those of the API as it is. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { openApiOf } from '../../src/api/openapi.ts';
import { ROUTES } from '../../src/api/routes.ts';
import { runCli } from '../support/processes/cli.ts';

describe('console: the types of the API', () => {
  it('are written from the document that the service prints: npm run types', async () => {
    const { stdout } = await runCli(['openapi']);
    expect(Object.keys(JSON.parse(stdout).paths)).to.deep.equal(Object.keys(openApiOf(ROUTES).paths as object));
    const [head] = readFileSync(new URL('../../src/console/api/schema.gen.ts', import.meta.url), 'utf8').split('\n');
    expect(head).to.contain(createHash('sha256').update(stdout).digest('hex'));
  });
});
