import { expect } from 'chai';
import { decode } from '../../../src/capture/replication/decode.ts';
import { MessageQueue } from '../../../src/capture/replication/message-queue.ts';
import { RelationsAhead } from '../../../src/capture/replication/relations-ahead.ts';
import type { LoadedRelation } from '../../../src/routing/relation.ts';

const cstring = (text: string): Buffer => Buffer.from(`${text}\0`);
const uint32 = (value: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
};
const relation = (oid: number, name: string): Buffer =>
  Buffer.concat([Buffer.from('R'), uint32(oid), cstring('public'), cstring(name), Buffer.from('d\0\0')]);
const begin = (xid: number): Buffer => Buffer.concat([Buffer.from('B'), Buffer.alloc(16), uint32(xid)]);

/** A stream of messages, and what became of them. */
function stream(isSeen: (xid: number) => boolean = () => true) {
  const loads: string[][] = [];
  const known: string[] = [];
  const relations = new Map<number, LoadedRelation>();
  const answers: (() => void)[] = [];
  const queue: MessageQueue = new MessageQueue({
    handle(bytes) {
      const message = decode(bytes);
      if (message.tag === 'relation') ahead.hear(message, bytes, 1);
    },
    rested: () => undefined,
    fail: (error) => {
      throw error;
    },
  });
  const ahead = new RelationsAhead(
    {
      untilSeen: () => Promise.resolve(isSeen),
      loadRelations: async (messages) => {
        loads.push(messages.map(({ name }) => name));
        await new Promise<void>((resolve) => answers.push(resolve));
        return messages.map(({ oid, name }) => ({ oid, name }) as LoadedRelation);
      },
    },
    {
      queue,
      relations: {
        get: (oid) => relations.get(oid),
        know: (relation) => {
          relations.set(relation.oid, relation);
          known.push(`${relation.oid}:${relation.name}`);
        },
      },
      transcode: undefined,
    },
  );
  const answer = async (): Promise<void> => {
    await new Promise(setImmediate);
    answers.shift()?.();
    await new Promise(setImmediate);
  };
  return { queue, ahead, loads, known, answer };
}

describe('tables that the stream announces', () => {
  it('are loaded with those that are announced next, and known in their turn', async () => {
    const { queue, ahead, loads, known, answer } = stream();
    for (const bytes of [relation(1, 'a'), begin(2), relation(2, 'b'), begin(3), relation(3, 'c')]) queue.take(bytes);
    await answer();
    expect(loads).to.deep.equal([['a', 'b', 'c']]);
    expect(known).to.deep.equal(['1:a', '2:b', '3:c']);
    expect([...ahead.relations]).to.deep.equal([]);
  });

  it('are loaded in their turn when they were announced before, or are announced twice', async () => {
    const { queue, loads, known, answer } = stream();
    queue.take(relation(1, 'a'));
    await answer();
    for (const bytes of [relation(2, 'b'), relation(1, 'a2'), relation(3, 'c'), relation(3, 'c2')]) queue.take(bytes);
    await answer();
    await answer();
    await answer();
    expect(loads).to.deep.equal([['a'], ['b', 'c'], ['a2'], ['c2']]);
    expect(known).to.deep.equal(['1:a', '2:b', '1:a2', '3:c', '3:c2']);
  });

  it('are loaded in their turn when their transaction is not seen yet', async () => {
    const { queue, loads, answer } = stream((xid) => xid < 3);
    for (const bytes of [relation(1, 'a'), begin(2), relation(2, 'b'), begin(3), relation(3, 'c')]) queue.take(bytes);
    await answer();
    await answer();
    expect(loads).to.deep.equal([['a', 'b'], ['c']]);
  });

  it('are loaded anew when what was loaded does not count any more', async () => {
    const { queue, ahead, loads, known, answer } = stream();
    queue.take(relation(1, 'a'));
    queue.take(relation(2, 'b'));
    const between = queue.between(() => {
      ahead.clear();
      return [];
    });
    await answer();
    await between;
    await answer();
    expect(loads).to.deep.equal([['a', 'b'], ['b']]);
    expect(known).to.deep.equal(['1:a', '2:b']);
  });
});
