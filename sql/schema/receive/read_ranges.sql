-- The messages of several leases, each of which is every row between its first and its last: for each lease JSON objects with
-- their ack_id and a comma between them, record separators between the leases. p_table: all rows are of this one.
create or replace function millrace_private.read_ranges(
  p_sink_no integer, p_tokens text[], p_sizes integer[], p_ids bigint[], p_table_no integer, p_nested boolean) returns text
language plpgsql stable
set search_path = pg_catalog, pg_temp as $$
declare
  v_open text := case when p_nested then '"data":{' else '' end;
  v_close text := case when p_nested then '}' else '' end;
  v_los bigint[] := '{}';
  v_his bigint[] := '{}';
  v_before integer := 0;
begin
  for v_place in 1 .. cardinality(p_tokens) loop
    v_los := v_los || p_ids[v_before + 1];
    v_before := v_before + p_sizes[v_place];
    v_his := v_his || p_ids[v_before];
  end loop;
  -- (One expression for every kind of body: Postgres prepares each of them anew in every call, also those that it does not need. For
  -- one client by itself: gathered once more, a batch of 1,000 took half as long again.)
  if cardinality(p_tokens) = 1 then
    return (
      select string_agg(m.message, ',')
        from (select millrace_private.leased_message(o, p_tokens[1],
                       coalesce((select t.metadata from millrace_private.source_tables t where t.no = p_table_no),
                                (select t.metadata from millrace_private.source_tables t where t.no = o.source_table)),
                       (select s.metadata from millrace_private.sinks s where s.no = p_sink_no), v_open, v_close) as message
                from millrace_private.messages o
               where o.sink_no = p_sink_no and o.lane = 0 and o.id >= v_los[1] and o.id <= v_his[1]
               order by o.id) m);
  end if;
  return (select string_agg(r.messages, chr(30) order by r.place)
            from millrace_private.ranges_of(p_sink_no, p_tokens, v_los, v_his, p_table_no, p_nested) r);
end
$$;
