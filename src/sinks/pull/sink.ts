/**
 * The shaping lane of a pull consumer with functions: what its functions made of a message is stored as the message that
 * `receive` hands out, and the raw one goes, in the same transaction. So receive never runs code, over HTTP or in SQL, and
 * a crash neither loses nor doubles a message.
 */
import { statement } from '../../db/statement.ts';
import type { Sink } from '../../model/sink.ts';
import { failpoint } from '../../runtime/failpoint.ts';

const HOLD = statement('sinks/pull/hold-shaping-lane');
const STORE = statement('sinks/pull/store-shaped');
const REVEAL = statement('sinks/pull/reveal-shaped');

export interface ShapedConsumerSettings {
  sinkNo: number;
  /** Without a transform the message keeps its shape. */
  transformed: boolean;
}

/** Lane 1's destination: lane 0. Batches come in order of their ids. */
export function openShapedConsumer(settings: ShapedConsumerSettings): Sink {
  return {
    batchSize: 500,
    batchBytes: 8 * 1024 * 1024,
    async within(tx, batch) {
      failpoint('deliver/before-store');
      const ids = batch.map((delivery) => delivery.id);
      // Held from the first write to the settling: a person who discards one of these messages waits for both or neither.
      await tx.query(HOLD, [settings.sinkNo]);
      await tx.query(STORE, [
        settings.sinkNo,
        ids,
        batch.map((delivery) => (settings.transformed ? delivery.body : null)),
      ]);
      await tx.query(REVEAL, [settings.sinkNo, ids]);
      return { outcomes: batch.map(() => ({ kind: 'done' as const })) };
    },
    send: () => Promise.reject(new Error('shaped messages are stored in the settling transaction')),
    test: () => Promise.resolve(undefined),
    close: () => Promise.resolve(),
  };
}
