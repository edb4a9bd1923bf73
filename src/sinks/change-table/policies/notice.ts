/**
 * What is said when a policy that an extension of the database carries out is not in place: a notice on the sink, with
 * Postgres' own words and the SQL that fixes it. Entries are written all the same; only old ones stay too long.
 */

import type { TableWarning } from '../../../checks/change-table.ts';
import { messageOf } from '../../../model/errors.ts';
import { judge } from '../verdict.ts';

export function policyNotice(message: string, remedy: string): TableWarning {
  return { kind: 'shape', field: 'retention', message, remedy, code: 'policy_missing' };
}

/** Postgres' words. Throws on what is not the policy's fault: a stop, or a server that went away. */
export function complaintOf(error: unknown, signal: AbortSignal): string {
  signal.throwIfAborted();
  const verdict = judge(error);
  if (verdict?.kind === 'circuit' && verdict.circuit.reason === 'unreachable') throw error;
  return verdict?.kind === 'row' ? verdict.error : messageOf(error);
}
