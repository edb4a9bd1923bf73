-- $1: id of the current key; null: what is sealed is not asked for.
select coalesce((select array_agg(t.name order by t.name) from millrace_private.api_tokens t
                  where t.weak and t.revoked_at is null), '{}') as "weakTokens",
       coalesce((select json_agg(json_build_object('name', t.name, 'at', to_char(t.expires_at at time zone 'UTC', 'YYYY-MM-DD'))
                                 order by t.expires_at, t.name)
                   from millrace_private.api_tokens t
                  where t.revoked_at is null
                    and t.expires_at between clock_timestamp() and clock_timestamp() + interval '14 days'), '[]') as "expiring",
       coalesce((select json_agg(json_build_object('type', r.type, 'name', r.name, 'entry', r.entry_name) order by r.type, r.name)
                   from (select 'database' as type, d.name, d.entry_name from millrace_private.databases d where d.released
                         union all select 'function', f.name, f.entry_name from millrace_private.functions f where f.released
                         union all select case when s.destination_database_id is null then 'sink' else 'change_retention' end, s.name, s.entry_name
                                     from millrace_private.sinks s where s.released) r), '[]') as released,
       (select count(*)::integer
          from (select d.address as sealed from millrace_private.databases d
                union all select s.secret from millrace_private.sinks s where s.secret is not null) x
         where split_part(x.sealed, ':', 2) <> $1::text) as "sealedBefore"
