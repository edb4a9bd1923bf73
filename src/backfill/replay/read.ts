/**
 * Reads the entries of a change table that a replay wants, in the order of `seq`, and after them, for a search index, the
 * rows that they were of: an index that got old states again is put right by the rows as they are now, or by a delete
 * where there is none. Live changes come in between at their own places, so it converges to the table whatever happens.
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
  /** The entries themselves, or the rows that they were of. */
  of: 'entries' | 'rows';
  after: Place;
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
  next: Position;
  ended: boolean;
  /** Entries that were passed, those that are not there any more included. */
  passed: number;
}

const PAGE_MS = 30_000;
/** Of rows to be read again; each entry has up to two keys. */
const ROWS_AT_ONCE = 250;
/** Keys that are known to be put right; more, and one may be read twice. */
const SETTLED = 200_000;

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
  readonly #settled = new Set<string>();
  readonly #places: Places;
  #page: Page | undefined;
  /** Where the part that was read last ends; JSON. */
  #end: string | undefined;

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
    let at = (given as Position | null) ?? { of: 'entries', after: FIRST };
    // It goes back: what was put may have been taken back.
    if (JSON.stringify(at) !== this.#end) this.#settled.clear();
    const of = JSON.stringify([at, this.#pageRows(at)]);
    this.oid = at.of === 'rows' ? this.#input.table.oid : undefined;
    if (this.#page?.of === of) return;
    this.#page = { of, ...(await this.#readPage(at, signal)) };
    // What is put right already need not be passed page by page.
    while (at.of === 'rows' && !this.#page.ended && this.#page.entries.length === 0) {
      at = this.#page.next;
      this.#page = { of, ...(await this.#readPage(at, signal)) };
    }
  }

  async read(client: Connection, _position: unknown): Promise<Part> {
    const part = await this.#read(client, this.#page!);
    this.#end = JSON.stringify(part.position);
    return part;
  }

  async #read(client: Connection, page: Page): Promise<Part> {
    await holdTable(client, this.#input.table);
    const { next, ended } = page;
    if (this.oid !== undefined) return await this.#rows(client, page);
    const { relation } = this.#input;
    const entries = await this.#convert(client, page.entries);
    const put: Part['put'] = (pending, place) => putEntries(pending, place, { relation, entries });
    return { position: next, ended, read: page.passed, put };
  }

  async close(): Promise<void> {
    await this.#input.changeTable.close();
  }

  /** The rows of a page's keys, or of as many of its entries as rows fit into memory. */
  async #rows(client: Connection, page: Page): Promise<Part> {
    const keys = new Map<string, readonly string[]>();
    /** How many keys there are with those of each entry. */
    const counts: number[] = [];
    for (const { key, oldKey } of await this.#convert(client, page.entries)) {
      for (const one of [key, oldKey]) if (one) keys.set(JSON.stringify(one), one);
      counts.push(keys.size);
    }
    const { put, taken } = await this.#readRows(client, [...keys.values()]);
    const isCut = taken < keys.size;
    const entries = page.entries.filter((_, n) => counts[n]! <= taken);
    const last = entries.at(-1);
    const next = isCut && last ? ({ of: 'rows', after: [last.seq, last.id] } satisfies Position) : page.next;
    return {
      position: next,
      ended: page.ended && !isCut,
      read: 0,
      uncounted: true,
      put: (pending, place) => {
        const count = put(pending, place);
        if (count === undefined || this.#settled.size >= SETTLED) return count;
        for (const { now, before } of entries)
          for (const doc of [now, before]) if (doc !== null) this.#settled.add(doc);
        return count;
      },
    };
  }

  async #convert(client: Connection, found: readonly Found[]): Promise<Entry[]> {
    const { table } = this.#input;
    const docs = found.flatMap(({ now, before }) => (before === null ? [now] : [now, before]));
    const indexes = this.oid === undefined ? this.#wanted : this.#keys;
    const values = await valuesOf(client, { table, indexes }, docs);
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

  async #readPage(at: Position, signal: AbortSignal): Promise<Omit<Page, 'of'>> {
    const { changeTable, budget, relation } = this.#input;
    const { places, last } = await this.#places.after(at.after, this.#pageRows(at), signal);
    const lastPlace = places.at(-1);
    if (!lastPlace) return { entries: [], ...this.#nextAfter(at, at.after, true), passed: 0 };
    const route = relation.routes[0]!;
    const ids = places.map(([, id]) => id);
    const indexes = at.of === 'rows' ? this.#keys : this.#wanted;
    const nameOf = (index: number): string => relation.codec.columns[index]!.name;
    const values = [
      ...[ids, places[0]![0], lastPlace[0], budget.bytes, indexes.map(nameOf), at.of === 'entries'],
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
    const left = at.of === 'rows' ? entries.filter((entry) => !this.#isSettled(entry)) : entries;
    return { entries: left, ...this.#nextAfter(at, end, last && !isCut), passed };
  }

  /** Fewer when the source takes too long for them. */
  #pageRows({ of }: Position): number {
    const { rows, step } = this.#input.budget;
    return Math.max(1, Math.min(of === 'rows' ? ROWS_AT_ONCE : rows, rows, step));
  }

  #isSettled({ now, before }: Found): boolean {
    return this.#settled.has(now) && (before === null || this.#settled.has(before));
  }

  #nextAfter(at: Position, after: Place, isLast: boolean): { next: Position; ended: boolean } {
    if (!isLast) return { next: { of: at.of, after }, ended: false };
    const { replaces } = this.#input.relation.routes[0]!.traits;
    if (at.of === 'entries' && replaces) return { next: { of: 'rows', after: FIRST }, ended: false };
    return { next: { of: at.of, after }, ended: true };
  }
}
