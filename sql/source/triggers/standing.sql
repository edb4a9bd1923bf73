-- Bytes of the noted changes, read or not; may our role make schemas here; and the tables of publication $1 with a list of columns
-- or a filter of rows.
select (select coalesce(sum(pg_catalog.pg_total_relation_size(c.oid)), 0)::bigint
          from pg_catalog.pg_class c
          join pg_catalog.pg_namespace n on n.oid = c.relnamespace
         where n.nspname = 'millrace_capture' and c.relname like 'changes\_%' and c.relkind = 'r') as bytes,
       has_database_privilege(current_database(), 'create') as may_make,
       array(select l.prrelid::bigint
               from pg_catalog.pg_publication_rel l
               join pg_catalog.pg_publication p on p.oid = l.prpubid
              where p.pubname = $1::name
                and (to_jsonb(l) ->> 'prqual' is not null or nullif(to_jsonb(l) -> 'prattrs', 'null') is not null)) as filtered
