-- What a message of a lane with id p_before waits for in one of its groups, where messages are ordered by groups: earlier
-- ones of the group, or that left it, that are to be retried, held, or due. One that is parked is waited for by nobody.
create or replace function millrace_private.undecided(p_sink_no integer, p_group bigint, p_before bigint)
returns table (id bigint, lane smallint, state text) language sql stable
begin atomic
  select b.id, b.lane, b.state
    from millrace_private.delivery_states b
   where b.sink_no = p_sink_no and b.id < p_before
     and case when b.state <> 'parked' then b.group_key end between p_group and p_group
  union all
  select b.id, b.lane, b.state
    from millrace_private.messages o
   cross join lateral (select s.id, s.lane, s.state from millrace_private.delivery_states s
                        where s.sink_no = o.sink_no and s.id = o.id order by s.id limit 1) b
   where o.sink_no = p_sink_no and o.group_key2 = p_group and o.id < p_before and b.state <> 'parked';
end;
