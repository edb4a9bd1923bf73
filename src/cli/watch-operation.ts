/** An operation on a screen: what is over stays, how far it is is drawn again. Watching changes nothing: it goes on without. */
import { type Operation, type OperationStep, showOperation } from '../admin/operations.ts';
import type { WatchDeps } from '../admin/watched.ts';
import type { Queryable } from '../db/pool.ts';
import { MillraceError } from '../model/errors.ts';
import type { Screen } from './screen.ts';

const LOOK_MS = 500;

export interface WatchOperationDeps extends Pick<WatchDeps, 'sleep'> {
  db: Queryable;
  screen: Screen;
  /** What is said of a step; its text, if absent. */
  tellStep?: (step: OperationStep) => Promise<string>;
}

/** As it ended, with what was shown last; undefined: whoever watched has gone. @throws MillraceError not_found. */
export async function watchOperation(
  deps: WatchOperationDeps,
  id: string,
  signal: AbortSignal,
): Promise<Operation | undefined> {
  const { db, screen } = deps;
  let told = 0;
  while (!signal.aborted) {
    const operation = await showOperation(db, id);
    for (const step of (operation.steps ?? []).slice(told)) {
      screen.say((await deps.tellStep?.(step)) ?? step.text);
      told += 1;
    }
    if (operation.ended_at !== null) {
      screen.show(operation.lines ?? []);
      return operation;
    }
    screen.show(linesOf(operation));
    await deps.sleep(LOOK_MS, signal);
  }
  screen.end();
  return undefined;
}

/** What it waits for stands before how far it is. */
export function linesOf({ kind, state, reason, remedy, lines }: Operation): string[] {
  const why = reason === null ? [] : [`waiting: ${[reason, remedy].filter((text) => text !== null).join('; ')}`];
  if (why.length > 0) return why;
  if (state === 'paused') return [`the ${kind} is paused`];
  return [...(lines ?? [])];
}

/** Of one that failed, or was cancelled. */
export function refusalOf({ id, kind, state, reason, remedy }: Operation): MillraceError {
  const message = state === 'cancelled' ? `the ${kind} was cancelled` : (reason ?? `the ${kind} failed`);
  return new MillraceError('bad_request', message, remedy === null ? { facts: { id } } : { remedy, facts: { id } });
}

/** Whoever asks for what is under way already watches that. @throws what else `start` throws. */
export async function startOrFind(start: () => Promise<string>): Promise<{ id: string; isNew: boolean }> {
  try {
    return { id: await start(), isNew: true };
  } catch (error) {
    const id = error instanceof MillraceError && error.code === 'operation_running' ? error.facts.id : undefined;
    if (typeof id !== 'string') throw error;
    return { id, isNew: false };
  }
}

/** What somebody reads who stopped watching. */
export const goesOn = (id: string): string =>
  `It continues without this command; run the same command again to watch it. To end it: bin/millrace sql "select millrace.cancel_operation('${id}')"`;
