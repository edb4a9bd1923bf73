-- What a message with id p_before has to wait for in one of its groups: the order per group is this. See parked.
create or replace function millrace_private.blockers(p_sink_no integer, p_group bigint, p_before bigint)
returns setof bigint language sql stable
begin atomic
  select g from millrace_private.earlier_in_group(p_sink_no, p_group, p_before) g
  union all
  select l from millrace_private.earlier_leaving(p_sink_no, p_group, p_before) l;
end;
