-- The two locks of a pull consumer: empty tables that are locked as a whole. turn_<sink_no>: one receive after the other (share
-- update exclusive). lock_<sink_no> is X: row exclusive for acknowledgements and whatever else takes messages away, exclusive
-- for a receive that may pass messages. (Two tables: Postgres would see a deadlock as soon as two wait for each other on one
-- table, before either could give up.) An advisory lock would be anybody's who may connect; of these, only who has rights on
-- the table can take one.
create or replace function millrace_private.add_locks(p_sink_no integer) returns void language plpgsql
set search_path = pg_catalog, pg_temp as $$
begin
  if to_regclass('millrace_private.lock_' || p_sink_no) is null then
    execute format('create table millrace_private.turn_%s ()', p_sink_no);
    execute format('create table millrace_private.lock_%s ()', p_sink_no);
  end if;
end
$$;
