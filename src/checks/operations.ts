/** Backfills and replays of a sink that have failed. */
import { quoteLiteral } from '../model/quote.ts';
import { byHand, type Finding, inMessages, warning } from './finding.ts';

export interface OperationFacts {
  id: string;
  kind: string;
  table: string | null;
  reason: string | null;
  remedy: string | null;
}

/** `failed`: those that nobody has begun again since. */
export const checkOperations = (failed: readonly OperationFacts[]): Finding[] =>
  failed.map(({ id, kind, table, reason, remedy }) => {
    const summary = `a ${kind}${table === null ? '' : ` of ${table}`} has failed: ${reason ?? 'see the log of capture'}`;
    const again = `select millrace.resume_backfill(${quoteLiteral(id)})`;
    return warning('failed', summary, remedy === null ? inMessages(again) : byHand(`${remedy}; then: ${again}`));
  });
