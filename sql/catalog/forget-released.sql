-- What was released, and the file of a start has no entry for any more, neither under its name nor under the one it was declared
-- with: no file knows it from now on. A former entry that is gone is forgotten by itself. Names of databases, functions, sinks.
with databases as (
  update millrace_private.databases d
     set released = d.released and d.name = any ($1::text[]), entry_name = null,
         declared_from = case when d.released and d.name <> all ($1::text[]) then null else d.declared_from end
   where (d.released or d.entry_name is not null) and d.declared_from = 'start'
     and coalesce(d.entry_name, d.name) <> all ($1::text[])
), functions as (
  update millrace_private.functions f
     set released = f.released and f.name = any ($2::text[]), entry_name = null,
         declared_from = case when f.released and f.name <> all ($2::text[]) then null else f.declared_from end
   where (f.released or f.entry_name is not null) and f.declared_from = 'start'
     and coalesce(f.entry_name, f.name) <> all ($2::text[])
)
update millrace_private.sinks s
   set released = s.released and s.name = any ($3::text[]), entry_name = null,
       declared_from = case when s.released and s.name <> all ($3::text[]) then null else s.declared_from end,
       declared_status = case when s.released and s.name <> all ($3::text[]) then null else s.declared_status end
 where (s.released or s.entry_name is not null) and s.declared_from = 'start'
   and coalesce(s.entry_name, s.name) <> all ($3::text[])
