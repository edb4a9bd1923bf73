/**
 * The inputs of the pull API. A field that is null counts as left out; unknown fields are ignored. Read by hand: clients ask many
 * times a second, and a web role that only they ask need not load what describes the management API.
 */
import { notValid } from '../../api/not-valid.ts';
import { parseDurationMs } from '../../model/duration.ts';
import type { Fault } from '../../model/errors.ts';

const MAX_BATCH = 1_000;
const MAX_WAIT_MS = 300_000;
const MAX_ACK_IDS = 10_000;
const MIN_VISIBILITY_MS = 500;
const MAX_DELAY_MS = 12 * 60 * 60 * 1_000;

interface Fields {
  /** The value of a field as `from` has it, which says undefined where it is not valid: it must be `words` then. */
  read<Value>(name: string, from: (value: unknown) => Value | undefined, words: string): Value | undefined;
  /** @throws MillraceError bad_request with a fault for each field that was not valid. */
  refuse(): void;
}

/** @throws MillraceError bad_request where the input has no fields. */
function fieldsOf(input: unknown): Fields {
  if (typeof input !== 'object' || input === null || Array.isArray(input))
    throw notValid('bad_request', [{ field: 'body', message: 'is not a valid JSON object' }]);
  const given = new Map<string, unknown>(Object.entries(input));
  const faults: Fault[] = [];
  return {
    read(name, from, message) {
      const value = from(given.get(name) ?? undefined);
      if (value === undefined) faults.push({ field: name, message });
      return value;
    },
    refuse() {
      if (faults.length > 0) throw notValid('bad_request', faults);
    },
  };
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

const readOptionalSize = (value: unknown): number | null | undefined =>
  value === undefined ? null : readBatchSize(value);
const BATCH_SIZE = `must be an integer from 1 to ${MAX_BATCH}`;
const FORMS = 'milliseconds, or a string such as 5000ms, 60s or 5m';

export interface ReceiveInput {
  batchSize: number;
  waitForMs: number;
  /** Null: nothing is to be acknowledged. */
  ackIds: string[] | null;
}

/** From a JSON body, or, but for `ack_ids`, a query string. @throws MillraceError bad_request */
export function readReceive(input: unknown): ReceiveInput {
  const fields = fieldsOf(input);
  const size = fields.read('batch_size', readOptionalSize, BATCH_SIZE);
  const mostSize = fields.read('max_batch_size', readOptionalSize, BATCH_SIZE);
  const waitForMs = fields.read(
    'wait_for',
    (value) => readDuration(value ?? 0, { min: 0, max: MAX_WAIT_MS }),
    `must be ${FORMS}, from 0 to 5 minutes`,
  );
  const ackIds = fields.read(
    'ack_ids',
    (value) => (value === undefined ? null : areAckIds(value) ? value : undefined),
    `must be an array of up to ${MAX_ACK_IDS} strings that are not empty`,
  );
  fields.refuse();
  return { batchSize: size ?? mostSize ?? 1, waitForMs: waitForMs ?? 0, ackIds: ackIds ?? null };
}

const readAckIds = (fields: Fields): string[] =>
  fields.read(
    'ack_ids',
    (value) => (areAckIds(value) && value.length > 0 ? value : undefined),
    `must be an array of 1 to ${MAX_ACK_IDS} strings that are not empty`,
  ) ?? [];

/** @throws MillraceError bad_request */
export function readAck(input: unknown): { ackIds: string[] } {
  const fields = fieldsOf(input);
  const ackIds = readAckIds(fields);
  fields.refuse();
  return { ackIds };
}

/** @throws MillraceError bad_request */
export function readNack(input: unknown): { ackIds: string[]; delayMs: number } {
  const fields = fieldsOf(input);
  const ackIds = readAckIds(fields);
  const delayMs = fields.read(
    'delay',
    (value) => readDuration(value ?? 0, { min: 0, max: MAX_DELAY_MS }),
    `must be ${FORMS}, from 0 to 12 hours`,
  );
  fields.refuse();
  return { ackIds, delayMs: delayMs ?? 0 };
}

/** @throws MillraceError bad_request */
export function readExtend(input: unknown): { ackIds: string[]; visibilityTimeoutMs: number } {
  const fields = fieldsOf(input);
  const ackIds = readAckIds(fields);
  const visibilityTimeoutMs = fields.read(
    'visibility_timeout',
    (value) => readDuration(value, { min: MIN_VISIBILITY_MS, max: MAX_DELAY_MS }),
    `is required and must be ${FORMS}, from 500 ms to 12 hours`,
  );
  fields.refuse();
  return { ackIds, visibilityTimeoutMs: visibilityTimeoutMs ?? MIN_VISIBILITY_MS };
}
