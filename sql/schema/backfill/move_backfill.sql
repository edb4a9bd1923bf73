-- Called in the transaction that appends a page: a page is there whole, once, or not at all. The time since the page before
-- counts as running, unless it was a pause.
create or replace procedure millrace_private.move_backfill(
  p_no integer, p_position jsonb, p_done bigint, p_sent bigint, p_ended boolean) language sql as $$
  update millrace_private.backfills b
     set position = p_position, rows_done = b.rows_done + p_done, rows_sent = b.rows_sent + p_sent,
         running_seconds = b.running_seconds
           + least(10, extract(epoch from clock_timestamp() - coalesce(b.moved_at, b.started_at, clock_timestamp()))),
         moved_at = clock_timestamp(),
         state = case when p_ended and b.state <> 'cancelled' then 'done' else b.state end,
         reason = case when p_ended then null else b.reason end,
         remedy = case when p_ended then null else b.remedy end,
         ended_at = case when p_ended then clock_timestamp() else b.ended_at end
   where b.no = p_no;
  -- Said before it was asked for, of a table whose rows are all sent now. An index may hold documents of rows that are gone:
  -- of it this is said after a verification.
  delete from millrace_private.notices n
   using millrace_private.backfills b, millrace_private.sinks s
   where p_ended and b.no = p_no and b.state = 'done' and b.kind = 'table' and b.start_position is null
     and s.no = b.sink_no and n.sink_no = b.sink_no and n.table_name = b.table_schema || '.' || b.table_name
     and n.code = any (millrace_private.missed_codes()) -- All that is named below: the index finds them, and not all of the sink.
     and n.created_at < b.created_at
     and (n.code = 'added_late' or n.code in ('table_detached', 'changes_left_out', 'capture_switched_off', 'key_changed') and not s.readable
          or b.resync and n.code = any (millrace_private.missed_codes()))
$$;
