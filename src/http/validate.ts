/** zod's verdict as ours: every wrong field, by name, in one answer. */
import type { z } from 'zod';
import { type Fault, MillraceError } from '../model/errors.ts';

/** The parsed value. Throws MillraceError bad_request with a fault for each wrong field. */
export function validate<Schema extends z.ZodType>(schema: Schema, input: unknown): z.output<Schema> {
  const result = schema.safeParse(input);
  if (result.success) return result.data;
  const faults: Fault[] = result.error.issues.map(({ path, message }) => ({
    field: path.length === 0 ? 'body' : String(path[0]),
    message,
  }));
  const fields = [...new Set(faults.map(({ field }) => field))];
  throw new MillraceError('bad_request', `Not valid: ${fields.join(', ')}`, { faults });
}
