/**
 * Changes that triggers have noted in the source (schema `millrace_capture`), as they are stored. What is new is what a snapshot
 * sees and an earlier one does not: no transaction that is still open holds back the others, and none is left out that
 * commits late. Two transactions that write one row follow one another, so whoever sees the second sees the first, and has
 * it under a lower `seq`.
 *
 * Rows come by COPY in its binary form (noted-rows.ts), for a text may be in another encoding than ours.
 */
import { copyOut } from '../db/copy-out.ts';
import type { Connection, Database } from '../db/pool.ts';
import { statement } from '../db/statement.ts';
import { parseLsn } from '../model/lsn.ts';
import { quoteLiteral } from '../model/quote.ts';
import { isLockTimeout, isMissingTable, isNotPermitted } from '../model/sqlstate.ts';
import { type ChangeRow, ChunkBytes } from './noted-rows.ts';

/**
 * What a table was like when its changes were noted: columns are the fields of the composite value, in order. Names are bytes of the
 * encoding that rows are in, each of them a character.
 */
export interface Shape {
  /** The table that sinks know. */
  rel: number;
  schema: string;
  name: string;
  /** The table that stores the row. */
  leaf: number;
  columns: {
    name: string;
    type: number;
    typmod: number;
    key: boolean;
    /** In the key: its place there, and its number in the table that sinks know. Absent where a release before has noted it. */
    place?: number;
    number?: number;
    stored: boolean;
    virtual: boolean;
    /** Of a stored one its expression, by the oid that another one would not have. */
    expression?: number;
  }[];
  /** Of a partition the names of the columns of `rel` now, in their order. */
  order?: readonly string[];
}

export interface Look {
  /** What this look has seen, in the text form of pg_snapshot. */
  snapshot: string;
  /** End of the WAL then, and whether all of it was on the disk. */
  lsn: bigint;
  isFlushed: boolean;
  /** What is new in it, in the order of `seq`; undefined: more than fits into one chunk (`readChunk`). */
  rows: ChangeRow[] | undefined;
}

/**
 * Rows, and bytes of their texts, that are held at once; a row larger than that comes alone. Never to be changed: a plan that one
 * release has begun to tell is told again by the next one, and where chunks end decides the order and the positions of what it tells.
 */
export const CHUNK = { rows: 5_000, bytes: 8 * 1024 * 1024 };
/** Of a full chunk as it is sent, with numbers and places of its rows. */
const SENT_BYTES = CHUNK.bytes + CHUNK.rows * 128;

const READER = statement('source/triggers/reader');
const TURN_WANTED = statement('source/triggers/turn-wanted');
const LOOK = 'millrace_look';

/** Who has it reads by it, one chunk at a time: the next one takes the place of the texts of the last. */
export interface Turn {
  client: Connection;
  bytes: ChunkBytes;
}

/**
 * Begins to read, for as long as the session lasts. The turn is a lock on a view of ours that nobody else needs, in a transaction
 * that has no snapshot between its statements, and so keeps nobody's rows; what each look has locked is let go after it.
 * @throws what `isLockTimeout` knows when somebody else has the turn.
 */
export async function takeTurn(client: Connection): Promise<Turn> {
  await client.query('begin');
  try {
    await client.query('lock table millrace_capture.reader in exclusive mode nowait');
    await client.query(`savepoint ${LOOK}`);
  } catch (error) {
    await client.query('rollback');
    throw error;
  }
  return { client, bytes: new ChunkBytes(SENT_BYTES) };
}

/** Does somebody wait for the turn, who has no other way than to wait? */
export async function isTurnWanted(client: Connection): Promise<boolean> {
  return (await client.query(TURN_WANTED)).rows.length > 0;
}

const MADE = "select pg_catalog.to_regclass('millrace_capture.reader') is not null as made";

/** Whose session has the turn, by its application's name; null: he has just given it back. */
export interface ChangesReader {
  pid: number | null;
  application: string | null;
}

