/** zod's verdict as ours: every wrong field, by name, in one answer. */
import { z } from 'zod';
import { type Fault, MillraceError } from '../model/errors.ts';
import { nearest } from '../model/finding.ts';

/** The parsed value. Throws MillraceError bad_request with a fault for each wrong field. */
export function validate<Schema extends z.ZodType>(schema: Schema, input: unknown): z.output<Schema> {
  const result = schema.safeParse(input);
  if (result.success) return result.data;
  const known = schema instanceof z.ZodObject ? Object.keys(schema.shape) : [];
  const faults = result.error.issues.flatMap((issue) => faultsOf(issue, known));
  const fields = [...new Set(faults.map(({ field }) => field))];
  throw new MillraceError('bad_request', `Not valid: ${fields.join(', ')}`, { faults });
}

function faultsOf(issue: z.core.$ZodIssue, known: readonly string[]): Fault[] {
  if (issue.code !== 'unrecognized_keys')
    return [{ field: issue.path.length === 0 ? 'body' : String(issue.path[0]), message: issue.message }];
  return issue.keys.map((field) => {
    const close = nearest(field, known);
    const remedy = close === undefined ? `Known here: ${known.join(', ')}.` : `Did you mean \`${close}\`?`;
    return { field, message: 'is not a known field', remedy };
  });
}
