/** Messages of a sink as its functions see them, for whoever tries functions on them. */
import type { Queryable } from '../db/pool.ts';
import { statement } from '../db/statement.ts';
import type { SinkSettings } from '../model/declared.ts';
import type { FunctionInput } from '../model/message.ts';
import type { FunctionSet } from '../transform/shape.ts';
import { showFunction } from './list-functions.ts';

const INPUTS = statement('admin/function-inputs');

/** Of the texts that one call takes. */
const MOST_BYTES = 4_194_304;

type Input = FunctionInput & { id: number };

const read = async (
  db: Queryable,
  sinkNo: number,
  { limit, from }: { limit: number; from: number },
): Promise<Input[]> => (await db.query<Input>(INPUTS, [sinkNo, limit, MOST_BYTES, from])).rows;

/** The oldest that are not settled; at least one, if there is one. */
export const oldestInputs = (db: Queryable, sinkNo: number, limit: number): Promise<FunctionInput[]> =>
  read(db, sinkNo, { limit, from: 0 });

/** Undefined: it is settled. */
export async function inputOf(db: Queryable, sinkNo: number, id: number): Promise<FunctionInput | undefined> {
  const [row] = await read(db, sinkNo, { limit: 1, from: id });
  return row?.id === id ? row : undefined;
}

/** The functions of a sink, as they are now. */
export async function functionsOf(
  db: Queryable,
  { filter, transform, routing }: Pick<SinkSettings, 'filter' | 'transform' | 'routing'>,
): Promise<FunctionSet> {
  const set: FunctionSet = {};
  for (const [use, name] of Object.entries({ filter, transform, routing })) {
    if (name !== null) set[use as keyof FunctionSet] = (await showFunction(db, name)).settings;
  }
  return set;
}