/** Has somebody the turn? */
export async function readReader(source: Database): Promise<ChangesReader | undefined> {
  const { rows } = await source.query<{ made: boolean }>(MADE);
  if (!rows[0]!.made) return undefined;
  try {
    await source.transaction((tx) => tx.query('lock table millrace_capture.reader in exclusive mode nowait'));
    return undefined;
  } catch (error) {
    if (isLockTimeout(error))
      return (await source.query<ChangesReader>(READER)).rows[0] ?? { pid: null, application: null };
    // Whether it may be read is found out, and said, elsewhere.
    if (isNotPermitted(error) || isMissingTable(error)) return undefined;
    throw error;
  }
}

const COLUMNS = 'seq, xid, made_at, rel, shape, op, old, new, old_at, new_at';
const SIZE = `(coalesce(octet_length(old), 0) + coalesce(octet_length(new), 0))::bigint`;

/**
 * Looks for what is new since the snapshot `before`. One statement; cheap where there is nothing. Rows of open transactions
 * are never come by, however many there are: only the transactions between two of them, which have ended, are looked for.
 */
export async function readNew(turn: Turn, before: string): Promise<Look> {
  const [first, ...changes] = await copied(
    turn,
    `with open as materialized (
       select x.xid::text::bigint as xid from pg_snapshot_xip(pg_current_snapshot()) x (xid)
     ), bounds as materialized (
       select pg_snapshot_xmax(${quoteLiteral(before)}::pg_snapshot)::text::bigint as first,
              pg_snapshot_xmax(pg_current_snapshot())::text::bigint as next
     ), ended as materialized (
       select g.first, g.next
         from (select t.xid + 1 as first, lead(t.xid) over (order by t.xid) as next
                 from (select b.first - 1 as xid from bounds b
                       union
                       select o.xid from open o cross join bounds b where o.xid >= b.first
                       union
                       select b.next from bounds b) t) g
        where g.next > g.first
       union all
       select x.xid::text::bigint, x.xid::text::bigint + 1
         from pg_snapshot_xip(${quoteLiteral(before)}::pg_snapshot) x (xid)
        where x.xid::text::bigint not in (select o.xid from open o)
     ), found as materialized (
       select c.*
         from ended e
         join millrace_capture.changes c on c.xid >= e.first::text::xid8 and c.xid < e.next::text::xid8
        limit ${CHUNK.rows + 1}
     ), total as (
       select count(*) <= ${CHUNK.rows} and coalesce(sum(${SIZE}), 0) <= ${CHUNK.bytes} as fits from found
     )
     select 0::bigint, '0'::xid8, now(), 0::oid, t.fits::integer::bigint, 'S'::"char",
            pg_current_snapshot()::text, concat_ws(' ', pg_current_wal_insert_lsn(), pg_current_wal_flush_lsn()), null::tid, null::tid
       from total t
     union all
     select * from (select ${COLUMNS} from found cross join total t where t.fits order by seq) r`,
  );
  if (!first?.old || !first.new) throw new Error('the source did not say what it sees');
  const [lsn, flushed] = first.new.toString().split(' ').map(parseLsn) as [bigint, bigint];
  const rows = first.shape === 1n ? changes : undefined;
  return { snapshot: first.old.toString(), lsn, isFlushed: flushed >= lsn, rows };
}

/** The next rows behind `after` of what `to` sees and `from` does not; none: that was all. The same ones whenever it is asked. */
export async function readChunk(
  turn: Turn,
  { from, to }: { from: string; to: string },
  after: bigint,
): Promise<ChangeRow[]> {
  return await copied(
    turn,
    `with found as materialized (
       select c.* from millrace_capture.changes c
        where c.seq > ${after} and pg_visible_in_snapshot(c.xid, ${quoteLiteral(to)}::pg_snapshot)
          and not pg_visible_in_snapshot(c.xid, ${quoteLiteral(from)}::pg_snapshot)
        order by c.seq limit ${CHUNK.rows}
     ), summed as (
       select f.*, sum(${SIZE}) over (order by f.seq) - ${SIZE} as before from found f
     )
     select ${COLUMNS} from summed where before = 0 or before + ${SIZE} <= ${CHUNK.bytes} order by seq`,
  );
}

