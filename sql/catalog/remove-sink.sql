with gone as (
  delete from millrace_private.sinks s where s.name = $1::text returning s.no, s.database_id
)
select g.no, d.name as database_name,
       not exists (select from millrace_private.sinks s where s.database_id = g.database_id and s.no <> g.no) as is_last
  from gone g
  join millrace_private.databases d on d.id = g.database_id
