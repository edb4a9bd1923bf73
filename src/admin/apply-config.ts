/**
 * A declaration planned and applied from anywhere, in the words of Sequin's tools: a plan lists each change with its entry
 * before and after. Functions are tried first.
 */
import { type ApplyDeps, type ApplyOptions, applyConfig, planConfig } from '../catalog/apply/apply.ts';
import { freeStorage } from '../catalog/apply/remove-sink.ts';
import type { Change } from '../catalog/apply/step.ts';
import type { ApplySummary } from '../catalog/apply/summary.ts';
import type { Configuration } from '../catalog/declare/file.ts';
import { faultLine } from '../model/errors.ts';
import type { Log } from '../runtime/log.ts';
import { refuseBadFunctions } from './check-functions.ts';

export interface ConfigDeps extends ApplyDeps {
  log: Log;
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

/** For transactions that are in the way of freeing the storage of pruned sinks. */
const FREE_MS = 1_000;

/** @throws MillraceError bad_configuration with every fault; bad_setting: a wrong SECRET_KEY. */
export async function planDeclaration(
  deps: ConfigDeps,
  { config, warnings }: Configuration,
  wishes: Pick<ApplyOptions, 'adopt' | 'prune'>,
): Promise<Plan> {
  await refuseBadFunctions(config.functions, deps.log);
  const { losses, ...planned } = await planConfig(deps, config, wishes);
  const number = (wanted: Change['action']): number => planned.changes.filter(({ action }) => action === wanted).length;
  return {
    ...told(planned, warnings.map(faultLine)),
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
  await refuseBadFunctions(config.functions, deps.log);
  const applied = await applyConfig(deps, config, options);
  if (applied.deleted.length > 0) {
    // What is in the way now is freed by the next start.
    await freeStorage(deps.db, FREE_MS).catch((error: unknown) =>
      deps.log.warn({ err: error }, 'storage of removed sinks stays'),
    );
  }
  return { ...told(applied, warnings.map(faultLine)), resources: applied.resources };
}

function told({ changes, actions, notes, generation }: ApplySummary, warnings: string[]) {
  return {
    changes,
    actions: actions.map((description) => ({ description })),
    warnings: [...warnings, ...notes],
    generation,
  };
}
