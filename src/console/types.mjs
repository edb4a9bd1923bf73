/**
 * Writes api/schema.gen.ts, the types of the API, from the document that the service itself prints: `npm run types`.
 * openapi-typescript cannot be installed beside TypeScript 7, so it is run from a folder of its own.
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const TOOLS = ['--package=typescript@5.9', '--package=openapi-typescript@7.13.0'];

const folder = mkdtempSync(path.join(tmpdir(), 'millrace-types-'));
try {
  const document = execFileSync(process.execPath, [path.join(ROOT, 'src/cli.ts'), 'openapi'], { cwd: ROOT });
  const [source, target] = [path.join(folder, 'openapi.json'), path.join(folder, 'schema.ts')];
  writeFileSync(source, document);
  execFileSync('npx', ['--yes', ...TOOLS, '--', 'openapi-typescript', source, '-o', target], {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const sha = createHash('sha256').update(document).digest('hex');
  const head = `// Written by \`npm run types\` from the document with SHA-256 ${sha}; nobody edits it by hand.\n`;
  const types = readFileSync(target, 'utf8').replace(/^\/\*\*[\s\S]*?\*\/\n+/, '');
  writeFileSync(path.join(ROOT, 'src/console/api/schema.gen.ts'), `${head}${types}`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
