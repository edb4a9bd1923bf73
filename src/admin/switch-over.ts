/** What a person reads when a second index has caught up: how to switch over, what to keep, what to remove. Pure. */
import { CREDENTIAL, sinkYaml } from '../catalog/declare/sink-yaml.ts';
import type { RebuildPlan } from './plan-rebuild.ts';

export interface SwitchInput {
  plan: RebuildPlan;
  /** By which readers know the index; absent: a word to replace. */
  alias: string | undefined;
  hasSecret: boolean;
}

export function switchText({ plan, alias, hasSecret }: SwitchInput): string {
  const { old, settings, before, after } = plan;
  const name = alias ?? 'ALIAS';
  const which = alias === undefined ? ' (ALIAS: the name under which they read)' : '';
  return `
1. Switch your readers over, in one step${which}:

${plan.kind.aliasCommand(settings.destination, { alias: name, before, after, credential: CREDENTIAL })}

2. Keep the new sink: put this into millrace.yaml, and take the entry of ${old.name} out.

${sinkYaml(settings, hasSecret)}
3. When nobody reads ${before} any more, remove the old sink, then its index:

bin/millrace sink remove ${old.name}
`;
}
