-- Messages of a group before p_before that are not parked. See parked.
create or replace function millrace_private.earlier_in_group(p_sink_no integer, p_group bigint, p_before bigint)
returns setof bigint language sql stable
begin atomic
  select e.id
    from millrace_private.messages e
   where e.sink_no = p_sink_no and e.group_key = p_group and e.id < p_before
     and not exists (select from millrace_private.parked(p_sink_no, e.id) offset 0);
end;
