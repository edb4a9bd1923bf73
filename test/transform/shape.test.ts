/** What the stages make of answers, without a process. */
import { expect } from 'chai';
import type { Item } from '../../src/transform/protocol/item.ts';
import type { ShapeError } from '../../src/transform/protocol/shape-error.ts';
import { shapeChunk } from '../../src/transform/shape.ts';
import { code, message } from '../support/fixtures/sandbox.ts';

describe('a row that was elsewhere before', () => {
  const routing = code('(action, record) => ({ index_name: record.kind })', 'routing');
  const moved = message('{"kind":"new"}', { action: 'update', changes: '{"kind":"old"}' });
  /** The function answers for the new row; for the old one there is only this. */
  const shape = async (kind: ShapeError['kind']) => {
    const runner = {
      reads: () => 4,
      run: async (_fn: unknown, items: readonly Item[]) =>
        items.map(([start]) =>
          start!.startsWith('[2,') ? { complaint: { kind, message: 'why' } } : { text: '{"index_name":"new"}' },
        ),
    };
    return (await shapeChunk({ routing }, [moved], { replaces: true, runner }))[0]!;
  };

  it('is removed from nowhere when the function refuses it', async () => {
    for (const kind of ['threw', 'bad_output'] as const)
      expect(await shape(kind), kind).to.deep.equal({ kept: true, indexName: 'new' });
  });

  it('is not taken for done when the function gave no answer', async () => {
    for (const kind of ['timeout', 'killed', 'untried'] as const)
      expect((await shape(kind)).error, kind).to.deep.equal({ kind, message: 'why', function: 'my-routing' });
  });
});
