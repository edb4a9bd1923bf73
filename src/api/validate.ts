/** zod's verdict as ours: every wrong field, by name, in one answer. */
import { z } from 'zod';
import type { ErrorCode, Fault } from '../model/errors.ts';
import { fieldOf, nearest, type Path } from '../model/finding.ts';
import { isUnstorable } from '../model/storable.ts';
import { inWords } from './in-words.ts';
import { notValid } from './not-valid.ts';

/**
 * The parsed value. @throws MillraceError `code` with a fault for each wrong field, and for each text, and key, that Postgres does not
 * take: with U+0000 or half a character.
 */
export function validate<Schema extends z.ZodType>(
  schema: Schema,
  input: unknown,
  code: ErrorCode = 'bad_request',
): z.output<Schema> {
  const result = schema.safeParse(input, { error: inWords });
  const unstorable = unstorableIn(result.success ? result.data : input);
  if (result.success && unstorable.length === 0) return result.data;
  const known = schema instanceof z.ZodObject ? Object.keys(schema.shape) : [];
  const issues = result.success ? [] : result.error.issues;
  // What is said of a text that holds such a character helps nobody who does not see it.
  const named = new Set(unstorable.map(({ field }) => field));
  const faults = issues.flatMap((issue) => faultsOf(issue, known)).filter(({ field }) => !named.has(field));
  throw notValid(code, [...faults, ...unstorable]);
}

/** Levels within anything that a request has. */
const DEEPEST = 50;

function unstorableIn(input: unknown): Fault[] {
  const faults: Fault[] = [];
  const look = (value: unknown, path: Path): void => {
    if (path.length > DEEPEST) faults.push({ field: nameOf(path.slice(0, 1)), message: 'is nested too deeply' });
    else if (typeof value === 'string' && isUnstorable(value)) {
      faults.push({ field: nameOf(path), message: 'contains a character that Postgres cannot store' });
    } else if (typeof value === 'object' && value !== null) {
      for (const [key, item] of Object.entries(value)) {
        if (isUnstorable(key)) faults.push({ field: nameOf(path), message: 'has a key that Postgres cannot store' });
        else look(item, [...path, Array.isArray(value) ? Number(key) : key]);
      }
    }
  };
  look(input, []);
  return faults;
}

const nameOf = (path: Path): string => (path.length === 0 ? 'body' : fieldOf(path));

function faultsOf(issue: z.core.$ZodIssue, known: readonly string[]): Fault[] {
  const path = issue.path.map((step) => (typeof step === 'symbol' ? String(step) : step));
  if (issue.code !== 'unrecognized_keys') return [{ field: nameOf(path), message: issue.message }];
  return issue.keys.map((key) => {
    const fault = { field: fieldOf([...path, key]), message: 'is not a known field' };
    const close = path.length === 0 ? nearest(key, known) : undefined;
    if (close !== undefined) return { ...fault, remedy: `Did you mean \`${close}\`?` };
    const all = known.length === 0 ? 'This takes none.' : `Known here: ${known.join(', ')}.`;
    return path.length === 0 ? { ...fault, remedy: all } : fault;
  });
}
