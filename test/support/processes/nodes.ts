/** The versions of Node on this machine, for what must run, or say what is missing, on each. */
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';

export interface Node {
  /** v20.20.2 */
  version: string;
  program: string;
}

/** Where `.ci/long` puts further ones. */
const CACHE = path.join(import.meta.dirname, '../../../node_modules/.cache/nodes');

/** Ours first, then the machine's own and those that `.ci/long` has fetched; each version once. */
export function nodes(): Node[] {
  const fetched = existsSync(CACHE) ? readdirSync(CACHE) : [];
  const programs = ['/usr/bin/node', ...fetched.map((name) => path.join(CACHE, name, 'node_modules/node/bin/node'))];
  const found = new Map([[process.version, process.execPath]]);
  for (const program of programs.filter((file) => existsSync(file))) {
    const version = execFileSync(program, ['--version'], { encoding: 'utf8' }).trim();
    if (!found.has(version)) found.set(version, program);
  }
  return [...found].map(([version, program]) => ({ version, program }));
}
