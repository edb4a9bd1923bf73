-- By id, behind $2; if $13, the newest first, and before $2. $3: how many are looked at, of which those that fit are found, each with
-- its place among them; last_id: how far it looked, when that was not to the end; looked_id: in any case, null: there was nothing.
-- Those that pass are looked up with all that belongs to a message, and compared once more.
with looked as materialized (
  select w.id, w.lane, w.place, w.fits
    from millrace_private.look_through(
           $1::integer, $2::bigint, $3::integer, $13::boolean, $4::text,
           jsonb_build_object('table', $5::text, 'key', $6::text, 'action', $7::text, 'error', $8::text,
                              'since', $9::text, 'until', $10::text, 'group', $11::text)) w
), found as (
  select k.place, v.id, v.lane, v.state, v.stage, v.action, v.table_schema, v.table_name,
         millrace_private.pk_text(v.record_pks) as record_pk, v.attempts, v.error, v.committed_at, v.visible_at, v.parked_at
    from looked k
   cross join millrace_private.installation n
    join millrace_private.message_list v on v.sink_no = $1::integer and v.lane = k.lane and v.id = k.id
   where k.fits
     and ($4::text is null or v.state = $4::text)
     and ($5::text is null or v.table_schema || '.' || v.table_name = $5::text)
     and ($6::text is null or millrace_private.pk_text(v.record_pks) = $6::text)
     and ($7::text is null or v.action = $7::text)
     and ($8::text is null or position(lower($8::text) in lower(v.error)) > 0)
     and ($9::timestamptz is null or v.committed_at >= $9::timestamptz)
     and ($10::timestamptz is null or v.committed_at < $10::timestamptz)
     and ($11::text is null or millrace_private.error_group(n.mark, v.stage, v.error) = $11::text)
   order by k.place limit $12::integer
)
select case when b.place = $3::integer then b.id end as last_id, b.id as looked_id, coalesce(b.place, 0)::integer as looked,
       f.place::integer as place, f.id, f.lane, f.state, f.stage, f.action, f.table_schema, f.table_name, f.record_pk, f.attempts, f.error,
       w.status as error_status, w.type as error_type,
       to_char(f.committed_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as committed_at,
       f.visible_at, f.parked_at, z.size
  from (select) one
  left join lateral (select l.id, l.place from looked l order by l.place desc limit 1) b on true
  left join found f on true
  left join lateral (select octet_length(m.record) + coalesce(octet_length(m.changes), 0)
                            + coalesce(octet_length(m.payload), 0) as size
                       from millrace_private.messages m
                      where m.sink_no = $1::integer and m.lane = f.lane and m.id = f.id limit 1) z on true
  -- What the destination said with it, as long as that is kept.
  left join lateral (select a.status, a.type from millrace_private.attempts a
                      where f.error is not null and a.sink_no = $1::integer and a.id = f.id
                      order by a.seq desc limit 1) w on true
 order by f.place
