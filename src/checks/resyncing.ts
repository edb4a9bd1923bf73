/** How a person goes on after a gap: the remedy of every one of them. */
import { millrace, quoteLiteral } from '../model/quote.ts';
import { inMessages, type Repair } from './finding.ts';

/** `database`: as millrace.yaml names it. */
export const resyncing = (database: string): Repair =>
  inMessages(
    `select millrace.resync(${quoteLiteral(database)})`,
    `or, to be shown how far it is: ${millrace('resync', database)}`,
  );
