-- Of these names, with the oids of the tables that had them, those of which no table is there any more, whatever it is called.
select w.name
  from unnest($1::text[], $2::bigint[]) w (name, oid)
  left join pg_catalog.pg_class c on c.oid = w.oid::oid
 group by w.name
having count(c.oid) = 0
