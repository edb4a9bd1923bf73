with fresh as (
  select f.sink_no, f.table_name, f.code, f.message, f.remedy
    from jsonb_to_recordset($2::jsonb) as f (sink_no integer, table_name text, code text, message text, remedy text)
), gone as (
  delete from millrace_private.notices n
   using millrace_private.sinks s, millrace_private.databases d
   where s.no = n.sink_no and d.id = s.database_id and d.no = $1::integer
     and n.code in ('table_missing', 'not_published', 'breaks_updates', 'identity_misses_key', 'partitions_apart',
                    'partitions_not_full', 'generated_left_out')
     and not exists (select from fresh f
                      where f.sink_no = n.sink_no and f.code = n.code and f.table_name = n.table_name)
), attached as (
  -- Published again: what was missed meanwhile stays missing.
  update millrace_private.notices n
     set remedy = millrace_private.how_to_catch_up(n.sink_no, n.code, n.table_name)
    from millrace_private.sinks s, millrace_private.databases d
   where s.no = n.sink_no and d.id = s.database_id and d.no = $1::integer and n.code = 'table_detached'
     and n.remedy like 'alter publication %'
     and not exists (select from fresh f
                      where f.sink_no = n.sink_no and f.code = n.code and f.table_name = n.table_name)
)
insert into millrace_private.notices as n (sink_no, code, table_name, message, remedy)
select f.sink_no, f.code, f.table_name, f.message,
       case f.code when 'table_detached'
            then f.remedy || '; then: ' || millrace_private.how_to_catch_up(f.sink_no, f.code, f.table_name) else f.remedy end
  from fresh f
    on conflict (sink_no, code, table_name) do update
   set message = excluded.message, remedy = excluded.remedy
 where (n.message, n.remedy) is distinct from (excluded.message, excluded.remedy)
