/**
 * Is it the table's doing that a row was refused? A column that was changed, a sequence at its end or behind the table,
 * refuse every row alike: parking them one by one would hide what is wrong, and empty the queue.
 */

import { goOnBehind } from '../../checks/change-table.ts';
import type { Queryable } from '../../db/pool.ts';
import { statement } from '../../db/statement.ts';
import type { QuotedTable } from '../../model/quote.ts';
import type { Circuit } from '../../model/sink.ts';
import { isSequenceOver, isUniqueViolation } from '../../model/sqlstate.ts';
import { faultsAsCircuit } from './as-circuit.ts';
import type { RetentionPolicy } from './section.ts';
import { inspectTable, verifyChangeTable } from './table.ts';
import { circuitText } from './verdict.ts';

const IS_ABOUT_ID = statement('sinks/change-table/is-about-id');

/** What it takes to put right; undefined when the table is as it should be. `error`: what Postgres said of the row. */
export async function tableFault(
  tx: Queryable,
  { table, policy }: { table: QuotedTable; policy: RetentionPolicy | null },
  { error, text }: { error: unknown; text: string },
): Promise<Circuit | undefined> {
  const found = faultsAsCircuit(table, await verifyChangeTable(tx, table, policy));
  if (found !== undefined)
    return {
      ...found,
      error: circuitText([
        { message: text, remedy: '' },
        { message: found.error, remedy: '' },
      ]),
    };
  if (isSequenceOver(error)) {
    const remedy = 'Let the sequence of its column id go on: alter sequence ... as bigint no maxvalue; or restart it.';
    return { reason: 'bad_destination', error: circuitText([{ message: text, remedy }]) };
  }
  if (!isUniqueViolation(error) || error.schema === undefined || error.constraint === undefined) return undefined;
  const { rows } = await tx.query<{ about_id: boolean }>(IS_ABOUT_ID, [error.schema, error.constraint]);
  if (!rows[0]!.about_id) return undefined;
  const message = `${text}: the sequence of column "id" is behind the table, as after a restore`;
  const remedy = `Run: ${goOnBehind(table, await inspectTable(tx, table))}`;
  return { reason: 'bad_destination', error: circuitText([{ message, remedy }]) };
}
