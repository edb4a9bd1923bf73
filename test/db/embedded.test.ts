import { chmod, lstat, mkdir, mkdtemp, readlink, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import { accountOf } from '../../src/db/embedded/account.ts';
import { copyNative, linksOf, repairNative } from '../../src/db/embedded/binaries.ts';
import { parsePidFile } from '../../src/db/embedded/orphan.ts';
import { fallbackName } from '../../src/db/embedded/place.ts';

describe('embedded postgres, decisions', () => {
  it('finds an unprivileged account, and never root', () => {
    const passwd =
      'root:x:0:0::/root:/bin/sh\npostgres:x:0:0::/:/bin/sh\nnobody:*:-2:-2::/:/bin/sh\ndb:x:101:104::/:/x\n';
    expect(accountOf(passwd, 'db')).to.deep.equal({ uid: 101, gid: 104 });
    expect(accountOf(passwd, 'nobody')).to.deep.equal({ uid: 4294967294, gid: 4294967294 });
    expect(accountOf(passwd, 'postgres')).to.equal(undefined);
    expect(accountOf(passwd, 'absent')).to.equal(undefined);
  });

  it('reads postmaster.pid, also a torn one', () => {
    const text = '123\n/data\n1700000000\n5433\n\n127.0.0.1\n   1 2\nready   \n';
    expect(parsePidFile(text)).to.deep.equal({ pid: 123, port: 5433, ready: true });
    expect(parsePidFile('123\n/data\n')).to.deep.equal({ pid: 123, port: undefined, ready: false });
    expect(parsePidFile('')).to.equal(undefined);
    expect(parsePidFile('-1\n')).to.equal(undefined);
    expect(parsePidFile('1\n')).to.equal(undefined);
  });

  it('names the other folder after the project, always the same', () => {
    expect(fallbackName('/root/a'))
      .to.equal(fallbackName('/root/a'))
      .and.to.match(/^millrace-[0-9a-f]{12}$/);
    expect(fallbackName('/root/a')).not.to.equal(fallbackName('/root/b'));
  });

  it('makes the links and bits that an install without scripts leaves out', async () => {
    const root = await mkdtemp(path.join(os.tmpdir(), 'millrace-native-'));
    try {
      const native = path.join(root, 'native');
      await mkdir(path.join(native, 'bin'), { recursive: true });
      await mkdir(path.join(native, 'lib'));
      await writeFile(path.join(native, 'bin', 'postgres'), '');
      await chmod(path.join(native, 'bin', 'postgres'), 0o644);
      await writeFile(path.join(native, 'lib', 'liba.so.1.2'), 'x');
      const links = [{ source: 'native/lib/liba.so.1.2', target: 'native/lib/liba.so.1' }];
      await writeFile(path.join(native, 'pg-symlinks.json'), JSON.stringify(links));
      await repairNative(native);
      await repairNative(native);
      expect(await readlink(path.join(native, 'lib', 'liba.so.1'))).to.equal('liba.so.1.2');
      const modeOf = async (...file: string[]) => (await lstat(path.join(...file))).mode & 0o777;
      expect(await modeOf(native, 'bin', 'postgres')).to.equal(0o755);
      for (const file of ['bin', 'lib', '.']) await chmod(path.join(native, file), 0o700);
      await chmod(path.join(native, 'lib', 'liba.so.1.2'), 0o600);
      const copy = path.join(root, 'copy');
      await copyNative(native, copy);
      for (const file of ['bin', 'lib', '.', 'bin/postgres']) expect(await modeOf(copy, file), file).to.equal(0o755);
      expect(await modeOf(copy, 'lib/liba.so.1.2')).to.equal(0o644);
    } finally {
      await rm(root, { recursive: true });
    }
    expect(linksOf('{"a":1}')).to.deep.equal([]);
    expect(linksOf('[{"source":1,"target":"x"}, 3]')).to.deep.equal([]);
  });
});
