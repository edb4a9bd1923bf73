-- $1: database, function, sink or change_retention; $2: its name; $3: released from the file, or taken back.
with databases as (
  update millrace_private.databases d
     set released = $3::boolean, managed_by = case when $3::boolean then 'api' else 'file' end
   where $1::text = 'database' and d.name = $2::text and (d.released or d.managed_by = 'file') and d.released <> $3::boolean
  returning d.name
), functions as (
  update millrace_private.functions f
     set released = $3::boolean, managed_by = case when $3::boolean then 'api' else 'file' end
   where $1::text = 'function' and f.name = $2::text and (f.released or f.managed_by = 'file') and f.released <> $3::boolean
  returning f.name
), sinks as (
  update millrace_private.sinks s
     set released = $3::boolean, managed_by = case when $3::boolean then 'api' else 'file' end
   where $1::text in ('sink', 'change_retention') and s.name = $2::text and (s.released or s.managed_by = 'file')
     and s.released <> $3::boolean
  returning s.name
)
select name from databases union all select name from functions union all select name from sinks
