/** What a person reads when a second index has caught up: how to switch over, what to keep, what to remove. Pure. */
import { CREDENTIAL, sinkYaml } from '../catalog/declare/sink-yaml.ts';
import type { AliasMove } from '../sinks/contract.ts';
import type { RebuildPlan } from './plan-rebuild.ts';

export interface SwitchInput {
  plan: RebuildPlan;
  /** By which readers know the index; absent: a word to replace. */
  alias: string | undefined;
  hasSecret: boolean;
}

export interface SwitchOver {
  /** The call that does it. */
  aliasCall: string;
  /** The new sink's entry. */
  yaml: string;
  /** All of it. */
  text: string;
}

export function switchOver({ plan, alias, hasSecret }: SwitchInput): SwitchOver {
  const { old, settings, before, after } = plan;
  const name = alias ?? 'ALIAS';
  const which = alias === undefined ? ' (ALIAS: the name under which they read)' : '';
  const call = (how: Pick<AliasMove, 'before' | 'deletes'>): string =>
    plan.kind.aliasCommand(settings.destination, { alias: name, after, credential: CREDENTIAL, ...how });
  const yaml = sinkYaml(settings, hasSecret ? '' : null);
  if (alias === before) {
    // As an index, an alias cannot be named.
    const aliasCall = call({ before: '*' });
    const text = `
1. Remove the old sink, which would write into ${after} through the alias:

bin/millrace sink remove ${old.name}

2. Keep the new sink: put this into millrace.yaml, and take the entry of ${old.name} out.

${yaml}
3. Switch your readers over, in one step:

${aliasCall}

If ${before} is no alias but an index, this deletes it, and puts the alias in its place; there is no way back:

${call({ before, deletes: true })}
`;
    return { aliasCall, yaml, text };
  }
  const aliasCall = call({ before });
  const text = `
1. Switch your readers over, in one step${which}:

${aliasCall}

2. Keep the new sink: put this into millrace.yaml, and take the entry of ${old.name} out.

${yaml}
3. When nobody reads ${before} any more, remove the old sink, then its index:

bin/millrace sink remove ${old.name}
`;
  return { aliasCall, yaml, text };
}
