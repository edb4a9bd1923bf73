/** Of a kind of sink nothing is known outside its folder but what `kind.ts` says, and nothing is loaded but that. */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import { KINDS } from '../../src/sinks/kinds.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');

const filesOf = (folder: string, end: string): string[] =>
  readdirSync(path.join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith(end))
    .map((file) => path.join(folder, file));
const textOf = (file: string): string => readFileSync(path.join(ROOT, file), 'utf8');

/** What a file loads when it is loaded: neither types nor `import()`. */
const loadsOf = (file: string): string[] =>
  [...textOf(file).matchAll(/^(?:import|export)\s+(?!type\b)(?:[^'";]*?\sfrom\s+)?'([^']+)'/gms)].map(
    ([, name]) => name!,
  );

describe('the kinds of sinks', () => {
  it('are compared by name nowhere: what is to be known of one is a trait, or asked of the kind', () => {
    const names = new Set(KINDS.flatMap(({ type, names }) => [type, ...names]));
    const word = new RegExp(`'(${[...names].join('|')})'`);
    const files = [...filesOf('src', '.ts'), ...filesOf('sql', '.sql'), ...filesOf('migrations', '.sql')];
    const found = files
      // The console draws what the API names: it has no traits to ask.
      .filter((file) => !/^src\/(?:sinks\/[^/]+|console)\//.test(file))
      .flatMap((file) =>
        textOf(file)
          .split('\n')
          .flatMap((line, n) => (word.test(line) ? [`${file}:${n + 1} ${line.trim()}`] : [])),
      );
    expect(files.length).to.be.greaterThan(400);
    expect(found, 'ask for a trait, or a field of the kind, where the name of a kind stands').to.deep.equal([]);
  });

  it('have names of their own', () => {
    const names = KINDS.flatMap((kind) => kind.names);
    expect(names).to.deep.equal([...new Set(names)]);
    const types = KINDS.map(({ type }) => type);
    expect(types).to.deep.equal([...new Set(types)]);
  });

  it('have what their traits promise', () => {
    for (const { type, traits, index, openReader, lanes } of KINDS) {
      expect([index !== undefined, openReader !== undefined], type).to.deep.equal([traits.readable, traits.readable]);
      if (traits.order === 'commit' || traits.receivable) expect(lanes, type).to.equal(1);
    }
  });

  it('load no library, no schema and no client until they are asked for', () => {
    const loaded = new Set<string>();
    const libraries: string[] = [];
    const load = (file: string): void => {
      if (loaded.has(file)) return;
      loaded.add(file);
      for (const name of loadsOf(file)) {
        if (name.startsWith('.')) load(path.join(path.dirname(file), name));
        else if (!name.startsWith('node:')) libraries.push(`${file} loads ${name}`);
      }
    };
    load('src/sinks/kinds.ts');
    load('src/sinks/contract.ts');
    expect(libraries).to.deep.equal([]);
    expect(loaded.size).to.be.greaterThan(KINDS.length);
  });
});
