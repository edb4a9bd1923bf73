/** Transactions that were prepared for a two-phase commit, and that nobody ends. */
import { duration } from '../model/quantity.ts';
import { quoteLiteral } from '../model/quote.ts';
import { byHand, type Finding, warning } from './finding.ts';

/** As the statement gives it. */
export interface PreparedTransaction {
  gid: string;
  database: string;
  owner: string;
  seconds: number;
}

/** Whoever coordinates them ends them within seconds. */
const LONG_SECONDS = 3_600;

/** How it is ended, by its owner or a superuser. */
export const endingIt = ({ gid, database }: Pick<PreparedTransaction, 'gid' | 'database'>): string =>
  `in database ${database}, commit prepared ${quoteLiteral(gid)} or rollback prepared ${quoteLiteral(gid)}`;

export const checkPrepared = (prepared: readonly PreparedTransaction[]): Finding[] =>
  prepared
    .filter(({ seconds }) => seconds >= LONG_SECONDS)
    .map((one) => ({
      ...warning(
        'prepared_open',
        `transaction ${quoteLiteral(one.gid)} of ${one.owner} in database ${one.database} was prepared ${duration(one.seconds)} ago and has not ended: its changes come when it is committed, and until then the server keeps WAL and dead rows from where it began`,
        byHand(`Ask whoever coordinates it. If it was forgotten: ${endingIt(one)}.`),
      ),
      item: one.gid,
    }));
