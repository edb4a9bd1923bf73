-- Under the path of the role, for the table's own triggers: so every name here is qualified.
delete from <event_table> e
 where e.committed_at operator(pg_catalog.<)
       (pg_catalog.now() operator(pg_catalog.-) pg_catalog.make_interval(secs => $1::double precision))
   and e.id operator(pg_catalog.=) any (array(
         select o.id from <event_table> o
          where o.committed_at operator(pg_catalog.<)
                (pg_catalog.now() operator(pg_catalog.-) pg_catalog.make_interval(secs => $1::double precision))
          limit $2::integer)::bigint[])
