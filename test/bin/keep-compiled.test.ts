/** What Node makes of the sources is kept at the installation, and no process of the service makes it anew. */
import { execFile } from 'node:child_process';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { nodes } from '../support/processes/nodes.ts';

const ROOT = path.join(import.meta.dirname, '../..');
const run = promisify(execFile);
/** Says on stderr at its end whether the compiler of types was loaded. */
const SAY = `process.on('exit', () => process.stderr.write('compiler: ' + process.moduleLoadList.some((name) => /amaro/.test(name))))`;
const importing = (...modules: string[]): string =>
  `${modules.map((module) => `await import(${JSON.stringify(path.join(ROOT, 'src', module))});`).join('')} process.exit(0)`;

describe('bin/keep-compiled.mjs', () => {
  let folder: string;
  before(async () => {
    folder = await mkdtemp(path.join(os.tmpdir(), 'keep-compiled-'));
  });
  after(() => rm(folder, { recursive: true, force: true }));

  async function loadsCompiler(...args: string[]): Promise<boolean> {
    const env = { ...process.env, NODE_COMPILE_CACHE: folder };
    const words = ['--import', `data:text/javascript,${encodeURIComponent(SAY)}`, ...args];
    const { stderr } = await run(process.execPath, words, { cwd: ROOT, env }).catch(
      (error: { stderr: string }) => error,
    );
    return stderr.includes('compiler: true');
  }

  it('leaves nothing to compile: neither for what starts everything, nor for a role or what a request asks for', async () => {
    const processes = [
      ['src/cli.ts', 'start', '--help'],
      ['src/main.ts'],
      ...['all', 'migrate', 'capture', 'worker', 'web'].map((role) => [
        ...['--input-type=module', '-e'],
        importing('start.ts', 'app.ts', `roles/${role}.ts`),
      ]),
      [
        '--input-type=module',
        '-e',
        importing('http/management.ts', 'sinks/webhook/sink.ts', 'admin/doctor/examine.ts'),
      ],
    ];
    expect(await loadsCompiler(...processes[0]!), 'before').to.equal(true);
    await run(process.execPath, ['bin/keep-compiled.mjs'], {
      cwd: ROOT,
      env: { ...process.env, NODE_COMPILE_CACHE: folder },
    });
    for (const args of processes) expect(await loadsCompiler(...args), args.join(' ')).to.equal(false);
  });

  it('fails no installation, whichever Node runs it', async () => {
    for (const { version, program } of nodes()) {
      const env = { ...process.env, NODE_COMPILE_CACHE: path.join(folder, version) };
      const { stdout, stderr } = await run(program, ['bin/keep-compiled.mjs'], { cwd: ROOT, env });
      expect([version, stdout, stderr]).to.deep.equal([version, '', '']);
    }
  });

  it('lets an installation be that has no sources yet', async () => {
    await cp(path.join(ROOT, 'bin'), path.join(folder, 'bin'), { recursive: true });
    await run(process.execPath, [path.join(folder, 'bin/keep-compiled.mjs')]);
  });
});
