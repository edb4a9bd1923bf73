-- The last one of what a message with id p_before has to wait for in one of its groups: see blockers.
create or replace function millrace_private.last_blocker(p_sink_no integer, p_group bigint, p_before bigint)
returns setof bigint language sql stable
begin atomic
  select max(b.id)
    from ((select g as id from millrace_private.earlier_in_group(p_sink_no, p_group, p_before) g limit 1)
          union all
          (select l from millrace_private.earlier_leaving(p_sink_no, p_group, p_before) l limit 1)) b;
end;
