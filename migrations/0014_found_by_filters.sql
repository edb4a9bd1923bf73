-- What a filter asks of a message that left the straight path, as its row has it, so that many are looked at without their rows. All
-- null: written by a release that did not say, or parked by capture as it came; then its row is looked at.
-- No wider than they must be: Postgres takes a table that was never analysed to have as many rows as fit into ten pages, and with fewer
-- than 300 of them another index looks as good for a question by id as the one by id (test/receive/plans.pg.test.ts).
alter table millrace_private.delivery_states
  add column source_table integer,
  add column action "char",          -- its first letter
  add column record_pks text,
  add column committed_at timestamptz;
