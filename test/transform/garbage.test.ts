/**
 * The texts that a function was given go when they are no longer needed, and not only when V8 has 64 MB of them.
 */
import { expect } from 'chai';
import ivm from 'isolated-vm';
import { FunctionRunner } from '../../src/transform/process/function-runner.ts';
import { GARBAGE_BYTES } from '../../src/transform/process/garbage.ts';
import { itemOf, piecesOf } from '../../src/transform/protocol/item.ts';
import { LIMITS } from '../../src/transform/protocol/limits.ts';

const code = '(action, record) => record.text.length';

describe('an isolate', () => {
  it('keeps no more of what it was given than a quarter of what V8 would', async () => {
    const isolates: ivm.Isolate[] = [];
    class Isolate extends ivm.Isolate {
      constructor(options: ivm.IsolateOptions) {
        super(options);
        isolates.push(this);
      }
    }
    const broken = (): never => expect.fail('the isolate broke');
    const runner = new FunctionRunner(
      { Isolate, limits: LIMITS, strip: (text) => ({ code: text }), onCatastrophe: broken },
      { name: 'length', type: 'transform', sink_type: null, code, path: null },
    );
    const input = {
      action: 'insert' as const,
      record: `{"text":"${'x'.repeat(2_000)}"}`,
      changes: null,
      metadata: '{}',
    };
    const { pieces, lengths } = piecesOf(Array.from({ length: 250 }, () => itemOf(input, { reads: 2, before: false })));
    const chunk = { text: pieces.join(''), lengths };
    const none = (): undefined => undefined;
    const kept: number[] = [];
    for (let given = 0; given < 6 * GARBAGE_BYTES; given += chunk.text.length) {
      const { lines } = await runner.run(chunk, Number.POSITIVE_INFINITY, { alive: none, part: none });
      expect(lines.split('\n')).to.have.length(251);
      kept.push(isolates[0]!.getHeapStatisticsSync().externally_allocated_size);
    }
    runner.close();
    expect(Math.max(...kept)).to.be.within(chunk.text.length, GARBAGE_BYTES + 2 * chunk.text.length);
  });
});
