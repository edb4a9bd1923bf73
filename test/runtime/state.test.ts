import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import { MillraceError } from '../../src/model/errors.ts';
import { findProgram } from '../../src/runtime/find-program.ts';
import { openState, readState, withKept, writeState } from '../../src/runtime/state.ts';

describe('state', () => {
  let dir: string;
  beforeEach(async () => {
    dir = await mkdtemp(path.join(os.tmpdir(), 'millrace-state-'));
  });
  afterEach(() => rm(dir, { recursive: true }));

  it('is made once, for its owner alone, and comes back the same', async () => {
    const home = path.join(dir, 'deep', '.millrace');
    expect(await readState(home)).to.equal(undefined);
    const state = await openState(home);
    expect(state.secretKey).to.have.length.greaterThan(31);
    expect(state.apiToken).to.match(/^mr_[\w-]{32}$/);
    await writeState(home, { ...state, httpPort: 7376 });
    expect(await openState(home)).to.deep.equal({ ...state, httpPort: 7376 });
    expect((await stat(path.join(home, 'state.json'))).mode & 0o777).to.equal(0o600);
    expect(await readdir(home)).to.deep.equal(['state.json']);
    expect((await openState(path.join(dir, 'other'))).secretKey).not.to.equal(state.secretKey);
  });

  it('is never overwritten when it is damaged', async () => {
    const guessed = { secretKey: 'k'.repeat(43), postgresPassword: 'p', apiToken: 'mr_0123456789' };
    for (const text of ['', '{', '{"secretKey":"short"}', JSON.stringify(guessed)]) {
      await writeFile(path.join(dir, 'state.json'), text);
      const error = await openState(dir).catch((reason: unknown) => reason);
      expect(error).to.be.instanceOf(MillraceError).and.to.have.property('code', 'bad_setting');
      expect(await readFile(path.join(dir, 'state.json'), 'utf8')).to.equal(text);
    }
  });

  it('says what keeps it from being written', async () => {
    const home = path.join(dir, '.millrace');
    await writeFile(home, '');
    const error = await openState(home).catch((reason: unknown) => reason);
    expect(error).to.be.instanceOf(MillraceError).and.to.have.property('message', `${home} cannot be written (EEXIST)`);
    await rm(home);
    const state = await openState(home);
    await mkdir(path.join(dir, 'other', 'state.json'), { recursive: true });
    const over = await writeState(path.join(dir, 'other'), state).catch((reason: unknown) => reason);
    expect(over).to.be.instanceOf(MillraceError).and.to.have.property('remedy').that.includes('set DATABASE_URL');
  });

  it('opens what its kept key sealed, also where another one is given', () => {
    expect(withKept({ secretKey: null, previousKeys: ['b'] }, 'kept')).to.deep.equal({
      secretKey: 'kept',
      previousKeys: ['b'],
    });
    expect(withKept({ secretKey: 'a', previousKeys: ['b'] }, 'kept')).to.deep.equal({
      secretKey: 'a',
      previousKeys: ['b', 'kept'],
    });
  });

  it('finds programs on a path without running them', async () => {
    await writeFile(path.join(dir, 'tool'), '', { mode: 0o755 });
    await writeFile(path.join(dir, 'text'), '', { mode: 0o644 });
    const search = ['/nowhere', dir].join(path.delimiter);
    expect(await findProgram('tool', search)).to.equal(true);
    expect(await findProgram('absent', search)).to.equal(false);
    expect(await findProgram('tool', '')).to.equal(false);
  });
});
