/** What stands between the sandbox process and its parent when code has got past the isolate and past Node's permission model. */
import { fork, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { confinement, freeId } from '../../src/transform/confinement.ts';

const here = (file: string) => fileURLToPath(new URL(file, import.meta.url));
const isRoot = process.getuid?.() === 0;

interface Told {
  wrap: string[];
  account?: number;
  outcomes: Record<string, string>;
  debugger: string | null;
}

/** As another account when one is given, which only root can. */
async function told(uid?: number): Promise<Told> {
  const parent = fork(here('./outside-parent.ts'), [], {
    execArgv: ['--no-warnings'],
    ...(uid === undefined ? {} : { uid, gid: uid }),
  });
  return await Promise.race([
    once(parent, 'message').then(([found]) => found as Told),
    once(parent, 'exit').then(([code]) => Promise.reject(new Error(`the probe's parent ended with ${code}`))),
  ]);
}

describe('the process of the functions, if code got out', function () {
  this.timeout(120_000);
  before(function () {
    if (process.platform !== 'linux') this.skip();
  });

  const common = ({ wrap, outcomes, debugger: opened }: Told) => {
    expect(opened, 'the signal opens no debugger').to.equal(null);
    if (wrap.includes('--no-new-privs')) expect(outcomes.noNewPrivileges).to.equal('1');
    if (wrap.includes('--core=0')) expect(outcomes.cores).to.equal('0');
    if (wrap.includes('--net')) expect(outcomes.network).to.equal('ENETUNREACH');
  };

  it('of root: reaches nothing of its parent, as an account of its own', async function () {
    if (!isRoot) this.skip();
    const found = await told();
    common(found);
    expect(found.account).to.be.a('number');
    expect(found.outcomes).to.include({ signal: 'EPERM', environment: 'EACCES', memory: 'EACCES' });
  });

  it('of another account: reads neither memory nor environment where there are user namespaces', async function () {
    const found = await told(isRoot ? 64_199 : undefined);
    common(found);
    expect(found.account).to.equal(undefined);
    // A machine without them: SECURITY.md says what remains.
    if (!found.wrap.includes('--user')) this.skip();
    expect(found.outcomes).to.include({ environment: 'EACCES', memory: 'EACCES' });
  });

  it('has an account that nobody else has', () => {
    const passwd = 'root:x:0:0:root:/root:/bin/sh\nme:x:64207:100::/:/bin/sh\nyou:x:1000:64208::/:/bin/sh\n';
    expect(freeId([passwd, 'them:x:64209:\n'], 64_207)).to.equal(64_210);
    expect(freeId(['', ''], 64_207)).to.equal(64_207);
  });

  it('is started by way of what works here, and of nothing that does not', async function () {
    const [program, ...args] = confinement().wrap;
    if (program === undefined) return this.skip();
    const child = spawn(program, [...args, process.execPath, '-e', 'process.exit(7)'], { env: {}, cwd: '/' });
    expect((await once(child, 'exit'))[0]).to.equal(7);
  });
});

describe('SIGUSR1', function () {
  this.timeout(120_000);

  /** What a process says once it got the signal, with a port of its own for a debugger. */
  const afterSignal = async (args: readonly string[]): Promise<string> => {
    const child = spawn(process.execPath, ['--inspect-port=0', ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
    let said = '';
    child.stdout.on('data', (text: Buffer) => {
      said += text.toString();
    });
    child.stderr.on('data', (text: Buffer) => {
      said += text.toString();
    });
    await once(child, 'exit');
    return said;
  };
  for (const words of [
    ['main.ts', 'worker'],
    ['cli.ts', 'start', 'worker'],
  ]) {
    it(`opens no debugger in a role that was started by hand (${words.join(' ')})`, async () => {
      // Says nothing, so that the role is there until it is told to stop.
      const server = createServer().listen(0, '127.0.0.1');
      await once(server, 'listening');
      const { port } = server.address() as { port: number };
      const [file, ...rest] = words;
      const role = spawn(process.execPath, ['--inspect-port=0', here(`../../src/${file}`), ...rest], {
        env: {
          ...process.env,
          DATABASE_URL: `postgres://me@127.0.0.1:${port}/none`,
          SECRET_KEY: randomBytes(32).toString('hex'),
        },
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      let said = '';
      for (const stream of [role.stdout, role.stderr])
        stream.on('data', (text: Buffer) => {
          said += text.toString();
        });
      const [socket] = (await Promise.race([
        once(server, 'connection'),
        once(role, 'exit').then(() => Promise.reject(new Error(said))),
      ])) as [Socket];
      role.kill('SIGUSR1');
      role.kill('SIGTERM');
      await once(role, 'exit');
      expect(said).not.to.include('Debugger listening');
      socket.destroy();
      server.close();
    });
  }

  const strike = "process.kill(process.pid, 'SIGUSR1'); setTimeout(() => process.exit(0), 300);";

  it('opens no debugger in what was started by hand', async () => {
    const guard = `import { withoutDebugger } from '${new URL('../../src/runtime/no-debugger.ts', import.meta.url)}';`;
    expect(await afterSignal(['--no-warnings', '--input-type=module', '-e', strike])).to.include('Debugger listening');
    const own = `${guard} withoutDebugger(); ${strike}`;
    expect(await afterSignal(['--no-warnings', '--input-type=module', '-e', own])).to.equal('');
    expect(await afterSignal(['--disable-sigusr1', '--input-type=module', '-e', strike])).to.equal('');
  });
});
