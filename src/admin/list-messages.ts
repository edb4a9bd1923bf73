/**
 * The messages of a sink that are not settled, by id, from either end: found by index, page by page, however many there are. A filter looks at a
 * bounded number of them at a time, and says how far it came.
 */
import type { Queryable } from '../db/pool.ts';
import { statement } from '../db/statement.ts';
import { MillraceError } from '../model/errors.ts';
import type { Action } from '../model/message.ts';

const LIST = statement('admin/list-messages');
const COUNT = statement('admin/count-messages');
const TEXTS = statement('admin/message-texts');

/** Messages that are looked at for one page, or for a count. */
const LOOKED = 50_000;
/** Where most fit, these do. */
const FIRST_LOOKED = 1_000;
const COUNTED = 100_000;
/** Of the texts of one page. */
const TEXT_BYTES = 4_194_304;

export const MESSAGE_STATES = ['waiting', 'leased', 'retrying', 'held', 'parked'] as const;

export interface MessageFilter {
  state?: (typeof MESSAGE_STATES)[number] | undefined;
  /** `schema.table` */
  table?: string | undefined;
  /** As `record_pk` has it. */
  key?: string | undefined;
  action?: Action | undefined;
  /** Contained in the error, in any case of letters. */
  error?: string | undefined;
  /** The name of a group of errors: `message-groups.ts`. */
  group?: string | undefined;
  /** Committed from `since` on and before `until`, as Postgres reads times. */
  since?: string | undefined;
  until?: string | undefined;
}

export interface ListedMessage {
  id: number;
  state: (typeof MESSAGE_STATES)[number];
  stage: string | null;
  action: Action;
  table_schema: string;
  table_name: string;
  /** A value of a row. */
  record_pk: string | null;
  attempts: number;
  /** The destination's own words: they may quote a row. */
  error: string | null;
  /** Of the answer over HTTP, and the destination's word for it. */
  error_status: number | null;
  error_type: string | null;
  /** ISO 8601, microseconds, UTC. */
  committed_at: string;
  visible_at: Date | null;
  parked_at: Date | null;
  /** Bytes of its JSON texts. */
  size: number;
  /** JSON text, where it was asked for. */
  text?: string;
}

type Row = { last_id: number | null; looked_id: number | null; looked: number } & (Listed | { id: null });
type Listed = ListedMessage & { lane: number; place: number };

export interface MessagePage {
  messages: ListedMessage[];
  /** The id behind which the next page begins; null: there is none. A page may be short, or empty, and not be the last. */
  next: number | null;
  /** The id up to which it has looked. */
  last: number;
  /** How many were looked at before the next page. */
  scanned: number;
}

export const MESSAGE_ORDERS = ['oldest', 'newest'] as const;

export interface MessagePlace {
  /** Which come first; the oldest, if absent. */
  order?: (typeof MESSAGE_ORDERS)[number] | undefined;
  /** An id, behind which a page begins in this order; absent: the beginning. */
  after?: number | undefined;
  limit: number;
  /** With texts; the page ends where they would be too much for one answer. */
  texts?: boolean;
}

/** The conditions of a filter but for its state, in the order of the statements. */
export const conditionsOf = ({ table, key, action, error, since, until, group }: MessageFilter): (string | null)[] =>
  [table, key, action, error, since, until, group].map((value) => value ?? null);

/** Some of those that are looked at may not fit: what failed is found by its state. */
const isSelective = ({ state, ...rest }: MessageFilter): boolean =>
  (state !== undefined && state !== 'parked' && state !== 'retrying') ||
  Object.values(rest).some((value) => value !== undefined);

export async function listMessages(
  db: Queryable,
  sinkNo: number,
  { filter, order = 'oldest', after, limit, texts = false }: MessagePlace & { filter: MessageFilter },
): Promise<MessagePage> {
  const conditions = [filter.state ?? null, ...conditionsOf(filter)];
  const isNewest = order === 'newest';
  const begin = after ?? (isNewest ? Number.MAX_SAFE_INTEGER : 0);
  const look = async (looked: number): Promise<Row[]> =>
    (await db.query<Row>(LIST, [sinkNo, begin, looked, ...conditions, limit + 1, isNewest])).rows;
  let rows = await look(isSelective(filter) ? FIRST_LOOKED : limit + 1);
  const isShort = rows.filter(({ id }) => id !== null).length <= limit;
  if (isSelective(filter) && isShort && rows[0]?.last_id != null) rows = await look(LOOKED);
  const found = rows.filter((row): row is Row & Listed => row.id !== null);
  const listed = found.slice(0, limit).map(({ last_id: _, looked_id: __, looked: ___, ...message }) => message);
  const { messages, cutAt } = texts ? await withTexts(db, sinkNo, listed) : { messages: listed, cutAt: undefined };
  const last = cutAt ?? (found.length > limit ? listed.at(-1) : undefined);
  if (last) return { messages, next: last.id, last: last.id, scanned: last.place };
  const { last_id: next = null, looked_id, looked: scanned = 0 } = rows[0] ?? {};
  return { messages, next, last: looked_id ?? after ?? 0, scanned };
}

/** `cutAt`: the last one that there was room for. */
async function withTexts(
  db: Queryable,
  sinkNo: number,
  messages: Listed[],
): Promise<{ messages: Listed[]; cutAt: Listed | undefined }> {
  const places = [messages.map(({ id }) => id), messages.map(({ lane }) => lane)];
  const { rows } = await db.query<{ id: number; text: string }>(TEXTS, [sinkNo, ...places, TEXT_BYTES]);
  const texts = new Map(rows.map(({ id, text }) => [id, text]));
  const last = rows.at(-1)?.id;
  // What was settled since the list was read is left out, what did not fit begins the next page.
  const shown = messages.flatMap((message) => {
    const text = texts.get(message.id);
    return text === undefined ? [] : [{ ...message, text }];
  });
  const cutAt = messages.find(({ id }) => id === last);
  return { messages: shown, cutAt: cutAt === messages.at(-1) ? undefined : cutAt };
}

/** @throws MillraceError not_found, also when it was settled. */
export async function showMessage(
  db: Queryable,
  sinkNo: number,
  { id, texts }: { id: number; texts: boolean },
): Promise<ListedMessage> {
  const { messages } = await listMessages(db, sinkNo, { filter: {}, after: id - 1, limit: 1, texts });
  if (messages[0]?.id === id) return messages[0];
  throw new MillraceError('not_found', `there is no message ${id}`, {
    remedy: 'It was delivered or discarded, or there never was one.',
  });
}

/** Those that fit, of the first 100,000. */
export async function countMessages(
  db: Queryable,
  sinkNo: number,
  filter: MessageFilter,
): Promise<{ count: number; is_estimate: boolean }> {
  const conditions = [filter.state ?? null, ...conditionsOf(filter)];
  return (await db.query<{ count: number; is_estimate: boolean }>(COUNT, [sinkNo, COUNTED, ...conditions])).rows[0]!;
}
