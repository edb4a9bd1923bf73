insert into millrace_private.published_tables as p (database_no, oid, published_as)
select $1::integer, f.oid, f.published_as
  from unnest($2::bigint[], $3::text[]) f (oid, published_as)
    on conflict (database_no, oid) do update set published_as = excluded.published_as
