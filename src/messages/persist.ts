/**
 * Persists a batch whatever is in it: no row stops a stream. Of texts that are no UTF-8 every fault becomes U+FFFD, and
 * with `invalid_utf8: park` their messages are parked. A row that the message database refuses for anything else about it
 * is found by halving, keeps its key only, and is parked.
 *
 * Rows are looked at after a refusal only, unless the source does not promise UTF-8: a sound batch pays nothing. What is
 * persisted is one transaction, with the position (append.ts).
 */
import { byHalves } from '../db/halving.ts';
import type { Database } from '../db/pool.ts';
import { isInvalidText, isValueRefused } from '../model/sqlstate.ts';
import { type AppendInput, append, isTaken, type Rows, type Writer } from './append.ts';
import type { Bytes, ParkedOnArrival } from './copy-rows.ts';
import { type CopiedRow, keyOnly, repaired, rewritten, rowsOf } from './repair.ts';

export interface PersistDeps {
  messages: Database;
  /** What becomes of a message with texts that are no UTF-8. */
  invalidUtf8: 'replace' | 'park';
  makeOut(): Bytes;
}

/** Commits the batch with the position, or throws what Postgres says of all of it. Returns rows whose texts were no UTF-8. */
export type Persist = (writer: Writer, input: AppendInput) => Promise<readonly CopiedRow[]>;

const DAMAGED =
  'the row holds bytes that are not valid UTF-8, shown as U+FFFD: correct them in the table, or retry to send it as it is shown';
const REFUSED =
  'the message database does not take the row as it is, so only its key was kept: discard it, or correct the row';

/** `wary`: rows are looked at before they are sent, for the source does not promise UTF-8. */
export function openPersist(deps: PersistDeps, wary: boolean): Persist {
  let isWary = wary;
  return async (writer, input) => {
    const damaged: CopiedRow[] = [];
    try {
      await append(deps.messages, writer, isWary ? changed(input, (part) => repair(deps, part, damaged)) : input);
    } catch (error) {
      if (!isValueRefused(error)) throw error;
      isWary ||= isInvalidText(error);
      damaged.length = 0;
      const sound = (part: Rows): Rows => (isWary ? repair(deps, part, damaged) : part);
      // Whose fault it is cannot be told from the answer; if no row is refused by itself, it comes again.
      const taken = async (part: Rows): Promise<Rows> => await withoutRefused(deps, sound(part));
      const { more } = input;
      const whole = { ...input, ...(await taken(input)) };
      await append(deps.messages, writer, more ? { ...whole, more: () => mapped(more(), taken) } : whole);
    }
    return damaged;
  };
}

function changed(input: AppendInput, change: (part: Rows) => Rows): AppendInput {
  const { more } = input;
  return { ...input, ...change(input), ...(more ? { more: () => mapped(more(), change) } : {}) };
}

async function* mapped(parts: AsyncIterable<Rows>, change: (part: Rows) => Rows | Promise<Rows>): AsyncGenerator<Rows> {
  for await (const part of parts) yield await change(part);
}

/** Notes what was damaged. */
function repair(deps: PersistDeps, { rows, parked }: Rows, found: CopiedRow[]): Rows {
  if (rows === undefined) return { rows, parked };
  const { copy, damaged } = repaired(rows, deps.makeOut);
  found.push(...damaged);
  return { rows: copy, parked: deps.invalidUtf8 === 'park' ? alsoParked(parked, damaged, DAMAGED) : parked };
}

function alsoParked(parked: readonly ParkedOnArrival[], rows: readonly CopiedRow[], error: string): ParkedOnArrival[] {
  const known = new Set(parked.map(({ sinkNo, id }) => `${sinkNo} ${id}`));
  const fresh = rows.filter(({ sinkNo, id }) => !known.has(`${sinkNo} ${id}`));
  return [...parked, ...fresh.map(({ sinkNo, lane, id, groupKey }) => ({ sinkNo, lane, id, groupKey, error }))];
}

/** The rows with every refused one cut down to its key, and parked; as they are when none is the reason. */
async function withoutRefused(deps: PersistDeps, { rows, parked }: Rows): Promise<Rows> {
  if (rows === undefined) return { rows, parked };
  const refused = await byHalves([...rowsOf(rows)], async (part) =>
    isTaken(deps.messages, rewritten(rows, deps.makeOut(), part)),
  );
  if (refused.length === 0) return { rows, parked };
  const copy = keyOnly(rows, deps.makeOut(), new Set(refused.map((row) => row.start)));
  return { rows: copy, parked: alsoParked(parked, refused, REFUSED) };
}
