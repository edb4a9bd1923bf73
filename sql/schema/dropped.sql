-- What lost its file in a release before. It is dropped after the views and functions that called it were made anew, and so not in
-- a migration, which comes before those. Nothing stays here that a release calls which the schema still serves (`serves` in
-- src/db/schema-version.ts).
-- By the releases of schema version 1 and 2:
drop procedure if exists millrace_private.receive_batch(
  integer, integer, boolean, bigint, text, bigint[], text, integer, bigint, boolean, double precision);
drop function if exists
  millrace_private.acknowledge_each(integer, text[]),
  millrace_private.lease_next(integer, integer, interval),
  millrace_private.look_ahead(integer, integer, timestamptz);
-- By that of version 3:
drop function if exists
  millrace_private.sink_health(integer),
  millrace_private.lane_health(integer),
  millrace_private.waited(integer, integer),
  millrace_private.oldest_committed_at(integer);
