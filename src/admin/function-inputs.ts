/** Messages of a sink as its functions see them, for whoever tries functions on them. */
import type { Queryable } from '../db/pool.ts';
import { statement } from '../db/statement.ts';
import type { FunctionInput } from '../model/message.ts';

const INPUTS = statement('admin/function-inputs');

/** Of the texts that one call takes. */
const MOST_BYTES = 4_194_304;

/** The oldest that are not settled; at least one, if there is one. */
export async function oldestInputs(db: Queryable, sinkNo: number, limit: number): Promise<FunctionInput[]> {
  return (await db.query<FunctionInput & { id: number }>(INPUTS, [sinkNo, limit, MOST_BYTES])).rows;
}
