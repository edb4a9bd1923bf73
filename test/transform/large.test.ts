/** Rows of many megabytes: shaped when they can be, else failed for a reason that can be read, and never a stall. */
import { expect } from 'chai';
import { timeFor } from '../../src/transform/process/function-runner.ts';
import { openSandbox, type Sandbox } from '../../src/transform/sandbox.ts';
import { code, message, recordingLog } from '../support/fixtures/sandbox.ts';

const items = (count: number, item: (n: number) => string): string =>
  `{"id":1,"items":[${Array.from({ length: count }, (_item, n) => item(n)).join(',')}]}`;

describe('a row of many megabytes', function () {
  this.timeout(120_000);
  let sandbox: Sandbox;
  before(() => {
    sandbox = openSandbox({ log: recordingLog() });
  });
  after(() => sandbox.close());

  const lengthOf = code('(action, record) => ({ n: record.items.length })');

  it('has more time, as much as reading it takes', async () => {
    const record = items(450_000, (n) => `{"id":${n},"name":"item ${n}"}`);
    expect(record.length).to.be.greaterThan(15_000_000);
    const [shaped] = await sandbox.shape({ transform: lengthOf }, [message(record)], { replaces: true });
    expect(shaped).to.deep.equal({ kept: true, body: '{"n":450000}' });
  });

  it('fails alone, with the reason, when it needs more memory than there is', async () => {
    const record = items(150_000, (n) => `{"id":${n}.10,"name":"item ${n}"}`);
    const small = message('{"items":[]}');
    const shaped = await sandbox.shape({ transform: lengthOf }, [small, message(record), small], { replaces: true });
    expect(shaped.map(({ body }) => body)).to.deep.equal(['{"n":0}', undefined, '{"n":0}']);
    // On a machine that is busy with something else its time may end first.
    expect(shaped[1]!.error!.message).to.match(/used more than 64 MB|brought its process down|took longer than/);
  });

  it('has 250 ms up to a megabyte, and never so long that the process seems silent', () => {
    const limits = { messageMs: 250, silenceMs: 2_000 };
    expect([0, 1_048_576, 2_097_152, 16_777_216].map((size) => timeFor(size, limits))).to.deep.equal([
      250, 250, 350, 1_500,
    ]);
    expect(timeFor(16_777_216, { messageMs: 60_000, silenceMs: 60_000 })).to.equal(60_000);
  });
});
