-- Deletes where a consumer's cursor was before its receive number p_seq: its last 128 places. Whoever receives does so now and then.
create or replace function millrace_private.forget_cursors(p_sink_no integer, p_seq bigint) returns void language plpgsql
set search_path = pg_catalog, pg_temp as $$
begin
  delete from millrace_private.cursor_log c
   where c.sink_no = p_sink_no and c.lane = 0 and c.seq < p_seq and c.seq >= p_seq - 128;
end
$$;
