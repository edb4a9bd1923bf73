-- Reads catalogs only: pg_publication_tables would wait for whoever has a table locked.
-- Those of millrace_capture may be published: their rows have a replica identity, and capture passes over them.
select p.oid::bigint as oid, p.puballtables as all_tables, p.pubinsert and p.pubupdate and p.pubdelete as complete, p.pubtruncate as truncates,
       p.pubupdate or p.pubdelete as publishes_old,
       p.pubviaroot as via_root, coalesce(to_jsonb(p) ->> 'pubgencols', 'n') as generated,
       exists (select from pg_catalog.pg_class c
                 join pg_catalog.pg_namespace n on n.oid = c.relnamespace
                where n.nspname in ('millrace', 'millrace_private', 'millrace_jobs') and c.relkind in ('r', 'p')
                  and (p.puballtables or n.oid = any ($2::oid[])
                       or exists (select from pg_catalog.pg_publication_rel l where l.prpubid = p.oid and l.prrelid = c.oid)))
         as publishes_ours,
       array(select n.nspname::text from pg_catalog.pg_namespace n
              where n.oid = any ($2::oid[]) and n.nspname in ('millrace', 'millrace_private', 'millrace_jobs')
              order by n.nspname) as our_schemas,
       array(select format('%I.%I', n.nspname, c.relname)
               from pg_catalog.pg_publication_rel l
               join pg_catalog.pg_class c on c.oid = l.prrelid
               join pg_catalog.pg_namespace n on n.oid = c.relnamespace
              where l.prpubid = p.oid and n.nspname in ('millrace', 'millrace_private', 'millrace_jobs')
              order by n.nspname, c.relname) as our_tables,
       pg_has_role(current_user, p.pubowner, 'usage') as mine,
       pg_catalog.obj_description(p.oid, 'pg_publication') as comment
  from pg_catalog.pg_publication p
 where p.pubname = $1::name
