with entries as (
  select e.id, e.seq, e.action, e.record_pk, e.record, e.changes, e.committed_at/*, e.transaction_annotations*/, w.weight,
         sum(w.weight) over (order by e.seq, e.id) as weights, count(*) over () as found
    from <event_table> e
   cross join lateral (select 100 + sum(case when s.size > 2000 then s.size * 4 else s.size end)::bigint as weight
                         from (values (pg_column_size(e.record)), (coalesce(pg_column_size(e.changes), 0))) s (size)) w
   where e.id = any ($1::bigint[]) and e.seq between $2::bigint and $3::bigint
)
select e.seq, e.id::bigint as id, e.found, e.action, e.record_pk,
       -- No commit is of another time; what a person wrote may be infinite, or too far away for a number.
       (extract(epoch from least(greatest(e.committed_at, '1700-01-01 00:00:00+00'), '2250-01-01 00:00:00+00')) * 1000000)::bigint
         as committed_at,
       e.record::text as record, e.changes::text as changes
       /*, nullif(e.transaction_annotations, 'null')::text as annotations*/,
       (select coalesce(jsonb_object_agg(k, e.record -> k), '{}') from unnest($5::text[]) k where e.record ? k)::text as now,
       case when e.action = 'update' and e.changes ?| $5::text[]
            then (select jsonb_object_agg(k, o.was -> k) from unnest($5::text[]) k where o.was ? k)::text end as before,
       case when e.action = 'update' and $6::boolean
            then case when $7::boolean then o.was::text
                      else (select coalesce(jsonb_object_agg(k, o.was -> k), '{}')
                              from unnest($8::text[]) k where o.was ? k)::text end end as was
  from entries e
 cross join lateral (select e.record || coalesce(e.changes, '{}') as was) o
 where e.weights - e.weight < $4::bigint
 order by e.seq, e.id
