/** Messages that come with a request, as the inputs of functions: taken apart as texts, so that no digit of a row is lost. */
import { z } from 'zod';
import { membersOf } from '../model/json-scan.ts';
import type { Action, FunctionInput } from '../model/message.ts';
import { RawJson } from './raw-json.ts';

const ACTIONS: readonly Action[] = ['insert', 'update', 'delete', 'read'];

/** What a function sees of a message that names no metadata. */
const METADATA = JSON.stringify({
  ...{ table_schema: 'public', table_name: 'example', commit_timestamp: '2026-01-01T00:00:00.000000Z' },
  ...{ commit_lsn: 1, commit_idx: 0, idempotency_key: 'example', record_pks: ['1'], transaction_annotations: null },
});

/**
 * A message as clients receive it, or its record alone; also as JSON text in a string, for clients whose numbers are doubles.
 * Of a body that says where its `texts` are.
 */
export const MessageText = z
  .unknown()
  .meta({
    oneOf: [
      {
        type: 'object',
        properties: {
          record: { type: 'object' },
          changes: { type: ['object', 'null'] },
          action: { enum: ACTIONS },
          metadata: { type: 'object' },
        },
        required: ['record'],
      },
      { type: 'string' },
    ],
  })
  .transform((given, context): FunctionInput => {
    const refuse = (path: string[], message: string): void => context.addIssue({ code: 'custom', path, message });
    const text = textOf(given);
    const members = text === undefined ? undefined : membersOf(text);
    if (members === undefined) {
      refuse([], 'must be a message: a JSON object with `record`, or the text of one');
      return z.NEVER;
    }
    const { record, changes = 'null', metadata = METADATA, action = '"insert"' } = Object.fromEntries(members);
    const named: unknown = action.startsWith('"') ? JSON.parse(action) : undefined;
    const found = ACTIONS.find((one) => one === named);
    if (record === undefined || !record.startsWith('{')) refuse(['record'], 'must be the object of a row');
    if (changes !== 'null' && !changes.startsWith('{')) refuse(['changes'], 'must be an object or null');
    if (!metadata.startsWith('{')) refuse(['metadata'], 'must be an object');
    if (found === undefined) refuse(['action'], `must be one of ${ACTIONS.join(', ')}`);
    return { action: found ?? 'insert', record: record!, changes: changes === 'null' ? null : changes, metadata };
  });

/** JSON for sure, or undefined. */
function textOf(given: unknown): string | undefined {
  if (!(given instanceof RawJson)) return undefined;
  if (!given.text.startsWith('"')) return given.text;
  const text: unknown = JSON.parse(given.text);
  try {
    // What is no JSON must not get into the text of a chunk. The values are thrown away.
    JSON.parse(String(text));
    return String(text).trim();
  } catch {
    return undefined;
  }
}
