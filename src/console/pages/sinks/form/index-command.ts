/** The request that makes an index for the rows of a table: a first mapping, for whoever knows better to change. */

import { quoted } from '../../../lib/shell.ts';

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

/** The options of curl that the engine wants: for the credential, which stands in the environment, and where nobody verifies it. */
export function optionsOf({ auth_type, tls }: Destination): string {
  const isVerified = typeof tls !== 'object' || tls === null || !('verify' in tls) || tls.verify !== false;
  return `${isVerified ? '' : ' -k'}${AUTHORIZATION[String(auth_type)] ?? ''}`;
}

/** `columns` undefined: without a mapping. */
export function indexCommand(destination: Destination, columns: readonly Column[] | undefined): string {
  const { endpoint_url, index_name } = destination;
  const properties = Object.fromEntries((columns ?? []).map(({ name, type }) => [name, fieldOf(type)]));
  const body = columns === undefined ? {} : { mappings: { properties } };
  const url = `${String(endpoint_url ?? '').replace(/\/+$/, '')}/${index_name ?? ''}`;
  return `curl -X PUT${optionsOf(destination)} ${quoted(url)} -H 'Content-Type: application/json' -d ${quoted(JSON.stringify(body, null, 2))}`;
}
