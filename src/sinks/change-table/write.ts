/**
 * Rows into the event table, inside somebody's transaction. All in one statement; when Postgres refuses it for a row's
 * sake, the halves are tried, down to the rows that are at fault: those come back with the reason, the others are
 * written, in order of their ids. Each try has a savepoint, so that whatever happens the transaction goes on. Rows that
 * are all refused alike are refused by the table, and none of them is parked.
 *
 * Records travel as one text, parted by U+001E, which no JSON text contains: as fast as COPY here and half again as fast
 * as an array of text, whose every quote must be escaped (bench: 75k, 76k and 55k rows a second).
 */
import { takesAnnotations } from '../../db/annotations-column.ts';
import { byHalves } from '../../db/halving.ts';
import type { Queryable } from '../../db/pool.ts';
import { inSavepoint, undone } from '../../db/savepoint.ts';
import { BACK_TO_OUR_PATH, USERS_PATH } from '../../db/session-settings.ts';
import type { Statement } from '../../db/statement.ts';
import { ANNOTATIONS } from '../../model/annotations.ts';
import { joinedKey } from '../../model/joined-key.ts';
import { membersOf } from '../../model/json-scan.ts';
import { type QuotedTable, quoteTable } from '../../model/quote.ts';
import type { Circuit, Delivery } from '../../model/sink.ts';
import { isMissingColumn } from '../../model/sqlstate.ts';
import type { RetentionPolicy } from './section.ts';
import { tableFault } from './table-fault.ts';
import { circuitText, judge, TableAtFault } from './verdict.ts';

export interface Writing {
  table: QuotedTable;
  policy: RetentionPolicy | null;
  /** `sinks/change-table/insert` on the event table, without and with the column for annotations. */
  insert: Statement;
  annotated: Statement;
  sourceDatabaseId: string;
  /** Rows that were refused alike, one after the other, since one was written. */
  refusals: { like: string; count: number };
}

const PART = '\x1e';
const ACTIONS = ['insert', 'update', 'delete'];
/** Rows that are tried to see whether any passes. */
const TRIALS = 8;

/** One batch on its way. */
interface Work extends Writing {
  rows: readonly Delivery[];
  refused: Map<number, string>;
  /** The column for annotations is there. */
  isAnnotated: boolean;
  seen: {
    /** The table was looked at, and is as it should be. */
    isLooked: boolean;
    /** Some row was written, or could be. */
    isPassable: boolean;
  };
}

interface Refusal {
  error: unknown;
  text: string;
  alike: number;
}

/**
 * Writes rows, ascending by id. Returns why, by id, for those that were refused. Throws any other error of Postgres, and
 * TableAtFault when it is the table that refuses them.
 */
export async function writeRows(
  tx: Queryable,
  rows: readonly Delivery[],
  writing: Writing,
): Promise<Map<number, string>> {
  const refused = new Map<number, string>();
  const fit = rows.filter((row) => {
    const reason = unfit(row);
    if (reason !== undefined) refused.set(row.id, reason);
    return reason === undefined;
  });
  if (fit.length === 0) return refused;
  const isAnnotated = await takesAnnotations(tx, writing.table);
  const seen = { isLooked: false, isPassable: false };
  const work = { ...writing, rows: fit, refused, isAnnotated, seen };
  await byHalves(fit, (part) => writePart(tx, part, work));
  return refused;
}

/** Are they written? Of one that is not by itself, it is noted why. */
async function writePart(tx: Queryable, rows: readonly Delivery[], work: Work): Promise<boolean> {
  const refusal = await attempt(tx, rows, work);
  if (refusal === undefined) {
    work.seen.isPassable = true;
    work.refusals.count = 0;
    return true;
  }
  if (!work.seen.isLooked) {
    const circuit = await tableFault(tx, work, refusal);
    if (circuit !== undefined) throw new TableAtFault(circuit);
    work.seen.isLooked = true;
  }
  if (rows.length > 1) return false;
  // An annotation that jsonb refuses is no reason to lose the change.
  if (work.isAnnotated) return await writePart(tx, rows, { ...work, isAnnotated: false });
  await refuse(tx, rows[0]!, { work, refusal });
  return false;
}

