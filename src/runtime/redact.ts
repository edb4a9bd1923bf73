/**
 * Makes a value fit for a log: what is named like a secret is masked, errors are reduced to the fields that cannot hold
 * a row's value. The lists are of what may pass, so that a new field of a library stays out until somebody looks at it.
 */
import { withoutValues } from '../model/refusal.ts';

const SECRET =
  /pass(word|wd|phrase)?$|secret|token|authorization|api_?key|auth_?value|cookie|ur[il]$|connectionString/i;
const MASK = '***';
const DEPTH = 6;

/** The fields of Postgres' and Node's errors that name things but hold no values. */
const ERROR_FIELDS = [
  'code',
  'severity',
  'schema',
  'table',
  'column',
  'constraint',
  'routine',
  'syscall',
  'remedy',
  'faults',
];

/** `value` as it may be logged under the name `key`. */
export function redact(key: string, value: unknown, depth = 0): unknown {
  if (value === null || value === undefined) return value;
  if (SECRET.test(key)) return MASK;
  if (typeof value === 'bigint') return value.toString();
  if (typeof value !== 'object') return value;
  if (depth >= DEPTH) return '...';
  if (value instanceof Error) return redactError(value, depth);
  if (value instanceof Date) return value.toISOString();
  if (ArrayBuffer.isView(value)) return `<${value.byteLength} bytes>`;
  if (Array.isArray(value)) return value.map((item) => redact('', item, depth + 1));
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, redact(name, item, depth + 1)]));
}

function redactError(error: Error, depth: number): Record<string, unknown> {
  const message = error instanceof AggregateError ? error.message : withoutValues(error);
  const fields: [string, unknown][] = [
    ['type', error.name],
    ['message', message],
  ];
  for (const [name, value] of Object.entries(error)) {
    if (ERROR_FIELDS.includes(name) && value !== undefined) fields.push([name, redact('', value, depth + 1)]);
  }
  if (error instanceof AggregateError) fields.push(['errors', redact('', error.errors, depth + 1)]);
  if (error.cause !== undefined) fields.push(['cause', redact('', error.cause, depth + 1)]);
  // It begins with the message.
  if (depth === 0) fields.push(['stack', error.stack?.replace(error.message, () => message)]);
  return Object.fromEntries(fields);
}

/**
 * Cuts user and password out of every address in a text: all between `://` and the last `@` before the path. The words `user:password`
 * stay: a remedy says so how an address is written.
 */
export function maskAddresses(text: string): string {
  return text.replaceAll(/:\/\/(?!user:password@[^\s"'\\/@]*(?:[\s"'\\/]|$))[^\s"'\\/]*@/g, '://***@');
}
