insert into millrace_private.positions (database_no)
select d.no
  from millrace_private.databases d
 where exists (select from millrace_private.sinks s where s.database_id = d.id)
on conflict (database_no) do nothing
