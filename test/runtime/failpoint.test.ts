import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import { armFailpoints, FAILPOINTS, parseFailpoints } from '../../src/runtime/failpoint.ts';

describe('failpoints', () => {
  const done: string[] = [];
  const consequences = {
    signal: (signal: string) => void done.push(signal),
    stall: (ms: number) => void done.push(`stall ${ms}`),
  };
  beforeEach(() => void done.splice(0));

  it('do nothing without the variable', () => {
    for (const text of [undefined, '']) {
      const failpoint = armFailpoints(text, consequences);
      for (const name of FAILPOINTS) failpoint(name);
    }
    expect(done).to.deep.equal([]);
  });

  it('fail once, at the pass that was named, and nowhere else', () => {
    const failpoint = armFailpoints(
      'deliver/after-send=kill@3, receive/after-lease=pause:500,change-table/after-commit=stop',
      consequences,
    );
    for (let pass = 1; pass <= 4; pass += 1) {
      done.push(`${pass}`);
      failpoint('deliver/after-send');
      failpoint('receive/after-lease');
      failpoint('deliver/after-settle');
    }
    failpoint('change-table/after-commit');
    expect(done).to.deep.equal(['1', 'stall 500', '2', '3', 'SIGKILL', '4', 'SIGSTOP']);
  });

  for (const wrong of ['kill', 'deliver/nowhere=kill', 'deliver/after-send=die', 'deliver/after-send=kill@0']) {
    it(`refuse ${wrong}`, () => {
      expect(() => parseFailpoints(wrong))
        .to.throw(`MILLRACE_FAILPOINTS: ${wrong} is no failpoint`)
        .with.property('remedy')
        .that.contains('receive/after-lease');
    });
  }

  it('stand in the code, each once', () => {
    const root = path.resolve(import.meta.dirname, '../../src');
    const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));
    const code = files.map((file) => readFileSync(path.join(root, file), 'utf8')).join('\n');
    const calls = [...code.matchAll(/\bfailpoint\('([^']+)'\)/g)].map(([, name]) => name);
    expect(calls.sort()).to.deep.equal([...FAILPOINTS].sort());
  });
});
