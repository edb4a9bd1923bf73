/** The request that makes an index for the rows of a table: a first mapping, for whoever knows better to change. */

import { quoted } from '../../../lib/curl.ts';

type Destination = Readonly<Record<string, unknown>>;

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

const AUTHORIZATION: Record<string, string> = {
  api_key: ` -H "Authorization: ApiKey $SEARCH_CREDENTIAL"`,
  basic: ` -u "$SEARCH_CREDENTIAL"`,
  bearer: ` -H "Authorization: Bearer $SEARCH_CREDENTIAL"`,
};

/** The option of curl for the credential, which stands in the environment. */
export const authorizationOf = (type: unknown): string => AUTHORIZATION[String(type)] ?? '';

/** `columns` undefined: without a mapping. */
export function indexCommand(destination: Destination, columns: readonly Column[] | undefined): string {
  const { endpoint_url, index_name, auth_type } = destination;
  const properties = Object.fromEntries((columns ?? []).map(({ name, type }) => [name, fieldOf(type)]));
  const body = columns === undefined ? {} : { mappings: { properties } };
  const url = `${String(endpoint_url ?? '').replace(/\/+$/, '')}/${index_name ?? ''}`;
  return `curl -X PUT${authorizationOf(auth_type)} ${quoted(url)} -H 'Content-Type: application/json' -d ${quoted(JSON.stringify(body, null, 2))}`;
}
