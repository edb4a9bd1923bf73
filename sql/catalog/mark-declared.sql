-- Of what a file names: it is the file's from now on. $1: where it was applied from; then names, and of sinks the status that
-- the file says.
with databases as (
  update millrace_private.databases d
     set managed_by = 'file', released = false, declared_from = $1::text
   where d.name = any ($2::text[])
     and (d.managed_by, d.released, d.declared_from) is distinct from ('file', false, $1::text)
), functions as (
  update millrace_private.functions f
     set managed_by = 'file', released = false, declared_from = $1::text
   where f.name = any ($3::text[])
     and (f.managed_by, f.released, f.declared_from) is distinct from ('file', false, $1::text)
), tokens as (
  update millrace_private.api_tokens t
     set managed_by = 'file', declared_from = $1::text
   where t.name = any ($4::text[]) and (t.managed_by, t.declared_from) is distinct from ('file', $1::text)
)
update millrace_private.sinks s
   set managed_by = 'file', released = false, declared_from = $1::text, declared_status = w.status
  from unnest($5::text[], $6::text[]) as w (name, status)
 where s.name = w.name
   and (s.managed_by, s.released, s.declared_from, s.declared_status)
       is distinct from ('file', false, $1::text, w.status)
