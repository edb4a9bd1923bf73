-- By id, behind $2. $3: how many are looked at, of which those that fit are found, each with its place among them; last_id: how far
-- it looked, when that was not to the end; looked_id: in any case, null: there was nothing. What failed is found by its state, however much else there is.
with looked as materialized (
  select w.id, w.lane, row_number() over (order by w.id) as place
    from (select m.id, m.lane
            from (select k.lane from millrace_private.lanes k where k.sink_no = $1::integer union select 0::smallint) l
           cross join lateral (select o.id, o.lane from millrace_private.messages o
                                where o.sink_no = $1::integer and o.lane = l.lane and o.id > $2::bigint
                                order by o.id limit $3::integer) m
           where $4::text is null or $4::text not in ('parked', 'retrying')
           union all
          select e.id, e.lane
            from (select x.id, x.lane from millrace_private.delivery_states x
                   where x.sink_no = $1::integer and x.id > $2::bigint and x.state = $4::text
                     and $4::text in ('parked', 'retrying')
                   order by x.id limit $3::integer) e) w
   order by w.id limit $3::integer
), found as (
  select k.place, v.id, v.lane, v.state, v.stage, v.action, v.table_schema, v.table_name,
         millrace_private.pk_text(v.record_pks) as record_pk, v.attempts, v.error, v.committed_at, v.visible_at, v.parked_at
    from looked k
    join millrace_private.message_list v on v.sink_no = $1::integer and v.lane = k.lane and v.id = k.id
   where ($4::text is null or v.state = $4::text)
     and ($5::text is null or v.table_schema || '.' || v.table_name = $5::text)
     and ($6::text is null or millrace_private.pk_text(v.record_pks) = $6::text)
     and ($7::text is null or v.action = $7::text)
     and ($8::text is null or position(lower($8::text) in lower(v.error)) > 0)
     and ($9::timestamptz is null or v.committed_at >= $9::timestamptz)
     and ($10::timestamptz is null or v.committed_at < $10::timestamptz)
     and ($11::text is null or millrace_private.error_group(
            (select i.mark from millrace_private.installation i), v.stage, v.error) = $11::text)
   order by v.id limit $12::integer
)
select b.last_id, b.looked_id, b.looked, f.place::integer as place, f.id, f.lane, f.state, f.stage, f.action, f.table_schema, f.table_name, f.record_pk, f.attempts, f.error,
       w.status as error_status, w.type as error_type,
       to_char(f.committed_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as committed_at,
       f.visible_at, f.parked_at, z.size
  from (select case when count(*) = $3::integer then max(k.id) end as last_id, max(k.id) as looked_id,
               count(*)::integer as looked
          from looked k) b
  left join found f on true
  left join lateral (select octet_length(m.record) + coalesce(octet_length(m.changes), 0)
                            + coalesce(octet_length(m.payload), 0) as size
                       from millrace_private.messages m
                      where m.sink_no = $1::integer and m.lane = f.lane and m.id = f.id limit 1) z on true
  -- What the destination said with it, as long as that is kept.
  left join lateral (select a.status, a.type from millrace_private.attempts a
                      where f.error is not null and a.sink_no = $1::integer and a.id = f.id
                      order by a.seq desc limit 1) w on true
 order by f.id
