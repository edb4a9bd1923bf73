/**
 * The declaration becomes the catalog: one transaction (see transaction.ts), by name, and nothing at all when nothing differs.
 * Death at any line leaves the catalog as it was; what is not declared stays, unless it is to be pruned.
 */
import type { Transacting, Transaction } from '../../db/pool.ts';
import { statement } from '../../db/statement.ts';
import { MillraceError } from '../../model/errors.ts';
import type { Reach } from '../../runtime/checked-lookup.ts';
import type { KeyRing } from '../../runtime/secret-key.ts';
import { recordChange } from '../audit.ts';
import type { Declared } from '../declare/declaration.ts';
import { readCurrent } from './current.ts';
import { decide, type Wishes } from './decide.ts';
import { lossesOf } from './losses.ts';
import type { Decided, Step } from './step.ts';
import { type ApplySummary, summaryOf } from './summary.ts';
import { type ChangeOptions, changeCatalog } from './transaction.ts';
import { hashPasswords } from './users.ts';

const startPositions = statement('catalog/start-positions');
const publish = statement('catalog/publish');
const markDeclared = statement('catalog/mark-declared');
const forgetReleased = statement('catalog/forget-released');
const readGeneration = statement('catalog/plan-generation');

export interface ApplyDeps {
  db: Transacting;
  keys: KeyRing;
  /** Whoever changes one thing runs the machine: it may be in a private network. */
  privateOk?: boolean;
  /** Where connections may go. Absent: nobody is told of servers that may not be connected to. */
  reach?: Reach;
}

export interface ApplyOptions extends ChangeOptions, Pick<Wishes, 'adopt' | 'asker' | 'prune'> {
  /** Where the file was applied from: `start`, `cli`, a token's name. Absent: no file, these things are nobody's but the API's. */
  from?: string | undefined;
  /** Written by whoever runs the machine; true. False: it came over HTTP. */
  privateOk?: boolean | undefined;
  /** Messages and slots may be lost by pruning. */
  force?: boolean | undefined;
  /** That of the plan that was agreed to. */
  generation?: number | undefined;
}

/**
 * Applies a declaration. Safe to repeat and to run twice at once.
 * @throws MillraceError bad_configuration for all that cannot be changed in place or refers to nothing; needs_force;
 * plan_outdated; bad_setting for a wrong SECRET_KEY; unavailable when locks could not be had.
 */
export async function applyConfig(
  deps: ApplyDeps,
  config: Declared,
  options: ApplyOptions = {},
): Promise<ApplySummary> {
  const hashes = await hashPasswords(deps.db, config.users);
  return await changeCatalog(deps.db, (tx) => applyOnce(tx, { keys: deps.keys, config, hashes }, options), options);
}

async function applyOnce(
  tx: Transaction,
  { keys, config, hashes }: { keys: KeyRing; config: Declared; hashes: ReadonlyMap<string, string> },
  options: ApplyOptions,
): Promise<ApplySummary> {
  const { from, generation } = options;
  if (generation !== undefined && generation !== (await generationOf(tx))) throw planOutdated();
  const managedBy = from === undefined ? 'api' : 'file';
  const decided = decide(await readCurrent(tx), config, {
    ...options,
    privateOk: options.privateOk ?? true,
    ...{ keys, managedBy, hashes },
  });
  refuseFaults(decided);
  if (options.force !== true) await refuseLosses(tx, decided.steps);
  const changing = decided.steps.filter(({ action }) => action !== 'keep');
  for (const step of changing) await step.write(tx);
  if (from !== undefined) await mark(tx, from, decided.steps);
  if (from === 'start') await forget(tx, config);
  if (changing.some(({ type }) => type !== 'token' && type !== 'user')) {
    await tx.query(startPositions);
    await tx.query(publish);
  }
  const summary = summaryOf(decided, await generationOf(tx));
  for (const { resource_type, name, action, old, new: after } of summary.changes) {
    await recordChange(tx, { action, subject: `${resource_type} ${name}`, before: old, after });
  }
  return summary;
}

/** What applying would do. */
export interface Planned extends ApplySummary {
  /** What goes for good: without `force` nothing is applied then. */
  losses: string[];
}

/** Reads one moment of the catalog, and writes nothing. @throws MillraceError as `applyConfig` does. */
export async function planConfig(
  { db, keys }: ApplyDeps,
  config: Declared,
  wishes: Pick<ApplyOptions, 'adopt' | 'asker' | 'prune' | 'privateOk'>,
): Promise<Planned> {
  return await db.transaction(async (tx) => {
    await tx.query('set transaction isolation level repeatable read read only');
    const decided = decide(await readCurrent(tx), config, {
      ...wishes,
      privateOk: wishes.privateOk ?? true,
      ...{ keys, managedBy: 'file' as const },
    });
    refuseFaults(decided);
    const losses = await lossesOf(tx, decided.steps);
    return { ...summaryOf(decided, await generationOf(tx)), losses };
  });
}

async function generationOf(tx: Transaction): Promise<number> {
  return (await tx.query<{ generation: number }>(readGeneration)).rows[0]!.generation;
}

function refuseFaults({ faults }: Decided): void {
  if (faults.length === 0) return;
  const lines = faults.map(({ field, message, remedy }) => `${field} ${message}; ${remedy}`);
  throw new MillraceError('bad_configuration', lines.join('\n'), { faults });
}

async function refuseLosses(tx: Transaction, steps: readonly Step[]): Promise<void> {
  const losses = await lossesOf(tx, steps);
  if (losses.length === 0) return;
  throw new MillraceError('needs_force', `Nothing was applied: ${losses.join('; ')}`, {
    remedy: 'Apply with --force if that may be lost.',
  });
}

const planOutdated = (): MillraceError =>
  new MillraceError('plan_outdated', 'The configuration was changed since it was planned', {
    remedy: 'Plan again, and apply that.',
  });

/** A file of a start is always the same one: what was released from it, and it does not name, has no entry that could have an effect. */
async function forget(tx: Transaction, { databases, functions, sinks }: Declared): Promise<void> {
  const names = (entries: readonly { settings: { name: string } }[]): string[] =>
    entries.map(({ settings }) => settings.name);
  await tx.query(forgetReleased, [names(databases), functions.map(({ name }) => name), names(sinks)]);
}

/** What was released is not among the steps, and stays so. */
async function mark(tx: Transaction, from: string, steps: readonly Step[]): Promise<void> {
  const named = steps.filter(({ action }) => action !== 'delete');
  const names = (type: string): string[] => named.filter((step) => step.type === type).map(({ name }) => name);
  const sinks = named.filter(({ status }) => status !== undefined);
  await tx.query(markDeclared, [
    from,
    ...[names('database'), names('function'), names('token')],
    ...[sinks.map(({ name }) => name), sinks.map(({ status }) => status)],
  ]);
}
