/** The call that makes an alias lead to another index; the engine does both parts or neither. */
import { quoteShell } from '../../model/quote.ts';
import type { AliasMove } from '../contract.ts';
import type { SearchDestination } from './section.ts';

/** How curl is told the credential in `variable`. */
const CREDENTIALS: Record<SearchDestination['auth_type'], (variable: string) => string> = {
  api_key: (variable) => ` -H "Authorization: ApiKey $${variable}"`,
  basic: (variable) => ` -u "$${variable}"`,
  bearer: (variable) => ` -H "Authorization: Bearer $${variable}"`,
  none: () => '',
};

export function aliasCommand(
  { endpoint_url, auth_type, tls }: SearchDestination,
  { alias, before, after, credential, deletes = false }: AliasMove,
): string {
  const former = deletes ? { remove_index: { index: before } } : { remove: { index: before, alias } };
  const actions = [former, { add: { index: after, alias } }];
  const insecure = tls.verify ? '' : ' -k';
  return (
    `curl -X POST${insecure} ${quoteShell(`${endpoint_url}/_aliases`)} -H 'Content-Type: application/json'` +
    `${CREDENTIALS[auth_type](credential)} -d ${quoteShell(JSON.stringify({ actions }))}`
  );
}
