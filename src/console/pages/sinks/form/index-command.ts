/** The request that makes an index for the rows of a table: a first mapping, for whoever knows better to change. */

import { quoted } from '../../../lib/curl.ts';

interface Column {
  name: string;
  type: string;
}

const FIELDS: readonly (readonly [RegExp, object])[] = [
  [/\[\]$/, { type: 'keyword' }],
  [/^(smallint|integer)$/, { type: 'integer' }],
  [/^bigint$/, { type: 'long' }],
  [/^(numeric|real|double precision)/, { type: 'double' }],
  [/^boolean$/, { type: 'boolean' }],
  [/^(timestamp|date)/, { type: 'date' }],
  [/^jsonb?$/, { type: 'object' }],
  [/^(text|character|varchar)/, { type: 'text', fields: { keyword: { type: 'keyword', ignore_above: 256 } } }],
];

const fieldOf = (type: string): object => FIELDS.find(([pattern]) => pattern.test(type))?.[1] ?? { type: 'keyword' };

/** `columns` undefined: without a mapping. */
export function indexCommand(endpoint: string, index: string, columns: readonly Column[] | undefined): string {
  const properties = Object.fromEntries((columns ?? []).map(({ name, type }) => [name, fieldOf(type)]));
  const body = columns === undefined ? {} : { mappings: { properties } };
  const url = `${endpoint.replace(/\/+$/, '')}/${index}`;
  return `curl -X PUT ${quoted(url)} -H 'Content-Type: application/json' -d ${quoted(JSON.stringify(body, null, 2))}`;
}
