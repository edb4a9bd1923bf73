/** Jobs of a sink, or a database, that have failed. */
import { millrace, quoteLiteral } from '../model/quote.ts';
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
    const summary = `a ${kind}${table === null ? '' : ` of ${table}`} has failed: ${reason ?? 'see the log of capture and worker'}`;
    const again = `select millrace.resume_operation(${quoteLiteral(id)})`;
    const repair = remedy === null ? inMessages(again) : byHand(`${remedy}; then: ${again}`);
    return { ...warning('failed', summary, { ...repair, command: millrace('operation', 'resume', id) }), item: id };
  });
