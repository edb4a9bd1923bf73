select coalesce((select array_agg(t.name order by t.name) from millrace_private.api_tokens t
                  where t.weak and t.revoked_at is null), '{}') as "weakTokens",
       (select count(*)::integer
          from (select d.address as sealed from millrace_private.databases d
                union all select s.secret from millrace_private.sinks s where s.secret is not null) x
         where split_part(x.sealed, ':', 2) <> $1::text) as "sealedBefore"
