/**
 * A declaration planned and applied from anywhere, in the words of Sequin's tools: a plan lists each change with its entry
 * before and after. Functions are tried first.
 */
import { type ApplyDeps, type ApplyOptions, applyConfig, planConfig } from '../catalog/apply/apply.ts';
import type { Change } from '../catalog/apply/step.ts';
import type { ApplySummary } from '../catalog/apply/summary.ts';
import type { Configuration } from '../catalog/declare/file.ts';
import type { FunctionSettings } from '../model/declared.ts';
import { type Fault, faultLine } from '../model/errors.ts';
import { deniedWarnings } from './denied-addresses.ts';

export interface ConfigDeps extends ApplyDeps {
  /** @throws MillraceError bad_configuration: functions that do not work. */
  tryFunctions(functions: readonly FunctionSettings[]): Promise<void>;
  /** Of sinks that are gone. What is in the way now is freed by the next start. */
  freeStorage(): Promise<void>;
}

export interface Plan {
  changes: Change[];
  /** What begins with it. */
  actions: { description: string }[];
  /** Sentences. */
  warnings: string[];
  /** What pruning loses for good, a sentence each: it is applied with `force` only. */
  losses: string[];
  summary: { create: number; update: number; delete: number };
  /** Of the catalog: an apply that names it is refused when something was changed since. */
  generation: number;
}

export interface Applied extends Omit<Plan, 'losses' | 'summary'> {
  /** Everything that is as declared now. */
  resources: { resource_type: string; name: string }[];
}

/** @throws MillraceError bad_configuration with every fault; bad_setting: a wrong SECRET_KEY. */
export async function planDeclaration(
  deps: ConfigDeps,
  { config, warnings }: Configuration,
  wishes: Pick<ApplyOptions, 'adopt' | 'asker' | 'prune' | 'privateOk'>,
): Promise<Plan> {
  await deps.tryFunctions(config.functions);
  const { losses, ...planned } = await planConfig(deps, config, wishes);
  const number = (wanted: Change['action']): number => planned.changes.filter(({ action }) => action === wanted).length;
  return {
    ...(await told(deps, planned, warnings)),
    losses,
    summary: { create: number('create'), update: number('update'), delete: number('delete') },
  };
}

/**
 * All or nothing. @throws MillraceError as `planDeclaration` does; needs_force, plan_outdated; unavailable when locks could not
 * be had.
 */
export async function applyDeclaration(
  deps: ConfigDeps,
  { config, warnings }: Configuration,
  options: ApplyOptions & { from: string },
): Promise<Applied> {
  await deps.tryFunctions(config.functions);
  const applied = await applyConfig(deps, config, options);
  if (applied.deleted.length > 0) await deps.freeStorage();
  return { ...(await told(deps, applied, warnings)), resources: applied.resources };
}

async function told({ reach }: ConfigDeps, summary: ApplySummary, warnings: readonly Fault[]) {
  const { changes, actions, notes, servers, generation } = summary;
  return {
    changes,
    actions: actions.map((description) => ({ description })),
    warnings: [...warnings.map(faultLine), ...notes, ...(await deniedWarnings(reach, servers))],
    generation,
  };
}
