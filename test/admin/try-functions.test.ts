/** Functions tried in a process of their own, which lives as long as somebody uses it, and lets few use it at once. */
import { expect } from 'chai';
import { openTryFunctions } from '../../src/admin/try-functions.ts';
import { MillraceError } from '../../src/model/errors.ts';
import { code, message, pathFunction, recordingLog } from '../support/fixtures/sandbox.ts';
import { until } from '../support/until.ts';

const FOREVER = '() => { for (;;); }';
const PLAIN = { replaces: false };

describe('functions that are tried', () => {
  it('let two calls run at once, and refuse a third', async () => {
    const tries = openTryFunctions(recordingLog());
    try {
      const slow = [1, 2].map(() => tries.run(code(FOREVER), [message('{}')], PLAIN));
      const refused = await tries.run(code('() => 1'), [message('{}')], PLAIN).catch((error: unknown) => error);
      expect(refused).to.be.instanceOf(MillraceError).and.include({ code: 'too_many_requests', status: 429 });
      for (const [one] of await Promise.all(slow)) {
        expect(one).to.deep.include({ ok: false }).and.nested.property('error.kind', 'timeout');
      }
      const [after] = await tries.run(code('() => 1'), [message('{}')], PLAIN);
      expect(after).to.include({ ok: true, result: '1' });
    } finally {
      await tries.close();
    }
  });

  it('have no process before the first use and none after a while without use; the next use starts another', async () => {
    const log = recordingLog();
    const tries = openTryFunctions(log, { idleMs: 1 });
    const pids = (): number[] => log.notes.flatMap(({ fields }) => ('pid' in fields ? [Number(fields.pid)] : []));
    const isGone = (pid: number): boolean => {
      try {
        process.kill(pid, 0);
        return false;
      } catch {
        return true;
      }
    };
    try {
      await tries.run(pathFunction('record'), [], PLAIN);
      expect(pids()).to.deep.equal([]);
      for (const starts of [1, 2]) {
        expect(await tries.check(code('() => 1'))).to.equal(undefined);
        expect(pids()).to.have.length(starts);
        await until('the process is gone', () => isGone(pids().at(-1)!));
      }
    } finally {
      await tries.close();
    }
  });

  it('are not tried on more messages once they have brought the process down', async () => {
    // The watchdog comes before the function's own limit.
    const tries = openTryFunctions(recordingLog(), { limits: { messageMs: 600_000, silenceMs: 1_500 } });
    try {
      const hungry = code('(action, record) => { while (record.id > 1); return 1 }');
      const inputs = ['{"id":1}', '{"id":2}', '{"id":3}'].map((record) => message(record));
      const results = await tries.run(hungry, inputs, PLAIN);
      expect(results.map((one) => (one.ok ? one.result : one.error.kind))).to.deep.equal(['1', 'killed', 'untried']);
    } finally {
      await tries.close();
    }
  });
});
