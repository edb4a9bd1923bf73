/**
 * A workload that keeps books on itself: writers change accounts (insert, update, key change, delete), each transaction
 * writing into `ledger` what it did to whom, so that what arrived anywhere can be compared with what was committed. A
 * version is given once and grows along each row, whatever key the row has. Random, from a seed.
 */
import type { Database, Queryable } from '../../../src/db/pool.ts';

export const LEDGER_SCHEMA = `
  create table accounts (id int primary key, version bigint not null, region text not null, balance numeric not null,
                         note text);
  alter table accounts replica identity full;
  create table ledger (place bigserial primary key, action text not null, id int not null, old_id int, version bigint not null);
  create sequence versions;

  -- Steps: ["put", id, region, note?], ["move", id, to], ["drop", id], ["fail"]. One call is one transaction; writers lock
  -- the keys they touch in order, so that they wait for each other and never in a circle.
  create function churn(steps jsonb) returns integer language plpgsql as $$
  declare
    s jsonb;
    v bigint;
    done integer := 0;
  begin
    perform pg_advisory_xact_lock(k.id) from (
      select distinct (step ->> n)::int as id from jsonb_array_elements(steps) step, generate_series(1, 2) n
       where step ->> 0 in ('put', 'drop') and n = 1 or step ->> 0 = 'move' order by id) k;
    for s in select * from jsonb_array_elements(steps) loop
      if s ->> 0 = 'fail' then
        raise exception 'taken back' using errcode = 'MRT01';
      elsif s ->> 0 = 'put' then
        update accounts set version = nextval('versions'), region = s ->> 2, balance = balance + 0.1, note = coalesce(s ->> 3, note)
         where id = (s ->> 1)::int returning version into v;
        if found then
          insert into ledger (action, id, version) values ('update', (s ->> 1)::int, v);
        else
          insert into accounts values ((s ->> 1)::int, nextval('versions'), s ->> 2, 100, s ->> 3) returning version into v;
          insert into ledger (action, id, version) values ('insert', (s ->> 1)::int, v);
        end if;
      elsif s ->> 0 = 'move' then
        continue when exists (select from accounts where id = (s ->> 2)::int);
        update accounts set id = (s ->> 2)::int, version = nextval('versions') where id = (s ->> 1)::int returning version into v;
        continue when not found;
        insert into ledger (action, id, old_id, version) values ('update', (s ->> 2)::int, (s ->> 1)::int, v);
      else
        delete from accounts where id = (s ->> 1)::int returning version into v;
        continue when not found;
        insert into ledger (action, id, version) values ('delete', (s ->> 1)::int, v);
      end if;
      done := done + 1;
    end loop;
    return done;
  end
  $$;
`;

export const REGIONS = ['north', 'south', 'west'] as const;
const KEYS = 60;

/** A number in [0, 1); the same row of numbers for the same seed. */
export type Random = () => number;

/** Mulberry32. */
export function seeded(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

export type Step = readonly (string | number)[];

/** One transaction: mostly small, now and then of hundreds of changes, now and then rolled back. `keys`: how many rows there may be. */
export function transaction(random: Random, keys = KEYS): Step[] {
  const below = (count: number): number => Math.floor(random() * count);
  const key = (): number => 1 + below(keys);
  const step = (): Step => {
    const roll = random();
    if (roll < 0.12) return ['drop', key()];
    if (roll < 0.24) return ['move', key(), key()];
    const note = random() < 0.1 ? [noise(random, below(6_000))] : [];
    return ['put', key(), REGIONS[below(REGIONS.length)]!, ...note];
  };
  const length = random() < 0.02 ? 300 : 1 + below(8);
  const steps = Array.from({ length }, step);
  return random() < 0.05 ? [...steps, ['fail']] : steps;
}

/** Text that does not compress, so that it is stored out of line. */
function noise(random: Random, length: number): string {
  let text = '';
  while (text.length < length) text += Math.floor(random() * 2 ** 50).toString(36);
  return text;
}

export interface Writers {
  /** Changes committed so far. */
  readonly written: number;
  /** Lets them write until so many changes are committed; resolves when they are. */
  write(upTo: number): Promise<void>;
}

/** `count` writers side by side. What they do depends on the seed alone, how it interleaves does not. */
export function createWriters(db: Database, seed: number, count: number): Writers {
  const randoms = Array.from({ length: count }, (_, place) => seeded(seed + place));
  let written = 0;
  const one = async (random: Random, upTo: number): Promise<void> => {
    while (written < upTo) {
      const done = await churn(db, transaction(random));
      written += done;
    }
  };
  return {
    get written() {
      return written;
    },
    async write(upTo) {
      await Promise.all(randoms.map((random) => one(random, upTo)));
    },
  };
}

/** Commits it: how many changes it made. */
export async function churn(db: Database, steps: readonly Step[]): Promise<number> {
  try {
    const { rows } = await db.query<{ done: number }>('select churn($1::jsonb) as done', [JSON.stringify(steps)]);
    return rows[0]!.done;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'MRT01') return 0;
    throw error;
  }
}

/** What was committed, as `insert 5 v12`, `update 5>9 v13` (a key change), sorted. */
export async function ledgerEntries(db: Queryable): Promise<string[]> {
  const { rows } = await db.query<{ action: string; id: number; old_id: number | null; version: number }>(
    'select action, id, old_id, version from ledger',
  );
  return rows.map(({ action, id, old_id: old, version }) => entry({ action, id, old, version })).sort();
}

export interface Entry {
  action: string;
  id: unknown;
  /** The key before a key change; null when it stayed. */
  old: unknown;
  version: unknown;
}

export const entry = ({ action, id, old, version }: Entry): string =>
  `${action} ${old === null ? '' : `${old}>`}${id} v${version}`;

/** The entry of a change as a message or a change table tells it. */
export function entryOf(change: {
  action: string;
  record: Record<string, unknown>;
  changes: Record<string, unknown> | null;
}): string {
  const { action, record, changes } = change;
  return entry({ action, id: record.id, old: changes?.id ?? null, version: record.version });
}
