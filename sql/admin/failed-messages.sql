-- Those in one of the states $2, by id, behind $3. $4: how many are looked at; last_id: how far, when that was not to the end. $12: to be
-- tried again, which retry_messages does not do with those of which capture kept the key alone.
with looked as materialized (
  select w.id, w.lane, w.place, w.fits
    from millrace_private.look_at_states(
           $1::integer, $3::bigint, $4::integer, false, $2::text[],
           jsonb_build_object('table', $5::text, 'key', $6::text, 'action', $7::text, 'error', $8::text,
                              'since', $9::text, 'until', $10::text, 'group', $11::text)) w
), found as (
  select v.id
    from looked k
    join millrace_private.message_list v on v.sink_no = $1::integer and v.lane = k.lane and v.id = k.id
   where k.fits
     and ($5::text is null or v.table_schema || '.' || v.table_name = $5::text)
     and ($6::text is null or millrace_private.pk_text(v.record_pks) = $6::text)
     and ($7::text is null or v.action = $7::text)
     and ($8::text is null or position(lower($8::text) in lower(v.error)) > 0)
     and ($9::timestamptz is null or v.committed_at >= $9::timestamptz)
     and ($10::timestamptz is null or v.committed_at < $10::timestamptz)
     and ($11::text is null or millrace_private.error_group(
            (select i.mark from millrace_private.installation i), v.stage, v.error) = $11::text)
     and not ($12::boolean and v.state = 'parked' and v.action <> 'delete'
              and millrace_private.is_key_only(v.stage, v.error))
)
select (select max(k.id) from looked k where k.place = $4::integer) as last_id,
       coalesce((select array_agg(f.id order by f.id) from found f), '{}') as ids
