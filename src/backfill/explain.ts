/** Why a backfill waits or failed, and what to do: whatever is wrong, somebody reads it in the backfill's state. */
import { connectionFault, DECLARED_DATABASE, MESSAGE_DATABASE } from '../model/connection-fault.ts';
import { MillraceError } from '../model/errors.ts';
import { withoutValues } from '../model/refusal.ts';
import { type Remedy, remedyForReading } from '../model/remedies.ts';
import type { Backfill } from './store.ts';

/** `role`: who reads. `seconds`: that a query may take. `isHere`: the message database said so. */
export function remedyOf(
  error: unknown,
  { table_schema, table_name, sort_column }: Backfill,
  { isHere, ...at }: { role: string; seconds: number; isHere: boolean },
): Remedy {
  if (error instanceof MillraceError) {
    // Only a replay reads a change table; whoever else reads one has nothing to resume.
    const then = error.code === 'bad_destination' ? ' Then resume the replay.' : '';
    const remedy = error.remedy === undefined ? {} : { remedy: `${error.remedy}${then}` };
    return { message: error.message, ...remedy, isFinal: error.code !== 'unavailable' };
  }
  const unreached = connectionFault(error, isHere ? MESSAGE_DATABASE : DECLARED_DATABASE);
  if (unreached) return { ...unreached, isFinal: false };
  const table = { schema: table_schema ?? '', name: table_name ?? '', sortColumn: sort_column };
  return remedyForReading(error, { ...table, ...at }) ?? { message: withoutValues(error), isFinal: false };
}
