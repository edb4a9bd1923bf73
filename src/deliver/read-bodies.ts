/**
 * New messages of a lane whose sink looks at bodies alone. As a rule no message of the sink has a delivery state; then they come many at
 * a time, in texts with a separator between them. A row of Postgres for each costs half as much again: it sends what it has each 8 KB,
 * and each of those packets is a system call on both sides.
 */
import type { Queryable } from '../db/pool.ts';
import { statement } from '../db/statement.ts';
import type { Action } from '../model/message.ts';
import type { LaneRow } from './row.ts';

const TOGETHER = statement('deliver/read-together');
const APART = statement('deliver/read-apart');

/** No JSON has it. */
const SEPARATOR = '\u001e';
const ACTIONS: Readonly<Record<string, Action>> = { i: 'insert', u: 'update', d: 'delete', r: 'read' };

/** A part of the messages: n of them, in the order of their ids. All is null where there are none. */
interface Part {
  is_straight: boolean;
  ids: number[] | null;
  /** Of each the first letter of its action, a capital where the record is not the whole row. */
  codes: string;
  keys: string;
  records: string;
  /** Of those whose id is a multiple of 32. */
  committed_ms: number[] | null;
  last_ms: number;
}

/** On the straight path everything after the record is null: that costs the least on its way. */
interface BodyRow
  extends Pick<LaneRow, 'id' | 'action' | 'record_pks' | 'record' | 'state' | 'error' | 'committed_ms'> {
  partial: boolean | null;
  attempts: number | null;
  behind: boolean | null;
}

/** `values`: of either statement. `hasStates`: some message of the sink has a delivery state, as far as is known. */
export async function readBodies(
  db: Queryable,
  values: readonly unknown[],
  { hasStates }: { hasStates: boolean },
): Promise<LaneRow[]> {
  if (!hasStates) {
    const parts = (await db.query<Part>(TOGETHER, values)).rows;
    if (parts.every(({ is_straight }) => is_straight)) return rowsOf(parts);
  }
  return (await db.query<BodyRow>(APART, values)).rows.map(rowOfBody);
}

function rowsOf(parts: readonly Part[]): LaneRow[] {
  const rows: LaneRow[] = [];
  for (const { ids, codes, keys, records, committed_ms, last_ms } of parts) {
    if (ids === null) continue;
    const allKeys = keys.split(SEPARATOR);
    const allRecords = records.split(SEPARATOR);
    let sampled = 0;
    // By place: an iterator of entries is garbage for each message.
    for (let place = 0; place < ids.length; place += 1) {
      const id = ids[place]!;
      const code = codes[place]!;
      const whole = ACTIONS[code];
      const isSampled = id % 32 === 0;
      const action = whole ?? ACTIONS[code.toLowerCase()]!;
      const row = bare({ id, action, record_pks: allKeys[place]!, record: allRecords[place]! });
      row.committed_ms = isSampled ? committed_ms![sampled]! : place === ids.length - 1 ? last_ms : null;
      row.partial = whole === undefined;
      if (isSampled) sampled += 1;
      rows.push(row);
    }
  }
  // Postgres makes the parts in no order.
  return rows.sort((one, other) => one.id - other.id);
}

function rowOfBody(read: BodyRow): LaneRow {
  const row = bare(read);
  row.committed_ms = read.committed_ms ?? null;
  row.partial = read.partial === true;
  row.attempts = read.attempts ?? 0;
  row.state = read.state;
  row.error = read.error;
  row.behind = read.behind === true;
  return row;
}

/** On the straight path, without what is not read. */
const bare = ({
  id,
  action,
  record_pks,
  record,
}: Pick<LaneRow, 'id' | 'action' | 'record_pks' | 'record'>): LaneRow => ({
  id,
  action,
  group_key: 0,
  group_key2: 0,
  record_pks,
  oid: 0,
  schema_name: '',
  table_name: '',
  record,
  changes: null,
  metadata: '{}',
  committed_at: '',
  committed_ms: null,
  partial: false,
  attempts: 0,
  state: null,
  error: null,
  behind: false,
});
