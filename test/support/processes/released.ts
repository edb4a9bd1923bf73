/** A release of before, as it was: its sources are in `test/db/released/`, its libraries are ours. */
import { execFile } from 'node:child_process';
import { mkdtemp, rm, symlink } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
const ROOT = fileURLToPath(new URL('../../../', import.meta.url));

export interface Released {
  /** Its `src/main.ts`. */
  main: string;
  remove(): Promise<void>;
}

/** `schema`: the version of the message database that it was made for. */
export async function unpackReleased(schema: number): Promise<Released> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'millrace-released-'));
  await run('tar', ['-xzf', path.join(ROOT, `test/db/released/schema-${schema}.tar.gz`), '-C', folder]);
  await symlink(path.join(ROOT, 'node_modules'), path.join(folder, 'node_modules'));
  return {
    main: path.join(folder, 'released/src/main.ts'),
    remove: async () => await rm(folder, { recursive: true, force: true }),
  };
}
