-- Another one whenever a plan could be another one: the catalog's own number does not rise with what no capture has to know, tokens,
-- people, and whose a thing is.
select c.generation * 1048576 + (hashtextextended(concat_ws(E'\n',
         (select string_agg(concat_ws(' ', t.name, encode(t.hash, 'hex'), t.scopes::text, t.managed_by, t.revoked_at is null), E'\n'
                            order by t.name)
            from millrace_private.api_tokens t),
         (select string_agg(u.email, E'\n' order by u.email) from millrace_private.users u),
         (select string_agg(d::text, E'\n' order by d.name)
            from (select d.name, d.managed_by, d.released, d.entry_name from millrace_private.databases d) d),
         (select string_agg(f::text, E'\n' order by f.name)
            from (select f.name, f.managed_by, f.released, f.entry_name from millrace_private.functions f) f),
         (select string_agg(s::text, E'\n' order by s.name)
            from (select s.name, s.managed_by, s.released, s.entry_name, s.declared_status from millrace_private.sinks s) s)
       ), 0) & 1048575) as generation
  from millrace_private.catalog_state c
