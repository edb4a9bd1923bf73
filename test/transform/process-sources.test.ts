/** What the sandbox process loads, and so may read: its sources are listed, and nothing else of ours comes in by an import. */
import { readdirSync, readFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import path from 'node:path';
import { expect } from 'chai';
import { SOURCES } from '../../src/transform/start-process.ts';

const ROOT = path.resolve(import.meta.dirname, '../../src');

/** Files of ours that a module's text imports. */
function importsOf(file: string, text: string): string[] {
  const found = text.matchAll(/^\s*(?:import|export)\s+(?:[^'";]*?\sfrom\s+)?'(\.[^']+)'|\bimport\(\s*'(\.[^']+)'/gm);
  return [...found].map(([, statement, call]) => path.join(path.dirname(file), (statement ?? call)!));
}

const textOf = (file: string): string => readFileSync(path.join(ROOT, file), 'utf8');

/** A file and all that it loads; types alone load nothing. */
function loadedBy(file: string, seen = new Set<string>()): Set<string> {
  if (seen.has(file)) return seen;
  seen.add(file);
  for (const one of importsOf(file, stripTypeScriptTypes(textOf(file)))) loadedBy(one, seen);
  return seen;
}

describe('the sources of the sandbox process', () => {
  it('are the ones that it may read', () => {
    expect([...SOURCES].sort()).to.deep.equal([...loadedBy('transform/process/main.ts')].sort());
  });

  it('import nothing but each other and what is known of functions, types included', () => {
    const allowed = /^(transform\/(process|protocol)\/|model\/(declared|errors|message|outside-text)\.ts$)/;
    for (const folder of ['transform/process', 'transform/protocol']) {
      for (const name of readdirSync(path.join(ROOT, folder))) {
        const file = `${folder}/${name}`;
        for (const imported of importsOf(file, textOf(file))) expect(imported, file).to.match(allowed);
        if (folder === 'transform/protocol') {
          expect(importsOf(file, textOf(file)).filter((one) => one.startsWith('transform/process/'))).to.deep.equal([]);
        }
      }
    }
  });
});
