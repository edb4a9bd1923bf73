/** Writes one message as the harness reads it: `[mode, action, record, changes, metadata]` (see harness.ts). */
import type { FunctionInput } from '../model/message.ts';
import { mayLoseDigits } from './digits.ts';

const EXACT = 1;
const BEFORE = 2;

/** Must the numbers of this message be followed so that they keep their digits? */
export function needsDigits(input: FunctionInput): boolean {
  return (
    mayLoseDigits(input.record) ||
    (input.changes !== null && mayLoseDigits(input.changes)) ||
    mayLoseDigits(input.metadata)
  );
}

/** `exact`: keep the digits of its numbers. `before`: show the row as it was before the update. */
export function itemOf(input: FunctionInput, options: { exact: boolean; before: boolean }): string {
  const { action, record, changes, metadata } = input;
  const mode = (options.exact ? EXACT : 0) | (options.before ? BEFORE : 0);
  if (!options.exact) return `[${mode},"${action}",${record},${changes},${metadata}]`;
  // A number of the metadata is the last that is looked for, so metadata without a doubtful one need not be followed.
  const own = mayLoseDigits(metadata) ? JSON.stringify(metadata) : metadata;
  return `[${mode},"${action}",${JSON.stringify(record)},${JSON.stringify(changes)},${own}]`;
}
