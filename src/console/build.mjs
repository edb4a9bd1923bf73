/**
 * Builds the console into dist/console: `node src/console/build.mjs [--if-possible]`. One builder for every way: npm's `prepare` and
 * `build`, and a start in a clone. Nothing is done where the last build is of these sources. With --if-possible, missing tools or
 * sources are one line and no failure, and a build that is there stays. Plain JavaScript: it may run on a Node that strips no types.
 */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const SOURCES = path.join(ROOT, 'src/console');
const TARGET = path.join(ROOT, 'dist/console');
const ID = path.join(TARGET, 'build-id');

/** Of what is packed; already small formats are left as they are. */
const PACKED = /\.(js|css|html|svg|json)$/;

const filesIn = (folder) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath ?? entry.path, entry.name))
    .sort();

/** Of the sources and of the packages they are built with. */
function sourcesId() {
  const hash = createHash('sha256');
  for (const file of [...filesIn(SOURCES), path.join(ROOT, 'package-lock.json')]) {
    if (!existsSync(file)) continue;
    hash
      .update(`${path.relative(ROOT, file)}\0`)
      .update(readFileSync(file))
      .update('\0');
  }
  return hash.digest('hex').slice(0, 16);
}

/** Undefined where Vite and its plugins are not installed: production needs the built files alone. */
async function loadTools() {
  try {
    const [vite, react, tailwind] = await Promise.all([
      import('vite'),
      import('@vitejs/plugin-react'),
      import('@tailwindcss/vite'),
    ]);
    return { build: vite.build, plugins: [react.default(), tailwind.default()] };
  } catch (error) {
    if (error.code === 'ERR_MODULE_NOT_FOUND') return undefined;
    throw error;
  }
}

async function build({ build: bundle, plugins }, id) {
  const making = `${TARGET}.${process.pid}`;
  // Whoever may not write there learns it now, and by the folder's name.
  mkdirSync(making, { recursive: true });
  try {
    await make(bundle, plugins, making);
    writeFileSync(path.join(making, 'build-id'), id);
    rmSync(TARGET, { recursive: true, force: true });
    renameSync(making, TARGET);
  } finally {
    rmSync(making, { recursive: true, force: true });
  }
}

async function make(bundle, plugins, making) {
  await bundle({
    root: SOURCES,
    configFile: false,
    logLevel: 'warn',
    plugins,
    base: '/',
    html: { cspNonce: '__NONCE__' },
    build: {
      outDir: making,
      emptyOutDir: true,
      target: ['chrome114', 'firefox121', 'safari17'],
      modulePreload: { polyfill: false },
      assetsInlineLimit: 0,
      reportCompressedSize: false,
    },
  });
  for (const file of filesIn(making).filter((name) => PACKED.test(name))) {
    const body = readFileSync(file);
    writeFileSync(`${file}.gz`, gzipSync(body, { level: 9 }));
    writeFileSync(`${file}.br`, brotliCompressSync(body, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }));
  }
}

async function main() {
  const ifPossible = process.argv.includes('--if-possible');
  const lacks = (what) => {
    const there = existsSync(ID) ? 'the console that is built already stays' : 'the console is not built';
    process.stdout.write(`${what}: ${there}\n`);
    return ifPossible ? 0 : 1;
  };
  if (!existsSync(path.join(SOURCES, 'main.tsx'))) return lacks('No sources of the console are here');
  const id = sourcesId();
  if (existsSync(ID) && readFileSync(ID, 'utf8') === id) return 0;
  const tools = await loadTools().catch((error) => String(error?.message ?? error));
  if (tools === undefined) return lacks('Vite is not installed (npm ci)');
  if (typeof tools === 'string') return lacks(`Vite does not run here (${tools.split('\n')[0]})`);
  try {
    await build(tools, id);
  } catch (error) {
    if (!ifPossible) throw error;
    return lacks(`The console could not be built (${String(error?.message ?? error).split('\n')[0]})`);
  }
  return 0;
}

process.exitCode = await main();
