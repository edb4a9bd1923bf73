/** What zod says by itself, in our words: for fields whose schema says nothing of its own. */
import type { z } from 'zod';

const FORMS: Record<string, string> = {
  string: 'a text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  object: 'a JSON object',
  record: 'a JSON object',
  array: 'a list',
};

/** Undefined: zod's own words. */
export function inWords(issue: z.core.$ZodRawIssue): string | undefined {
  if (issue.input === undefined && issue.code !== 'unrecognized_keys') return 'is missing';
  switch (issue.code) {
    case 'invalid_type':
      return `must be ${FORMS[issue.expected] ?? issue.expected}`;
    case 'invalid_value':
      return `must be ${issue.values.length === 1 ? '' : 'one of '}${issue.values.join(', ')}`;
    case 'too_big':
      return bound(issue.origin, issue.maximum, 'most');
    case 'too_small':
      return bound(issue.origin, issue.minimum, 'least');
    case 'invalid_format':
      return `is not ${issue.format === 'uuid' ? 'an id' : 'in the expected form'}`;
    case 'invalid_union':
      return 'is in none of the forms that it can have';
    default:
      return undefined;
  }
}

function bound(origin: string, value: number | bigint | Date, most: 'most' | 'least'): string {
  if (origin === 'string')
    return value === 1 && most === 'least' ? 'is empty' : `must have at ${most} ${value} characters`;
  if (origin === 'array')
    return value === 1 && most === 'least' ? 'is an empty list' : `must have at ${most} ${value} items`;
  return `must be at ${most} ${value}`;
}
