-- How many messages of a consumer are leased: what ended before p_now is not any more, and dead rows of it stay in the way
-- for as long as somebody keeps a snapshot open.
create or replace function millrace_private.count_leased(p_sink_no integer, p_now timestamptz) returns bigint
language plpgsql stable
set search_path = pg_catalog, pg_temp as $$
begin
  return coalesce((select sum(l.remaining)
                     from (select f.remaining from millrace_private.leases f
                            where f.sink_no = p_sink_no and f.until > p_now order by f.until offset 0) l), 0)
         + (select count(*) from millrace_private.delivery_states x
             where x.sink_no = p_sink_no and x.state = 'leased' and x.due_at > p_now);
end
$$;
