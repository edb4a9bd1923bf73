-- What was released, and the file of a start has no entry for any more: no file knows it from now on. Names of databases, functions, sinks.
with databases as (
  update millrace_private.databases d
     set released = false, declared_from = null
   where d.released and d.declared_from = 'start' and d.name <> all ($1::text[])
), functions as (
  update millrace_private.functions f
     set released = false, declared_from = null
   where f.released and f.declared_from = 'start' and f.name <> all ($2::text[])
)
update millrace_private.sinks s
   set released = false, declared_from = null, declared_status = null
 where s.released and s.declared_from = 'start' and s.name <> all ($3::text[])
