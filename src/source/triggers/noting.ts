/** What is to be noted, and how. */
import type { Queryable } from '../../db/pool.ts';
import type { Noting, TriggeredTable } from './texts.ts';

const SESSION = "select current_setting('lc_monetary') as money, current_user::text as role";

export interface Wanted {
  /** The tables whose changes are to be noted; one that our role does not own is left as it is. */
  tables: readonly TriggeredTable[];
  /** What becomes of a write whose change cannot be noted; `fail` if absent. */
  onError?: Noting['onError'];
  mostBytes?: number;
}

/** As our role has it in this database. */
export async function readNoting(
  source: Queryable,
  { onError = 'fail', mostBytes }: Omit<Wanted, 'tables'>,
): Promise<Noting & { role: string }> {
  const { rows } = await source.query<{ money: string; role: string }>(SESSION);
  return {
    ...{ onError, lcMonetary: rows[0]!.money, role: rows[0]!.role },
    ...(mostBytes === undefined ? {} : { mostBytes }),
  };
}
