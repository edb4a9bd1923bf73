/** What the builder of the console says, and leaves, where it cannot build. */
import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';

const ROOT = path.resolve(import.meta.dirname, '../..');

describe('a build of the console that fails', () => {
  let clone: string;
  beforeEach(async () => {
    clone = await mkdtemp(path.join(os.tmpdir(), 'millrace-console-'));
    const sources = path.join(clone, 'src/console');
    await mkdir(sources, { recursive: true });
    await cp(path.join(ROOT, 'src/console/build.mjs'), path.join(sources, 'build.mjs'));
    await symlink(path.join(ROOT, 'node_modules'), path.join(clone, 'node_modules'));
    await writeFile(path.join(sources, 'main.tsx'), 'this is no program');
  });
  afterEach(() => rm(clone, { recursive: true }));

  const build = async (): Promise<string> =>
    (await promisify(execFile)(process.execPath, ['src/console/build.mjs', '--if-possible'], { cwd: clone })).stdout;

  it('says that its folder cannot be written, before it has built anything', async function () {
    if (process.platform !== 'linux') return this.skip();
    // Nobody, not even root, makes a folder there.
    await symlink('/sys', path.join(clone, 'dist'));
    expect(await build()).to.match(
      /^The console could not be built \(E[A-Z]+: [^)]*dist\/console[^)]*\): the console is not built\n$/,
    );
  });

  it('leaves nothing behind', async () => {
    await build();
    expect(await readdir(path.join(clone, 'dist'))).to.deep.equal([]);
  });
});
