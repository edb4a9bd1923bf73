-- Writes the constant members of every sink's messages. Called at the end of each change of the catalog.
create or replace function millrace_private.refresh_metadata() returns void language sql
set search_path = pg_catalog, pg_temp as $$
  update millrace_private.sinks s
     set metadata = fresh.metadata
    from (select i.no,
                 '"database_name":' || to_json(d.name)::text
                 || ',"consumer":' || json_build_object('id', i.id, 'name', i.name,
                                       'annotations', coalesce(i.settings -> 'annotations', '{}'::jsonb))::text
                 || ',"database":' || json_build_object('id', d.id, 'name', d.name,
                                       'annotations', coalesce(d.settings -> 'annotations', '{}'::jsonb),
                                       'database', d.database_name, 'hostname', d.hostname)::text as metadata
            from millrace_private.sinks i
            join millrace_private.databases d on d.id = i.database_id) fresh
   where fresh.no = s.no and s.metadata is distinct from fresh.metadata
$$;
