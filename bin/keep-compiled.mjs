/**
 * Loads every source of the service once, after an installation, so that Node keeps what it makes of them (NODE_COMPILE_CACHE of
 * bin/millrace) and the first start has it already. Nothing is lost where that is not possible: a start does it by itself.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import module from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
/** They may come later, as in an image that has its packages first. */
const SOURCES = path.join(ROOT, 'src');
/** For a browser, in a process of its own, or what runs when it is loaded. */
const APART = /^(console|transform[\\/]process)[\\/]|^(cli|main)\.ts$/;
/** An installation does not wait for ever. */
const PATIENCE_MS = 60_000;

if (process.features.typescript && existsSync(SOURCES)) {
  process.env.NODE_COMPILE_CACHE ??= path.join(ROOT, 'node_modules/.cache/node');
  module.enableCompileCache(process.env.NODE_COMPILE_CACHE);
  const files = readdirSync(SOURCES, { recursive: true });
  for (const file of files.filter((name) => name.endsWith('.ts') && !APART.test(name)))
    await import(new URL(`../src/${file}`, import.meta.url)).catch(() => undefined);
  for (const args of [['bin/millrace', 'start', '--help'], ['src/main.ts']])
    spawnSync(process.execPath, args, { cwd: ROOT, stdio: 'ignore', timeout: PATIENCE_MS, killSignal: 'SIGKILL' });
}
process.exit(0);
