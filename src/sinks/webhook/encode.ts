/**
 * Deliveries into requests, pure. A message is sent as a pull consumer receives it, or as what the transform made of it; the
 * user's JSON text is spliced as it lies, never parsed.
 * The id of a request is that of its message, and so the same whenever it is sent again; of a batch it is made of all ids.
 */
import { createHash } from 'node:crypto';
import type { Delivery } from '../../model/sink.ts';

/** What one request carries, in order. */
export type Load = readonly Delivery[];

export interface Cut {
  batch: boolean;
  /** Messages of a batch, at most. */
  batchSize: number;
}

/** A larger message is a batch of its own. In UTF-16 units: about bytes. */
const BATCH_LENGTH = 1024 * 1024;

/**
 * The requests of a batch of deliveries. What failed before goes alone: in company one message could make the others fail
 * for good.
 */
export function cut(deliveries: Load, { batch, batchSize }: Cut): Load[] {
  if (!batch) return deliveries.map((delivery) => [delivery]);
  const loads: Load[] = [];
  let open: Delivery[] = [];
  let length = 0;
  const close = (): void => {
    if (open.length > 0) loads.push(open);
    open = [];
    length = 0;
  };
  for (const delivery of deliveries) {
    const alone = delivery.attempts > 0;
    const more = lengthOf(delivery);
    if (alone || open.length >= batchSize || length + more > BATCH_LENGTH) close();
    open.push(delivery);
    length += more;
    if (alone) close();
  }
  close();
  return loads;
}

/** `transformed`: bodies are what a transform made. */
export function bodyOf(load: Load, { batch, transformed }: { batch: boolean; transformed: boolean }): Buffer {
  const texts = load.map((delivery) => (transformed ? delivery.body : messageText(delivery)));
  return Buffer.from(batch ? `{"data":[${texts.join(',')}]}` : texts[0]!);
}

/** The `webhook-id` of a request. */
export function idOf(load: Load, { batch }: { batch: boolean }): string {
  if (!batch) return String(load[0]!.id);
  const hash = createHash('sha256').update(load.map(({ id }) => id).join(','));
  return `batch_${hash.digest('base64url').slice(0, 32)}`;
}

function messageText({ record, changes, action, metadata }: Delivery): string {
  return `{"record":${record},"changes":${changes ?? 'null'},"action":"${action}","metadata":${metadata}}`;
}

const lengthOf = ({ body, changes, metadata }: Delivery): number =>
  body.length + (changes?.length ?? 0) + metadata.length;
