/** Every finding has its row in docs/doctor.md: whoever is shown an id finds it there. */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';

const ROOT = path.join(import.meta.dirname, '../..');
const PAGE = readFileSync(path.join(ROOT, 'docs/doctor.md'), 'utf8');
const FOLDERS = ['src/checks', 'src/admin/doctor'];

describe('findings', () => {
  it('are documented', () => {
    const texts = FOLDERS.flatMap((folder) =>
      readdirSync(path.join(ROOT, folder)).map((file) => readFileSync(path.join(ROOT, folder, file), 'utf8')),
    );
    const said = /\b(?:fault|warning|notice|passed|skipped|refuse|gap|doubtful)\(\s*'(\w+)'/g;
    const ids = new Set(texts.flatMap((text) => [...text.matchAll(said)].map(([, id]) => id!)));
    expect(ids.size).to.be.greaterThan(50);
    const missing = [...ids].filter((id) => !PAGE.includes(`\`${id}\``));
    expect(missing, 'docs/doctor.md has no row for').to.deep.equal([]);
  });
});