/**
 * Changes by their `seq`, as they were read before, in this order: as many of them as fit into a chunk, and the first one in any case.
 * Valid until the next ones are read by the same `turn.bytes`.
 */
export async function readAgain(turn: Turn, seqs: readonly bigint[]): Promise<ChangeRow[]> {
  return await copied(
    turn,
    `with found as (
       select c.*, s.place
         from unnest(array[${seqs.join(',')}]::bigint[]) with ordinality s (seq, place)
         join millrace_capture.changes c on c.seq = s.seq
     ), summed as (
       select f.*, sum(${SIZE}) over (order by f.place) - ${SIZE} as before from found f
     )
     select ${COLUMNS} from summed where before = 0 or before + ${SIZE} <= ${CHUNK.bytes} order by place`,
  );
}

/** Of these transactions those that have noted something behind `after`. */
export async function readGoingOn(client: Connection, xids: readonly bigint[], after: bigint): Promise<bigint[]> {
  const { rows } = await client.query<{ xid: string }>(
    `select x.xid::text as xid from unnest($1::xid8[]) x (xid)
      where exists (select from millrace_capture.changes c where c.xid = x.xid and c.seq > $2::bigint)`,
    [xids.map(String), after],
  );
  return rows.map(({ xid }) => BigInt(xid));
}

/**
 * Changes of one transaction that replaced a version which is noted behind them, by its change's `seq`: there are some only where
 * a trigger of the user's changes rows that its statement changes too. Places are given once more where a table was emptied or
 * written anew: what is of another shape, or another text, is another version.
 */
export async function readInverted(client: Connection, xid: bigint): Promise<Map<bigint, bigint>> {
  await client.query('set local enable_hashjoin = on');
  const { rows } = await client.query<{ seq: string; maker: string }>(
    `with noted as materialized (
       select c.seq, c.shape, c.op, c.old_at, c.new_at
         from millrace_capture.changes c
        where c.xid = $1::xid8 and c.shape is not null
     ), emptied as materialized (
       select n.seq, n.shape from noted n where n.op = 'T'
     ), found as materialized (
       select a.seq, b.seq as maker
         from noted a join noted b on b.shape = a.shape and b.new_at = a.old_at
        where b.seq > a.seq
          and not exists (select from emptied e where e.shape = a.shape and e.seq between a.seq and b.seq)
     )
     select f.seq::text as seq, min(f.maker)::text as maker
       from found f
      where (select o.op in ('i', 'u', 'd') or m.op in ('i', 'u', 'd') or m.new = o.old
               from millrace_capture.changes o, millrace_capture.changes m
              where o.seq = f.seq and m.seq = f.maker)
      group by f.seq`,
    [String(xid)],
  );
  return new Map(rows.map(({ seq, maker }) => [BigInt(seq), BigInt(maker)]));
}

/** Of these numbers. One that is not there is left out. */
export async function readShapes(client: Connection, numbers: readonly bigint[]): Promise<Map<bigint, Shape>> {
  const { rows } = await client.query<{ no: string; def: Buffer }>(
    `select s.no::text as no, convert_to((case when o.names is null then s.def else s.def || jsonb_build_object('order', o.names) end)::text,
                                         pg_client_encoding()) as def
       from millrace_capture.shapes s
      cross join lateral (select jsonb_agg(a.attname order by a.attnum) as names
                            from pg_attribute a
                           where a.attrelid = s.rel and s.rel <> s.leaf and a.attnum > 0 and not a.attisdropped) o
      where s.no = any ($1::bigint[])`,
    [numbers.map(String)],
  );
  return new Map(rows.map(({ no, def }) => [BigInt(no), JSON.parse(def.toString('latin1')) as Shape]));
}

async function copied({ client, bytes }: Turn, sql: string): Promise<ChangeRow[]> {
  bytes.clear();
  const text = `copy (${sql}) to stdout (format binary); rollback to savepoint ${LOOK}`;
  await copyOut(client, { sql: text }, (part) => bytes.add(part));
  return bytes.rows();
}
