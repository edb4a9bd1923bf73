-- $1: its name; $2: its next one. The sinks that use it name it as well.
with users as (
  update millrace_private.sinks s
     set settings = s.settings || (select jsonb_object_agg(used.role, $2::text)
                                     from unnest(array['filter', 'transform', 'routing']) as used (role)
                                    where s.settings ->> used.role = $1::text)
   where $1::text in (s.settings ->> 'filter', s.settings ->> 'transform', s.settings ->> 'routing')
)
update millrace_private.functions f
   set name = $2::text, settings = jsonb_set(f.settings, '{name}', to_jsonb($2::text)), updated_at = now(),
       entry_name = case when f.released then nullif(coalesce(f.entry_name, f.name), $2::text) else f.entry_name end
 where f.name = $1::text
