/** The inputs of the pull API. A field that is null counts as left out; unknown fields are ignored. */
import { z } from 'zod';
import { parseDurationMs } from '../../model/duration.ts';

const MAX_BATCH = 1_000;
const MAX_WAIT_MS = 300_000;
const MAX_ACK_IDS = 10_000;
const MIN_VISIBILITY_MS = 500;
const MAX_DELAY_MS = 12 * 60 * 60 * 1_000;

/** A field that is read by a function of ours, which answers undefined for what is not valid. */
function field<Value>(read: (value: unknown) => Value | undefined, message: string) {
  return z
    .unknown()
    .optional()
    .transform((value, context): Value => {
      const result = read(value ?? undefined);
      if (result !== undefined) return result;
      context.addIssue({ code: 'custom', message });
      return z.NEVER;
    });
}

function readBatchSize(value: unknown): number | undefined {
  const number = typeof value === 'string' && /^\d{1,9}$/.test(value) ? Number(value) : value;
  if (typeof number !== 'number' || !Number.isInteger(number)) return undefined;
  return number >= 1 && number <= MAX_BATCH ? number : undefined;
}

function readDuration(value: unknown, bounds: { min: number; max: number }): number | undefined {
  const ms = parseDurationMs(value);
  return ms !== undefined && ms >= bounds.min && ms <= bounds.max ? ms : undefined;
}

const areAckIds = (value: unknown): value is string[] =>
  Array.isArray(value) && value.length <= MAX_ACK_IDS && value.every((id) => typeof id === 'string' && id.length > 0);

const batchSize = field(
  (value) => (value === undefined ? null : readBatchSize(value)),
  `must be an integer from 1 to ${MAX_BATCH}`,
);

const FORMS = 'milliseconds, or a string such as 5000ms, 60s or 5m';

/** From a JSON body, or, but for `ack_ids`, a query string. */
export const receiveInput = z
  .object({
    batch_size: batchSize,
    max_batch_size: batchSize,
    wait_for: field(
      (value) => readDuration(value ?? 0, { min: 0, max: MAX_WAIT_MS }),
      `must be ${FORMS}, from 0 to 5 minutes`,
    ),
    ack_ids: field(
      (value) => (value === undefined ? null : areAckIds(value) ? value : undefined),
      `must be an array of up to ${MAX_ACK_IDS} strings that are not empty`,
    ),
  })
  .transform(({ batch_size, max_batch_size, wait_for, ack_ids }) => ({
    batch_size: batch_size ?? max_batch_size ?? 1,
    wait_for,
    ack_ids,
  }));

const ackIds = field(
  (value) => (areAckIds(value) && value.length > 0 ? value : undefined),
  `must be an array of 1 to ${MAX_ACK_IDS} strings that are not empty`,
);

export const ackBody = z.object({ ack_ids: ackIds });

export const nackBody = z.object({
  ack_ids: ackIds,
  delay: field(
    (value) => readDuration(value ?? 0, { min: 0, max: MAX_DELAY_MS }),
    `must be ${FORMS}, from 0 to 12 hours`,
  ),
});

export const extendBody = z.object({
  ack_ids: ackIds,
  visibility_timeout: field(
    (value) => readDuration(value, { min: MIN_VISIBILITY_MS, max: MAX_DELAY_MS }),
    `is required and must be ${FORMS}, from 500 ms to 12 hours`,
  ),
});
