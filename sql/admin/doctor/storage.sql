-- The sinks whose messages take most.
select w.name, w.status, w.bytes
  from (select s.name, s.status,
               coalesce(pg_total_relation_size(to_regclass('millrace_private.messages_' || s.no)), 0)::double precision as bytes
          from millrace_private.sinks s) w
 order by w.bytes desc, w.name limit 5
