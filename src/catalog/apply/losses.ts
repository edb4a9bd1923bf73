/** What pruning loses for good. */
import type { Queryable } from '../../db/pool.ts';
import { statement } from '../../db/statement.ts';
import { count } from '../../model/quantity.ts';
import type { Step } from './step.ts';

const UNDELIVERED = statement('catalog/undelivered');

/** A sentence each. */
export async function lossesOf(db: Queryable, steps: readonly Step[]): Promise<string[]> {
  const pruned = steps.filter(({ action }) => action === 'delete');
  const sinks = pruned.filter(({ type }) => !['token', 'database', 'function'].includes(type));
  const names = sinks.map(({ name }) => name);
  const { rows } =
    names.length === 0
      ? { rows: [] }
      : await db.query<{ name: string; pending: number; parked: number }>(UNDELIVERED, [names]);
  const messages = rows
    .filter(({ pending, parked }) => pending + parked > 0)
    .map(
      ({ name, pending, parked }) => `sink ${name} has ${count(pending)} pending and ${count(parked)} parked messages`,
    );
  const left = pruned
    .filter(({ type }) => type === 'database')
    .map(({ name, old }) =>
      old?.capture === 'triggers'
        ? `database ${name} may have triggers, which note its changes until somebody runs there: drop schema millrace_capture cascade`
        : `database ${name} may have a replication slot, which keeps WAL until somebody drops it`,
    );
  return [...messages, ...left];
}
