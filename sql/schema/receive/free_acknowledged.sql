-- After an acknowledgement: frees these groups, and the others too if the consumer has rows whose key has changed; see
-- acknowledge_lease.
create or replace function millrace_private.free_acknowledged(p_sink_no integer, p_groups bigint[], p_others bigint[]) returns void
language plpgsql
set search_path = pg_catalog, pg_temp as $$
begin
  if p_others is not null
     and (select true from millrace_private.messages k
           where k.sink_no = p_sink_no and k.group_key2 is not null order by k.group_key2 limit 1) then
    p_groups := p_others || p_groups;
  end if;
  if p_groups is not null then
    perform millrace_private.free_groups(p_sink_no, p_groups);
  end if;
end
$$;
