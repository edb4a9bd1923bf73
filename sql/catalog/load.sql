select c.generation,
       coalesce((select jsonb_agg(jsonb_build_object('id', d.id, 'no', d.no, 'settings', d.settings,
                                                     'address', d.address, 'hostname', d.hostname,
                                                     'privateOk', d.private_ok) order by d.no)
                   from millrace_private.databases d), '[]'::jsonb) as databases,
       coalesce((select jsonb_agg(f.settings order by f.created_at, f.name)
                   from millrace_private.functions f), '[]'::jsonb) as functions,
       coalesce((select jsonb_agg(jsonb_build_object('id', s.id, 'no', s.no, 'name', s.name, 'kind', s.kind,
                                                     'traits', jsonb_build_object(
                                                       'receivable', s.receivable, 'replaces', s.replaces,
                                                       'order', s.ordering, 'takesRows', s.takes_rows,
                                                       'readable', s.readable),
                                                     'status', s.status, 'databaseNo', d.no, 'settings', s.settings,
                                                     'secret', s.secret, 'lanes', s.lanes, 'privateOk', s.private_ok) order by s.no)
                   from millrace_private.sinks s
                   join millrace_private.databases d on d.id = s.database_id), '[]'::jsonb) as sinks
  from millrace_private.catalog_state c
