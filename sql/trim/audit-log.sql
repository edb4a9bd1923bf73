-- No more than millrace_private.guard_audit lets go.
delete from millrace_private.audit_log a
 where a.id = any (array(
         select o.id from millrace_private.audit_log o
          where o.id <= (select max(m.id) from millrace_private.audit_log m) - 1000000
             or o.at < now() - interval '400 days'
          order by o.id limit $1::integer))
