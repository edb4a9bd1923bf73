/** What a person reads when a second index has caught up: how to switch over, what to keep, what to remove. Pure. */
import { CREDENTIAL, sinkYaml } from '../catalog/declare/sink-yaml.ts';
import type { SearchDestination } from '../model/declared.ts';
import { quoteShell } from '../model/quote.ts';
import type { RebuildPlan } from './plan-rebuild.ts';

const HEADERS: Record<SearchDestination['auth_type'], string> = {
  api_key: ` -H "Authorization: ApiKey $${CREDENTIAL}"`,
  basic: ` -u "$${CREDENTIAL}"`,
  bearer: ` -H "Authorization: Bearer $${CREDENTIAL}"`,
  none: '',
};

export interface SwitchInput {
  plan: RebuildPlan;
  /** By which readers know the index; absent: a word to replace. */
  alias: string | undefined;
  hasSecret: boolean;
}

export function switchText({ plan, alias, hasSecret }: SwitchInput): string {
  const { old, settings } = plan;
  const name = alias ?? 'ALIAS';
  const { index_name: before } = old.settings.destination as SearchDestination;
  const { index_name: after } = settings.destination;
  const which = alias === undefined ? ' (ALIAS: the name under which they read)' : '';
  return `
1. Switch your readers over, in one step${which}:

${aliasCall(settings.destination, { alias: name, before, after })}

2. Keep the new sink: put this into millrace.yaml, and take the entry of ${old.name} out.

${sinkYaml(settings, hasSecret)}
3. When nobody reads ${before} any more, remove the old sink, then its index:

bin/millrace sink remove ${old.name}
`;
}

/** The call that moves the alias; the engine does both parts or neither. */
export function aliasCall(
  { endpoint_url, auth_type, tls }: SearchDestination,
  move: { alias: string; before: string; after: string },
): string {
  const { alias, before, after } = move;
  const actions = [{ remove: { index: before, alias } }, { add: { index: after, alias } }];
  const insecure = tls.verify ? '' : ' -k';
  return (
    `curl -X POST${insecure} ${quoteShell(`${endpoint_url}/_aliases`)} -H 'Content-Type: application/json'` +
    `${HEADERS[auth_type]} -d ${quoteShell(JSON.stringify({ actions }))}`
  );
}
