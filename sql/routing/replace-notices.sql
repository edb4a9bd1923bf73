with fresh as (
  select f.sink_no, f.code, f.message, f.remedy
    from jsonb_to_recordset($3::jsonb) as f (sink_no integer, code text, message text, remedy text)
), gone as (
  delete from millrace_private.notices n
   using millrace_private.sinks s, millrace_private.databases d
   where s.no = n.sink_no and d.id = s.database_id and d.no = $1::integer and n.table_name = $2::text
     and n.code in ('no_primary_key', 'no_old_values', 'filter_fault', 'filter_needs_identity',
                    'function_needs_identity')
     and not exists (select from fresh f where f.sink_no = n.sink_no and f.code = n.code)
)
insert into millrace_private.notices as n (sink_no, code, table_name, message, remedy)
select f.sink_no, f.code, $2::text, f.message, f.remedy from fresh f
    on conflict (sink_no, code, table_name) do update
   set message = excluded.message, remedy = excluded.remedy
 where (n.message, n.remedy) is distinct from (excluded.message, excluded.remedy)
