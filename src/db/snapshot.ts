/**
 * Reads of a user's database that see one state of it. Row security is off: rows that are left out silently would be taken
 * for rows that are gone, so a role that it binds gets an error. Rows come by an index in their order, not by a sort.
 */
import { type Limits, limitSql } from './deadline.ts';
import type { Connection } from './pool.ts';
import { EVERY_ROW } from './session-settings.ts';

export interface SnapshotOptions<Result> extends Limits {
  /** What is committed with it, in one round trip; absent or undefined: nothing is. */
  ending?: (result: Result) => string | undefined;
}

/** Runs `work` in one snapshot on `client`, which has no transaction open before and after. */
export async function inSnapshot<Result>(
  client: Connection,
  options: SnapshotOptions<Result>,
  work: () => Promise<Result>,
): Promise<Result> {
  const { ending } = options;
  await client.query(
    `begin isolation level repeatable read ${ending ? '' : 'read only'}; ${limitSql(options)};
     ${EVERY_ROW}; set local enable_sort = off`,
  );
  try {
    const result = await work();
    const last = ending?.(result);
    await client.query(last === undefined ? 'rollback' : `${last}; commit`);
    return result;
  } catch (error) {
    await client.query('rollback').catch(() => undefined);
    throw error;
  }
}