/** The row is refused by itself, unless all of them are. */
async function refuse(
  tx: Queryable,
  row: Delivery,
  { work, refusal }: { work: Work; refusal: Refusal },
): Promise<void> {
  const { refusals } = work;
  const count = refusals.like === refusal.text ? refusals.count + 1 : 1;
  Object.assign(refusals, { like: refusal.text, count });
  if (!work.seen.isPassable && count >= refusal.alike) {
    if (!(await anyPasses(tx, row, work))) throw new TableAtFault(refusesAll(row, work, refusal));
    work.seen.isPassable = true;
  }
  work.refused.set(row.id, refusal.text);
}

/** Would some others, spread over the batch, be written? */
async function anyPasses(tx: Queryable, row: Delivery, work: Work): Promise<boolean> {
  const others = work.rows.filter((other) => other !== row && !work.refused.has(other.id));
  const step = Math.max(1, others.length / TRIALS);
  for (let place = others.length - 1; place >= 0; place = Math.ceil(place - step)) {
    const refusal = await undone(tx, () => attempt(tx, [others[place]!], { ...work, isAnnotated: false }));
    if (refusal === undefined) return true;
  }
  return false;
}

/** Names the row, not its values. */
function refusesAll(row: Delivery, { table }: Writing, { text, alike }: Refusal): Circuit {
  const remedy =
    alike > 1
      ? 'No entry passes: drop or change what refuses it. Nothing is lost meanwhile.'
      : 'No entry passes: a trigger or a policy of the table refuses it. When others pass, this one is parked.';
  const message = `${quoteTable(table)} refuses message ${row.id} of ${row.tableSchema}.${row.tableName}: ${text}`;
  return { reason: 'bad_destination', error: circuitText([{ message, remedy }]) };
}

/** Why, when a row may be at fault. */
async function attempt(
  tx: Queryable,
  rows: readonly Delivery[],
  writing: Writing & Pick<Work, 'isAnnotated'>,
): Promise<Refusal | undefined> {
  const values = valuesOf(rows, writing.sourceDatabaseId);
  try {
    const insert = (): Promise<unknown> =>
      writing.isAnnotated
        ? tx.query(writing.annotated, [...values, rows.map(annotationsOf).join(PART)])
        : tx.query(writing.insert, values);
    await inSavepoint(tx, insert, { begin: USERS_PATH, end: BACK_TO_OUR_PATH });
    return undefined;
  } catch (error) {
    const verdict = judge(error);
    if (verdict?.kind === 'row') return { error, text: verdict.error, alike: verdict.alike };
    // The column was dropped a moment ago.
    if (writing.isAnnotated && isMissingColumn(error))
      return await attempt(tx, rows, { ...writing, isAnnotated: false });
    throw error;
  }
}

/** Of a message's `metadata`: JSON text; empty for none. */
function annotationsOf({ metadata }: Delivery): string {
  const text = membersOf(metadata)?.get(ANNOTATIONS) ?? 'null';
  return text === 'null' ? '' : text;
}

function valuesOf(rows: readonly Delivery[], sourceDatabaseId: string): unknown[] {
  return [
    sourceDatabaseId,
    rows.map((row) => row.id),
    rows.map((row) => row.tableOid),
    rows.map((row) => row.tableSchema),
    rows.map((row) => row.tableName),
    rows.map((row) => joinedKey(row.recordPks)),
    rows.map((row) => row.record).join(PART),
    rows.map((row) => row.changes ?? '').join(PART),
    rows.map((row) => row.action),
    rows.map((row) => row.committedAt),
  ];
}

/** What the statement could not carry or the table must not hold. */
function unfit(row: Delivery): string | undefined {
  if (!ACTIONS.includes(row.action)) return `a change table holds insert, update and delete, not ${row.action}`;
  for (const text of [row.record, row.changes]) {
    if (text !== null && (text === '' || text.includes(PART))) return 'the message is not JSON';
  }
  return undefined;
}
