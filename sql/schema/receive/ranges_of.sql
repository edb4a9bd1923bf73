-- The messages of leases, in ranges of which each is every row of the lease p_tokens[n] from p_los[n] to p_his[n]: for each, in their
-- order, JSON objects with their ack_id and a comma between them. p_table_no: all rows are of this table; null: of several. Postgres
-- puts this into the statement that calls it: see parked.
create or replace function millrace_private.ranges_of(
  p_sink_no integer, p_tokens text[], p_los bigint[], p_his bigint[], p_table_no integer, p_nested boolean)
returns table (place bigint, messages text) language sql stable
begin atomic
  select c.place, t.messages
    from unnest(p_tokens, p_los, p_his) with ordinality c (token, lo, hi, place)
   cross join lateral (
         select string_agg(m.message, ',') as messages
           from (select millrace_private.leased_message(o, c.token,
                          coalesce((select t.metadata from millrace_private.source_tables t where t.no = p_table_no),
                                   (select t.metadata from millrace_private.source_tables t where t.no = o.source_table)),
                          (select s.metadata from millrace_private.sinks s where s.no = p_sink_no),
                          case when p_nested then '"data":{' else '' end, case when p_nested then '}' else '' end) as message
                   from millrace_private.messages o
                  where o.sink_no = p_sink_no and o.lane = 0 and o.id >= c.lo and o.id <= c.hi
                  order by o.id) m) t;
end;
