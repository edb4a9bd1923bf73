/**
 * The changes that are drained: of 500,000, 300,000 are inserts (100 a transaction), 150,000 updates (10 a transaction)
 * and 50,000 deletes (1,000 a transaction), of rows of 10 columns and about 500 bytes.
 */
import type { Database } from '../src/db/pool.ts';

export const PUBLICATION = 'bench';
export const TABLE = 'orders';

/** `sent_at` is the driver's clock in the latency scenario, and 0 otherwise. */
const CREATE = `
create table public.${TABLE} (
  id bigint primary key,
  account_id integer not null,
  status text not null,
  email varchar(200) not null,
  amount numeric(12, 2) not null,
  active boolean not null,
  attributes jsonb not null,
  body text not null,
  created_at timestamptz not null,
  sent_at bigint not null
) with (autovacuum_enabled = off);
create publication ${PUBLICATION} for table public.${TABLE};`;

/** The values of row `i`, as SQL. `sentAt` is an expression too. */
export const rowOf = (i: string, sentAt: string): string =>
  `${i}, ${i} % 5000, case when ${i} % 3 = 0 then 'pending' else 'shipped' end, 'customer' || ${i} || '@example.com',
   ${i} % 1000 + 0.95, ${i} % 2 = 0,
   jsonb_build_object('tags', jsonb_build_array('a', 'b'), 'score', ${i} % 100, 'source', 'web'),
   repeat('The quick brown fox jumps over the lazy dog. ', 6), now(), ${sentAt}`;

export async function createTable(source: Database): Promise<void> {
  await source.query(CREATE);
}

/** Makes `count` changes in the proportions above. `count` must be a multiple of 10,000. */
export async function makeChanges(source: Database, count: number): Promise<void> {
  const inserts = count * 0.6;
  const updates = count * 0.3;
  const deletes = count * 0.1;
  const each = (rows: number, perTransaction: number, statement: (from: string) => string): string =>
    `do $$ begin
       for n in 0 .. ${rows / perTransaction - 1} loop
         ${statement(`n * ${perTransaction}`)};
         commit;
       end loop;
     end $$`;
  await source.query(
    each(
      inserts,
      100,
      (from) => `insert into ${TABLE} select ${rowOf('i', '0')} from generate_series(${from} + 1, ${from} + 100) i`,
    ),
  );
  await source.query(
    each(updates, 10, (from) => `update ${TABLE} set status = 'delivered' where id > ${from} and id <= ${from} + 10`),
  );
  await source.query(
    each(deletes, 1_000, (from) => `delete from ${TABLE} where id > ${from} and id <= ${from} + 1000`),
  );
}
