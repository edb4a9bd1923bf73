with sink as (
  select s.no from millrace_private.sinks s where s.id = $1::uuid
), fresh as (
  select f.code, f.message, f.remedy from jsonb_to_recordset($3::jsonb) as f (code text, message text, remedy text)
), gone as (
  delete from millrace_private.notices n
   using sink
   where n.sink_no = sink.no and n.code in ('serial_ends', 'few_partitions', 'unlogged', 'policy_missing', 'annotations_not_kept')
     and not exists (select from fresh f where f.code = n.code)
)
insert into millrace_private.notices as n (sink_no, code, table_name, message, remedy)
select sink.no, f.code, $2::text, f.message, f.remedy from sink cross join fresh f
    on conflict (sink_no, code, table_name) do update
   set message = excluded.message, remedy = excluded.remedy
 where (n.message, n.remedy) is distinct from (excluded.message, excluded.remedy)
