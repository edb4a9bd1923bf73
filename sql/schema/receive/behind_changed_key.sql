-- Messages above p_lo, up to p_hi, that come after one whose row has left their group. There is nearly never one whose row has
-- left any, and that is found with one probe. See parked.
create or replace function millrace_private.behind_changed_key(p_sink_no integer, p_lo bigint, p_hi bigint)
returns setof bigint language sql stable
begin atomic
  select m.id
    from millrace_private.messages m
   where m.sink_no = p_sink_no and m.lane = 0 and m.id > p_lo and m.id <= p_hi
     and (select true from millrace_private.messages k
           where k.sink_no = p_sink_no and k.group_key2 is not null order by k.group_key2 limit 1)
     and exists (select from millrace_private.messages e
                  where e.sink_no = p_sink_no and e.group_key2 = m.group_key and e.id < m.id offset 0);
end;
