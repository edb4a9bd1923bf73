-- Appends the cursor of a lane. (Both bounds: deleted rows are still in the way while somebody keeps a snapshot open.)
create or replace function millrace_private.move_cursor(p_sink_no integer, p_lane integer, p_seq bigint, p_id bigint) returns void
language plpgsql
set search_path = pg_catalog, pg_temp as $$
begin
  insert into millrace_private.cursor_log (sink_no, lane, seq, id) values (p_sink_no, p_lane, p_seq, p_id);
  if p_seq % 64 = 0 then
    delete from millrace_private.cursor_log c
     where c.sink_no = p_sink_no and c.lane = p_lane and c.seq < p_seq and c.seq >= p_seq - 128;
  end if;
end
$$;
