-- For how long a sink's first message has waited, by this database's clock, to the minute; null: there is none. What clients
-- of a pull consumer have, or gave back, is theirs. It looks at 1,000 rows at most, however many were parked.
create or replace function millrace_private.waited(p_sink_no integer, p_database_no integer) returns interval
language plpgsql stable security definer set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_custom_plan set enable_seqscan = off set enable_bitmapscan = off
set enable_mergejoin = off set enable_hashjoin = off set jit = off as $$
declare
  v_id bigint;
begin
  select min(f.id) into v_id
    from (select l.lane, coalesce((select c.id from millrace_private.cursor_log c
                                    where c.sink_no = p_sink_no and c.lane = l.lane order by c.seq desc limit 1), 0) as id
            from (select k.lane from millrace_private.lanes k where k.sink_no = p_sink_no union select 0::smallint) l) p
   cross join lateral (select n.id
                         from (select m.id from millrace_private.messages m
                                where m.sink_no = p_sink_no and m.lane = p.lane and m.id > p.id
                                order by m.id limit 1000) n
                        where not exists (select from millrace_private.delivery_states e
                                           where e.sink_no = p_sink_no and e.id = n.id offset 0)
                        order by n.id limit 1) f;
  if not exists (select from millrace_private.consumers c where c.sink_no = p_sink_no) then
    select least(v_id, min(d.id)) into v_id
      from (select e.id from millrace_private.lanes l
             cross join lateral (select x.id from millrace_private.delivery_states x
                                  where x.sink_no = p_sink_no and x.lane = l.lane and x.due_at is not null
                                  order by x.due_at limit 1000) e
             where l.sink_no = p_sink_no) d;
  end if;
  return (select clock_timestamp() - min(b.at) from millrace_private.capture_beats b
           where b.database_no = p_database_no and b.next_id > v_id);
end
$$;
