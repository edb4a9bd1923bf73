-- Messages of a group before p_before that are not parked, the latest first: many that are parked may lie before it, and nearly
-- always something else lies behind those. See parked.
create or replace function millrace_private.earlier_in_group(p_sink_no integer, p_group bigint, p_before bigint)
returns setof bigint language sql stable
begin atomic
  select e.id
    from millrace_private.messages e
   where e.sink_no = p_sink_no and e.group_key = p_group and e.id < p_before
     and not exists (select from millrace_private.parked(p_sink_no, e.id) offset 0)
   order by e.id desc;
end;
