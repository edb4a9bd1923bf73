/**
 * Who may import whom (ARCHITECTURE.md, "Rooms"): reads every import of src/ and compares it with the table. Types may
 * cross, values may not. No cycles, and each library has one door.
 */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';

const ROOT = path.resolve(import.meta.dirname, '../src');

const MAY: Record<string, string[]> = {
  model: [],
  runtime: ['model'],
  db: ['model', 'runtime'],
  transform: ['model', 'runtime'],
  sinks: ['model', 'runtime'],
  catalog: ['model', 'runtime', 'db'],
  messages: ['model', 'runtime', 'db'],
  capture: ['messages', 'catalog', 'db', 'runtime', 'model'],
  backfill: ['capture', 'messages', 'catalog', 'db', 'runtime', 'model'],
  verify: ['backfill', 'capture', 'transform', 'catalog', 'db', 'runtime', 'model'],
  deliver: ['messages', 'catalog', 'transform', 'db', 'runtime', 'model'],
  receive: ['messages', 'db', 'runtime', 'model'],
  retain: ['messages', 'catalog', 'db', 'runtime', 'model'],
  http: ['receive', 'retain', 'messages', 'catalog', 'runtime', 'model'],
  playground: ['db', 'runtime', 'model'],
};
/** The entries beside the rooms: they put them together. */
const ENTRIES = new Set([
  'app.ts',
  'roles',
  'all.ts',
  'start.ts',
  'main.ts',
  'cli.ts',
  'operator',
  'sql-prompt.ts',
  'sql-table.ts',
]);

const DOORS: Record<string, RegExp> = {
  pg: /^(db|messages\/append\.ts|deliver\/settle\.ts|retain|http\/errors\.ts)/,
  'pg-copy-streams': /^(messages\/append\.ts|retain)/,
  'pg-logical-replication': /^capture\/stream\.ts$/,
  'graphile-worker': /^runtime\/jobs\.ts$/,
  'isolated-vm': /^transform\//,
  undici: /^sinks\/[^/]+\/client\.ts$/,
  express: /^http\//,
  'node-pg-migrate': /^db\/migrate\.ts$/,
  'prom-client': /^runtime\/metrics\.ts$/,
  pino: /^runtime\/log\.ts$/,
  yaml: /^catalog\//,
  commander: /^cli\.ts$/,
};

const files = readdirSync(ROOT, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));
const roomOf = (file: string): string => (file.includes('/') ? file.slice(0, file.indexOf('/')) : file);

/** Import specifiers of values (an `import type` is free). */
function importsOf(file: string): string[] {
  const text = readFileSync(path.join(ROOT, file), 'utf8');
  const found = text.matchAll(/^(?:import|export)\s+(?!type\s)(?:[^'";]*?\sfrom\s+)?'([^']+)'/gms);
  return [...found]
    .filter(([whole]) => !/^\w+\s+\{(\s*type\s+[\w\s]+,?)+\s*\}/.test(whole))
    .map(([, specifier]) => specifier!);
}

const imports = new Map(files.map((file) => [file, importsOf(file)]));
const local = (file: string, specifier: string): string => path.join(path.dirname(file), specifier);

describe('rooms', () => {
  it('import only what they may', () => {
    const wrong: string[] = [];
    for (const [file, specifiers] of imports) {
      const room = roomOf(file);
      if (ENTRIES.has(room)) continue;
      for (const specifier of specifiers.filter((one) => one.startsWith('.'))) {
        const target = roomOf(local(file, specifier));
        if (target !== room && !MAY[room]?.includes(target)) wrong.push(`${file} -> ${local(file, specifier)}`);
      }
    }
    expect(wrong).to.deep.equal([]);
  });

  it('have one door for each library', () => {
    const wrong: string[] = [];
    for (const [file, specifiers] of imports) {
      for (const specifier of specifiers.filter((one) => !one.startsWith('.') && !one.startsWith('node:'))) {
        const door = DOORS[specifier];
        if (door && !door.test(file)) wrong.push(`${file} imports ${specifier}`);
      }
    }
    expect(wrong).to.deep.equal([]);
  });

  it('have no cycle', () => {
    const done = new Set<string>();
    const cycles: string[] = [];
    const visit = (file: string, trail: string[]): void => {
      if (trail.includes(file)) cycles.push([...trail.slice(trail.indexOf(file)), file].join(' -> '));
      if (done.has(file) || trail.includes(file)) return;
      for (const specifier of imports.get(file) ?? []) {
        if (specifier.startsWith('.')) visit(local(file, specifier), [...trail, file]);
      }
      done.add(file);
    };
    for (const file of files) visit(file, []);
    expect(cycles).to.deep.equal([]);
  });

  it('know every file: each lies in a room or is an entry', () => {
    const lost = files.filter((file) => !ENTRIES.has(roomOf(file)) && !(roomOf(file) in MAY));
    expect(lost).to.deep.equal([]);
    expect(files.length).to.be.greaterThan(50);
  });
});
