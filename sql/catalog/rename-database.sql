-- $1: its name; $2: its next one. The sinks that read from it, or write into it, name it as well.
with sources as (
  update millrace_private.sinks s
     set settings = jsonb_set(s.settings, '{database}', to_jsonb($2::text))
                    || case when s.settings -> 'destination' ->> 'database' = $1::text and s.destination_database_id is not null
                            then jsonb_build_object('destination', jsonb_set(s.settings -> 'destination', '{database}', to_jsonb($2::text)))
                            else '{}' end
    from millrace_private.databases d
   where d.name = $1::text and s.database_id = d.id
), destinations as (
  update millrace_private.sinks s
     set settings = jsonb_set(s.settings, '{destination,database}', to_jsonb($2::text))
    from millrace_private.databases d
   where d.name = $1::text and s.destination_database_id = d.id and s.database_id <> d.id
)
update millrace_private.databases d
   set name = $2::text, settings = jsonb_set(d.settings, '{name}', to_jsonb($2::text)), updated_at = now(),
       entry_name = case when d.released then nullif(coalesce(d.entry_name, d.name), $2::text) else d.entry_name end
 where d.name = $1::text
