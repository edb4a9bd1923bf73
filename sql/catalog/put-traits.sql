-- Of each kind that this release knows.
update millrace_private.sinks s
   set receivable = t.receivable, replaces = t.replaces, ordering = t."order", takes_rows = t."takesRows",
       readable = t.readable
  from jsonb_to_recordset($1::jsonb)
       as t (type text, receivable boolean, replaces boolean, "order" text, "takesRows" boolean, readable boolean)
 where s.kind = t.type
   and (s.receivable, s.replaces, s.ordering, s.takes_rows, s.readable)
       is distinct from (t.receivable, t.replaces, t."order", t."takesRows", t.readable)
