/**
 * Reads the entries of a change table that a replay wants, in the order of `seq`, and for a search index, after each page of
 * them, the rows that they were of: an index that got old states again is put right by the rows as they are now, or by a delete
 * where there is none. Live changes come in between at their own places, so it converges to the table whatever happens. The keys
 * of these rows are kept with the place: a policy may delete the entries as soon as they are sent.
 *
 * A change table need have no index on `seq`: the places of the next entries are looked up many at a time, and the entries
 * then read by their ids. The end is fixed when the replay begins. What a policy deletes meanwhile is passed over.
 */
import { takesAnnotations, withAnnotations } from '../../db/annotations-column.ts';
import type { Connection, Database } from '../../db/pool.ts';
import { statement } from '../../db/statement.ts';
import type { DeclaredAction } from '../../model/declared.ts';
import type { LoadedRelation } from '../../routing/relation.ts';
import type { TableDescription } from '../../source/describe-table.ts';
import { holdTable } from '../../source/hold-table.ts';
import type { PageBudget } from '../../source/read-page.ts';
import { openRowsByKey } from '../read-keys.ts';
import type { Part, Reader } from '../reader.ts';
import { type ChangeTable, chosenBy, onChangeTable, type ReplayRequest, summarise } from './change-table.ts';
import { valuesOf } from './entry-values.ts';
import { FIRST, openPlaces, type Place, type Places } from './places.ts';
import { type Entry, putEntries, type Values } from './put-entries.ts';

const ENTRIES = statement('backfill/replay-entries');
const ANNOTATED = withAnnotations(ENTRIES);
const FIX = statement('backfill/fix-replay');

export interface ReplayInput {
  /** Of the backfill. */
  no: number;
  request: ReplayRequest;
  changeTable: ChangeTable;
  table: TableDescription;
  relation: LoadedRelation;
  budget: PageBudget;
}

interface Position {
  /** The entries themselves, or the rows that those before this place were of. */
  of: 'entries' | 'rows';
  after: Place;
  /** Of the rows that are still to be read. */
  keys?: readonly (readonly string[])[];
  /** No entry follows. */
  last?: boolean;
}

/** An entry as the statement finds it. */
interface Found {
  seq: number;
  id: number;
  found: number;
  action: DeclaredAction;
  record_pk: string;
  committed_at: number;
  record: string | null;
  changes: string | null;
  /** Absent: the change table has no column for them. */
  annotations?: string | null;
  now: string;
  before: string | null;
  was: string | null;
}

interface Page {
  /** Where it begins, and how many it may be. */
  of: string;
  entries: Found[];
  /** Where it ends. */
  end: Place;
  /** Nothing follows. */
  last: boolean;
  /** Entries that were passed, those that are not there any more included. */
  passed: number;
}

const PAGE_MS = 30_000;
/** Of rows to be read again. */
const ROWS_AT_ONCE = 500;

/** Counts what there is to send, once. @throws MillraceError */
export async function openReplayReader(messages: Database, given: ReplayInput, signal: AbortSignal): Promise<Reader> {
  const { no, changeTable, table } = given;
  let { request } = given;
  if (request.counted) return new ReplayReader(given);
  try {
    const { entries, last_seq: last } = await summarise(changeTable, { source: table, request }, signal);
    request = { ...request, to_seq: String(last ?? 0), counted: true };
    await messages.query(FIX, [no, request.to_seq, entries]);
  } catch (error) {
    await changeTable.close();
    throw error;
  }
  return new ReplayReader({ ...given, request });
}

class ReplayReader implements Reader {
  readonly actions: ReadonlySet<DeclaredAction>;
  /** Nothing supersedes an entry: it is a thing of the past. */
  oid: number | undefined;
  readonly #input: ReplayInput;
  /** Column indexes. */
  readonly #wanted: readonly number[];
  readonly #keys: readonly number[];
  readonly #readRows: ReturnType<typeof openRowsByKey>;
  readonly #places: Places;
  #page: Page | undefined;

  constructor(input: ReplayInput) {
    this.#input = input;
    const { relation } = input;
    const route = relation.routes[0]!;
    this.actions = route.actions;
    this.#keys = relation.codec.keyIndexes;
    const others = [...route.filters.map(({ columnIndex }) => columnIndex), ...(route.groupColumns ?? [])];
    this.#wanted = [...new Set([...this.#keys, ...others])];
    this.#readRows = openRowsByKey(input);
    const { changeTable, table, request } = input;
    this.#places = openPlaces(changeTable, chosenBy(changeTable, table, request));
  }

  async total(): Promise<null> {
    return null;
  }

