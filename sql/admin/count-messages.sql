-- Of the first $2 that are looked at; the filter is that of list-messages. What passes is compared once more only where that may
-- say otherwise: see look_through.
with looked as materialized (
  select w.id, w.lane, w.place, w.fits
    from millrace_private.look_through(
           $1::integer, 0, $2::integer, false, $3::text,
           jsonb_build_object('table', $4::text, 'key', $5::text, 'action', $6::text, 'error', $7::text,
                              'since', $8::text, 'until', $9::text, 'group', $10::text)) w
), told as (
  select $5::text is null
         and ($3::text in ('parked', 'retrying') or coalesce($3::text, $7::text, $10::text) is null) as is_all
)
select case when t.is_all then (select count(*)::integer from looked k where k.fits)
            else (select count(*)::integer
                    from looked k
                    join millrace_private.message_list v on v.sink_no = $1::integer and v.lane = k.lane and v.id = k.id
                   where k.fits
                     and ($3::text is null or v.state = $3::text)
                     and ($4::text is null or v.table_schema || '.' || v.table_name = $4::text)
                     and ($5::text is null or millrace_private.pk_text(v.record_pks) = $5::text)
                     and ($6::text is null or v.action = $6::text)
                     and ($7::text is null or position(lower($7::text) in lower(v.error)) > 0)
                     and ($8::timestamptz is null or v.committed_at >= $8::timestamptz)
                     and ($9::timestamptz is null or v.committed_at < $9::timestamptz)
                     and ($10::text is null or millrace_private.error_group(
                            (select i.mark from millrace_private.installation i), v.stage, v.error) = $10::text)) end as count,
       coalesce((select max(k.place) from looked k) = $2::integer, false) as is_estimate
  from told t
