/** Rows of which only the key was kept, because they are larger than their database's max_row_bytes. */
import { MOST_ROW_BYTES } from '../model/declared.ts';
import { quoteLiteral } from '../model/quote.ts';
import { byHand, type Finding, inMessages, warning } from './finding.ts';

/** Of a table, for one sink; as the statement gives it. */
export interface TooLargeFacts {
  sink: string;
  /** It can be sent rows again. */
  takesRows: boolean;
  database: string;
  maxRowBytes: number;
  table: string;
  /** Parked ones. */
  rows: number;
  /** The largest one; null: what they have is not known. */
  mostBytes: number | null;
}

const MEBIBYTE = 1_048_576;

export const checkRowSize = (found: readonly TooLargeFacts[]): Finding[] =>
  found.map((facts) => {
    const { table, rows, mostBytes, maxRowBytes } = facts;
    const largest = mostBytes === null ? '' : `; the largest one has ${mostBytes} bytes`;
    const summary = `${rows === 1 ? 'a row' : `${rows} rows`} of ${table} ${rows === 1 ? 'is' : 'are'} larger than max_row_bytes (${maxRowBytes})${largest}: only their keys were kept, and they are parked`;
    return { ...warning('rows_too_large', summary, repairOf(facts)), item: table };
  });

function repairOf({ sink, takesRows, database, maxRowBytes, table, mostBytes }: TooLargeFacts) {
  const wanted = Math.ceil(((mostBytes ?? maxRowBytes * 2) * 1.25) / MEBIBYTE) * MEBIBYTE;
  if (wanted > MOST_ROW_BYTES)
    return byHand(
      `No setting takes such rows in: the most is ${MOST_ROW_BYTES} bytes. Keep large values in a table that the sink does not take in, and discard what is parked.`,
    );
  const names = `sink_name = ${quoteLiteral(sink)} and table_schema || '.' || table_name = ${quoteLiteral(table)}`;
  const discard = `select millrace.discard(${quoteLiteral(sink)}, array(select id from millrace.parked_messages where ${names} and error like '%larger than max_row_bytes%'))`;
  const set = `once \`max_row_bytes: ${wanted}\` is set in the entry of database ${database}`;
  return takesRows
    ? inMessages(`select millrace.backfill(${quoteLiteral(sink)}, ${quoteLiteral(table)}); ${discard}`, set)
    : inMessages(discard, `${set}: what those changes held beside their keys is not known any more`);
}
