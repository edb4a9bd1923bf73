/**
 * A table whose key is made of other columns than before, or of texts of another form. What sinks have of its rows stays under the
 * former key: an index keeps such documents, and nothing that comes takes them away.
 *
 * Whether values are others although columns and types are the same (`using` another expression, a renamed enum label) shows in no
 * catalog: `bin/millrace verify` finds it.
 */
import type { RelationMessage } from '../codec/row-message.ts';
import { baseOf, type TypeCatalogue, typeInfo } from '../codec/types.ts';
import type { SinkTraits } from '../model/sink.ts';
import type { SinkNotice } from '../notices/notice.ts';
import type { Route } from './match.ts';
import { namesNow, type TableNow } from './relation-key.ts';

/** A column of a key, whatever it is called: `number` is its place in the table for good; 0: it is not there any more. */
interface KeyPart {
  number: number;
  /** Of a domain its base type. */
  type: number;
  modifier: number;
}

export type KeyShape = readonly KeyPart[];

/** Of the key when its changes came. */
export function keyShapeOf(
  message: RelationMessage,
  { now, keyColumns, types }: { now: TableNow; keyColumns: readonly string[]; types: TypeCatalogue },
): KeyShape {
  const names = namesNow(message, now);
  return keyColumns.map((name) => {
    const { typeOid, typmod } = message.columns.find((column) => column.name === name)!;
    const number = now.columns?.find((column) => column.name === names.get(name))?.number ?? 0;
    const type = baseOf(types, typeOid);
    return { number, type, modifier: type === typeOid ? typmod : -1 };
  });
}

const INTEGERS = new Set([20, 21, 23]);
const NUMERIC = 1700;
/** `text`, `varchar`, `name`: a cast to them leaves the text of these, of integers, `numeric` and `uuid` as it is. */
const TEXTS = new Set([19, 25, 1043]);
const UUID = 2950;
/** Of the modifier of `numeric`. */
const HEADER = 4;
const SCALE_BITS = 0x7ff;

/** Of a `numeric` the digits behind its point; null: as many as each value has. An integer has none. */
const scaleOf = ({ type, modifier }: KeyPart): number | null =>
  type !== NUMERIC ? 0 : modifier < 0 ? null : (modifier - HEADER) & SCALE_BITS;

/** Have the values the same text after an `alter column type`? */
function keepsText(before: KeyPart, now: KeyPart, types: TypeCatalogue): boolean {
  if (before.type === now.type && before.modifier === now.modifier) return true;
  const isInteger = INTEGERS.has(before.type);
  if (isInteger && INTEGERS.has(now.type)) return true;
  const isWord = ({ type }: KeyPart): boolean => TEXTS.has(type) || typeInfo(types, type)?.kind === 'enum';
  if (isWord(before) && isWord(now)) return true;
  if (TEXTS.has(now.type)) return isInteger || before.type === NUMERIC || before.type === UUID;
  if (now.type !== NUMERIC || !(isInteger || before.type === NUMERIC)) return false;
  return scaleOf(now) === null || scaleOf(now) === scaleOf(before);
}

/** The key as it was, by its names of then, and as it came now. */
interface KeyChange {
  table: string;
  before: { shape: KeyShape; names: readonly string[] };
  now: { shape: KeyShape; names: readonly string[] };
  types: TypeCatalogue;
}

/** What the sinks of the table are told; nothing, where the rows keep their keys. */
export function keyNotices(change: KeyChange, routes: readonly Route[]): SinkNotice[] {
  const what = whatChanged(change);
  if (what === undefined) return [];
  return routes.map(({ sinkNo, traits }) => ({
    ...{ sinkNo, code: 'key_changed', table: change.table, remedy: null, catchUp: true },
    message: `${change.table} ${what}: ${meaningOf(traits)}`,
  }));
}

function whatChanged({ before, now, types }: KeyChange): string | undefined {
  const list = (names: readonly string[]): string => `(${names.join(', ')})`;
  const isSame =
    before.shape.length === now.shape.length &&
    before.shape.every(({ number }, place) => number !== 0 && number === now.shape[place]!.number);
  if (!isSame) return `has another primary key, ${list(now.names)} instead of ${list(before.names)}`;
  const others = now.names.filter((_, place) => !keepsText(before.shape[place]!, now.shape[place]!, types));
  return others.length === 0 ? undefined : `has other types in its primary key, in ${list(others)}`;
}

function meaningOf({ replaces, order }: SinkTraits): string {
  if (replaces)
    return 'documents of before stay under their former _id, and rows that did not change since have none under the one of now';
  return order === 'commit'
    ? 'entries of before have the former key in record_pk'
    : 'messages of before have the former key, and no order with those of the same rows from now on';
}
