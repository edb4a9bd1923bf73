-- Messages before p_before, not parked, whose row has left this group by a change of its key. See parked and earlier_in_group.
create or replace function millrace_private.earlier_leaving(p_sink_no integer, p_group bigint, p_before bigint)
returns setof bigint language sql stable
begin atomic
  select e.id
    from millrace_private.messages e
   where e.sink_no = p_sink_no and e.group_key2 = p_group and e.id < p_before
     and not exists (select from millrace_private.parked(p_sink_no, e.id) offset 0)
   order by e.id desc;
end;
