-- Without a message: the job has succeeded.
with gone as (
  delete from millrace_private.notices n
   where n.sink_no = $1::integer and n.code = 'job_fails' and $3::text is null
)
insert into millrace_private.notices as n (sink_no, code, table_name, message, remedy)
select s.no, 'job_fails', $2::text, $3::text, $4::text
  from millrace_private.sinks s
 where s.no = $1::integer and $3::text is not null
    on conflict (sink_no, code, table_name) do update
   set message = excluded.message, remedy = excluded.remedy
 where (n.message, n.remedy) is distinct from (excluded.message, excluded.remedy)