  async prepare(given: unknown, signal: AbortSignal): Promise<void> {
    const { of, after } = placeOf(given);
    this.oid = of === 'rows' ? this.#input.table.oid : undefined;
    if (of === 'rows' || this.#sendsNone) return;
    const begin = JSON.stringify([after, this.#atOnce]);
    if (this.#page?.of !== begin) this.#page = { of: begin, ...(await this.#readPage(after, signal)) };
  }

  async read(client: Connection, given: unknown): Promise<Part> {
    const { table, relation } = this.#input;
    await holdTable(client, table);
    const at = placeOf(given);
    if (at.of === 'rows') return await this.#rows(client, at);
    if (this.#sendsNone) return { position: at, ended: true, read: 0, put: () => 0 };
    const { end, last, passed, ...page } = this.#page!;
    const entries = await this.#convert(client, page.entries);
    const put: Part['put'] = (pending, place) => putEntries(pending, place, { relation, entries });
    const keys = relation.routes[0]!.traits.replaces ? keysOf(entries) : [];
    if (keys.length === 0) return { position: { of: 'entries', after: end }, ended: last, read: passed, put };
    return { position: { of: 'rows', after: end, keys, last }, ended: false, read: passed, put };
  }

  async close(): Promise<void> {
    await this.#input.changeTable.close();
  }

  /** As many of the rows of these keys as fit into memory. */
  async #rows(client: Connection, { after, keys = [], last = false }: Position): Promise<Part> {
    const { put, taken } = await this.#readRows(client, keys.slice(0, Math.min(ROWS_AT_ONCE, this.#atOnce)));
    const left = keys.slice(taken);
    const isOver = left.length === 0;
    const position = isOver ? { of: 'entries', after } : { of: 'rows', after, keys: left, last };
    return { position, ended: isOver && (last || this.#sendsNone), read: 0, uncounted: true, put };
  }

  /** It puts right what a cancelled one has sent, and sends nothing else. */
  get #sendsNone(): boolean {
    return this.#input.request.after !== undefined;
  }

  async #convert(client: Connection, found: readonly Found[]): Promise<Entry[]> {
    const { table, relation } = this.#input;
    const indexes = this.#wanted;
    const docs = found.flatMap(({ now, before }) => (before === null ? [now] : [now, before]));
    const values = await valuesOf(client, { table, types: relation.types, indexes }, docs);
    let place = 0;
    return found.map((entry) => {
      const now = values[place++];
      const before = entry.before === null ? undefined : values[place++];
      const key = this.#keyOf(now) ?? [entry.record_pk];
      const oldKey = this.#keyOf(before) ?? null;
      const { action, record, changes, annotations = null, was } = entry;
      const committedAt = entry.committed_at;
      const changed = oldKey !== null && JSON.stringify(oldKey) !== JSON.stringify(key);
      return {
        ...{ action, record: record ?? '', changes, annotations, committedAt, was, key },
        oldKey: changed ? oldKey : null,
        now: now ?? new Map(),
        before: before ?? null,
      };
    });
  }

  /** Undefined: the entry does not tell the whole key as the table has it now. */
  #keyOf(values: Values | undefined): string[] | undefined {
    const key: string[] = [];
    for (const index of this.#keys) {
      const text = values?.get(index);
      if (typeof text !== 'string') return undefined;
      key.push(text);
    }
    return key;
  }

  async #readPage(after: Place, signal: AbortSignal): Promise<Omit<Page, 'of'>> {
    const { changeTable, budget, relation } = this.#input;
    const { places, last } = await this.#places.after(after, this.#atOnce, signal);
    const lastPlace = places.at(-1);
    if (!lastPlace) return { entries: [], end: after, last: true, passed: 0 };
    const route = relation.routes[0]!;
    const ids = places.map(([, id]) => id);
    const nameOf = (index: number): string => relation.codec.columns[index]!.name;
    const values = [
      ...[ids, places[0]![0], lastPlace[0], budget.bytes, this.#wanted.map(nameOf)],
      ...[route.traits.replaces, relation.message.identity === 'full', this.#keys.map(nameOf)],
    ];
    const deadline = { signal, timeoutMs: PAGE_MS };
    const entries = await changeTable.read(deadline, async (tx) => {
      const entries = (await takesAnnotations(tx, changeTable)) ? ANNOTATED : ENTRIES;
      return (await tx.query<Found>(onChangeTable(entries, changeTable), values)).rows;
    });
    const isCut = entries.length > 0 && entries.length < entries[0]!.found;
    const lastRead = entries.at(-1);
    const end: Place = isCut && lastRead ? [lastRead.seq, lastRead.id] : lastPlace;
    const passed = isCut ? ids.indexOf(end[1]) + 1 : ids.length;
    return { entries, end, last: last && !isCut, passed };
  }

  /** Fewer when the source takes too long for them. */
  get #atOnce(): number {
    const { rows, step } = this.#input.budget;
    return Math.max(1, Math.min(rows, step));
  }
}

const placeOf = (given: unknown): Position => (given as Position | null) ?? { of: 'entries', after: FIRST };

/** Each once. */
function keysOf(entries: readonly Entry[]): readonly (readonly string[])[] {
  const keys = new Map<string, readonly string[]>();
  for (const { key, oldKey } of entries) for (const one of [key, oldKey]) if (one) keys.set(JSON.stringify(one), one);
  return [...keys.values()];
}
