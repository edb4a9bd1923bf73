-- Of each pull consumer that is active: what its clients have, and whose transactions of more than 10 s keep receive waiting, with
-- the statement that each ran last, as far as we may see it; one that is prepared has no process, but the same virtual
-- transaction in all its locks, that of its own id too.
with held as materialized (
  select r.relname, k.pid, t.gid as prepared, a.application_name as application, coalesce(a.usename, t.owner) as username,
         host(a.client_addr) as address, nullif(left(a.query, 2000), '<insufficient privilege>') as query,
         extract(epoch from clock_timestamp() - coalesce(a.xact_start, t.prepared))::double precision as seconds
    from pg_catalog.pg_locks k
    join pg_catalog.pg_class r on r.oid = k.relation
    left join pg_catalog.pg_stat_activity a on a.pid = k.pid
    left join pg_catalog.pg_locks i on k.pid is null and i.pid is null and i.locktype = 'transactionid'
                                   and i.mode = 'ExclusiveLock' and i.virtualtransaction = k.virtualtransaction
    left join pg_catalog.pg_prepared_xacts t on t.transaction = i.transactionid
   where k.locktype = 'relation' and k.granted and k.mode <> 'AccessShareLock'
     and k.database = (select d.oid from pg_catalog.pg_database d where d.datname = current_database())
     and r.relnamespace = 'millrace_private'::regnamespace and r.relname ~ '^(turn|lock)_[0-9]+$'
     and coalesce(a.xact_start, t.prepared) < clock_timestamp() - interval '10 s'
)
select s.name, millrace_private.count_leased(s.no, clock_timestamp())::double precision as leased, c.max_ack_pending,
       coalesce((select json_agg(to_json(b) order by b.pid, b.prepared)
                   from (select distinct on (h.pid, h.prepared) h.pid, h.prepared, h.application, h.username, h.address, h.query, h.seconds from held h
                          where h.relname in ('turn_' || s.no, 'lock_' || s.no)) b), '[]') as blockers
  from millrace_private.sinks s
  join millrace_private.consumers c on c.sink_no = s.no
 where s.status = 'active'
