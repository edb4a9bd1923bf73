/** What holds for every management route. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import { ROUTES } from '../../src/api/routes.ts';

const PAGE = readFileSync(path.join(import.meta.dirname, '../../docs/management-api.md'), 'utf8');

describe('a management route', () => {
  for (const { method, path: at, scope, summary, sql, input } of ROUTES) {
    it(`is documented: ${method} ${at}`, () => {
      const shown = at.replaceAll(/:(\w+)/g, '{$1}');
      const row = `| \`${method} ${shown}\` | \`${scope}\` | ${summary} | ${sql === null ? '' : `\`${sql}\``} |`;
      expect(PAGE.split('\n').includes(row), `add this row to docs/management-api.md: ${row}`).to.equal(true);
      const missing = Object.keys(input.shape).filter((key) => !new RegExp(`\`${key}\`|\\{${key}\\}`).test(PAGE));
      expect(missing, 'docs/management-api.md does not name').to.deep.equal([]);
    });
  }

  it('is the only one at its path with its method', () => {
    const all = ROUTES.map(({ method, path: at }) => `${method} ${at}`);
    expect([...new Set(all)]).to.deep.equal(all);
  });
});
