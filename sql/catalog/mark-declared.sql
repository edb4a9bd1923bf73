-- Of what a file names: it is the file's from now on, under the name that it has there, and an entry counts again of which
-- something was released that has another name now. $1: where it was applied from; then names, and of sinks the status that
-- the file says.
with databases as (
  update millrace_private.databases d
     set managed_by = 'file', released = false, entry_name = null, declared_from = $1::text
   where d.name = any ($2::text[])
     and (d.managed_by, d.released, d.entry_name, d.declared_from) is distinct from ('file', false, null::text, $1::text)
), functions as (
  update millrace_private.functions f
     set managed_by = 'file', released = false, entry_name = null, declared_from = $1::text
   where f.name = any ($3::text[])
     and (f.managed_by, f.released, f.entry_name, f.declared_from) is distinct from ('file', false, null::text, $1::text)
), tokens as (
  update millrace_private.api_tokens t
     set managed_by = 'file', declared_from = $1::text
   where t.name = any ($4::text[]) and (t.managed_by, t.declared_from) is distinct from ('file', $1::text)
), former_databases as (
  update millrace_private.databases d set entry_name = null
   where d.entry_name = any ($2::text[]) and d.name <> all ($2::text[])
), former_functions as (
  update millrace_private.functions f set entry_name = null
   where f.entry_name = any ($3::text[]) and f.name <> all ($3::text[])
), former_sinks as (
  update millrace_private.sinks s set entry_name = null
   where s.entry_name = any ($5::text[]) and s.name <> all ($5::text[])
)
update millrace_private.sinks s
   set managed_by = 'file', released = false, entry_name = null, declared_from = $1::text, declared_status = w.status
  from unnest($5::text[], $6::text[]) as w (name, status)
 where s.name = w.name
   and (s.managed_by, s.released, s.entry_name, s.declared_from, s.declared_status)
       is distinct from ('file', false, null::text, $1::text, w.status)
