/** How a person goes on after a gap: the remedy of every one of them. */
import { millrace, quoteLiteral } from '../model/quote.ts';
import { inMessages, type Repair } from './finding.ts';

/**
 * `database`: as millrace.yaml names it. `isUnnoticed`: no capture has seen the gap yet, so that the database is not in
 * `needs_resync`, and a resync has to be forced.
 */
export const resyncing = (database: string, isUnnoticed = false): Repair => {
  const command = millrace('resync', database, ...(isUnnoticed ? ['--force'] : []));
  return {
    ...inMessages(
      `select millrace.resync(${quoteLiteral(database)}${isUnnoticed ? ', force => true' : ''})`,
      `or, to be shown how far it is: ${command}`,
    ),
    command,
  };
};
