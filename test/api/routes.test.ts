/** What holds for every management route. */
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import { ROUTES } from '../../src/api/routes.ts';

const FILE = path.join(import.meta.dirname, '../../docs/management-api.md');
const OTHER =
  'the table of docs/management-api.md is not that of the routes: write it with MILLRACE_WRITE_DOCS=1 npx mocha test/api/routes.test.ts';
/** Whole rows, from the line under their head to the first that is none. */
const TABLE = /(?<=\n\| route \| scope \| \| from psql \|\n\|---\|---\|---\|---\|\n)(?:\|.*\n)*/;

describe('a management route', () => {
  let page = readFileSync(FILE, 'utf8');

  it('is documented by a row of its own, in the order of the routes', () => {
    const rows = ROUTES.map(({ method, path: at, scope, summary, sql }) => {
      const shown = at.replaceAll(/:(\w+)/g, '{$1}');
      return `| \`${method} ${shown}\` | \`${scope}\` | ${summary} | ${sql === null ? '' : `\`${sql}\``} |\n`;
    });
    expect(page).to.match(TABLE);
    if (process.env.MILLRACE_WRITE_DOCS) {
      page = page.replace(TABLE, () => rows.join(''));
      writeFileSync(FILE, page);
    }
    expect(TABLE.exec(page)![0].split('\n'), OTHER).to.deep.equal(rows.join('').split('\n'));
  });

  it('has each of its parameters named in the documentation', () => {
    for (const { method, path: at, input } of ROUTES) {
      const missing = Object.keys(input.shape).filter((key) => !new RegExp(`\`${key}\`|\\{${key}\\}`).test(page));
      expect(missing, `${method} ${at}: docs/management-api.md does not name`).to.deep.equal([]);
    }
  });

  it('is the only one at its path with its method', () => {
    const all = ROUTES.map(({ method, path: at }) => `${method} ${at}`);
    expect([...new Set(all)]).to.deep.equal(all);
  });
});
