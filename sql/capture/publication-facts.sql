select p.oid::bigint as oid, p.puballtables as all_tables, p.pubinsert and p.pubupdate and p.pubdelete as complete,
       p.pubviaroot as via_root, coalesce(to_jsonb(p) ->> 'pubgencols', 'n') as generated,
       exists (select from pg_catalog.pg_publication_tables t
                where t.pubname = p.pubname and t.schemaname in ('millrace', 'millrace_private', 'millrace_jobs'))
         as publishes_ours,
       pg_catalog.obj_description(p.oid, 'pg_publication') as comment
  from pg_catalog.pg_publication p
 where p.pubname = $1::name
