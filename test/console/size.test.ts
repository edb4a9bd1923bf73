/** What a browser loads before it shows anything, and beside it: packed by gzip, as most proxies leave it. */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const ASSETS = path.join(ROOT, 'dist/console/assets');

/** Bytes. */
const FIRST = 280 * 1024;
const LAZY = 200 * 1024;

describe('console: its size', () => {
  // Nothing is done where it is up to date.
  before(() => void execFileSync(process.execPath, [path.join(ROOT, 'src/console/build.mjs')]));

  const packed = (name: string): number => readFileSync(path.join(ASSETS, `${name}.gz`)).length;
  /** What a file loads with itself. */
  const withIts = (name: string, known = new Set<string>()): Set<string> => {
    if (known.has(name)) return known;
    known.add(name);
    const text = readFileSync(path.join(ASSETS, name), 'utf8');
    for (const [, file] of text.matchAll(/(?:from|import)\s*"\.\/([^"]+\.js)"/g)) withIts(file!, known);
    return known;
  };

  it('loads the overview in 280 KB, and nothing lazy is larger than 200', () => {
    const files = readdirSync(ASSETS);
    const page = readFileSync(path.join(ROOT, 'dist/console/index.html'), 'utf8');
    const named = [...page.matchAll(/\/assets\/([^"]+\.(?:js|css))"/g)].map(([, name]) => name!);
    const entry = named.flatMap((name) => (name.endsWith('.js') ? [...withIts(name)] : [name]));
    const pages = files.filter((name) => /^overview-[\w-]+\.js$/.test(name));
    expect(pages).to.not.deep.equal([]);
    const first = new Set(entry);
    for (const page of pages) {
      const needed = new Set([...entry, ...withIts(page)]);
      const sum = [...needed].reduce((bytes, name) => bytes + packed(name), 0);
      expect(sum, [...needed].map((name) => `${name} ${packed(name)}`).join('\n')).to.be.at.most(FIRST);
    }
    for (const name of files.filter((each) => each.endsWith('.js') && !first.has(each))) {
      expect(packed(name), name).to.be.at.most(LAZY);
    }
  });

  it('writes no HTML by itself', () => {
    const sources = readdirSync(path.join(ROOT, 'src/console'), { recursive: true, encoding: 'utf8' });
    const wrong = sources
      .filter((name) => /\.tsx?$/.test(name))
      .filter((name) =>
        /innerHTML|outerHTML|insertAdjacentHTML|document\.write|dangerouslySet|\beval\(/.test(
          readFileSync(path.join(ROOT, 'src/console', name), 'utf8'),
        ),
      );
    expect(wrong).to.deep.equal([]);
  });
});
