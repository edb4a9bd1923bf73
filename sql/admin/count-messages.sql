-- Of the first $2 that are looked at; the filter is that of list-messages.
with looked as materialized (
  select w.id, w.lane
    from (select m.id, m.lane
            from (select k.lane from millrace_private.lanes k where k.sink_no = $1::integer union select 0::smallint) l
           cross join lateral (select o.id, o.lane from millrace_private.messages o
                                where o.sink_no = $1::integer and o.lane = l.lane
                                order by o.id limit $2::integer) m
           where $3::text is null or $3::text not in ('parked', 'retrying')
           union all
          select e.id, e.lane
            from (select x.id, x.lane from millrace_private.delivery_states x
                   where x.sink_no = $1::integer and x.state = $3::text and $3::text in ('parked', 'retrying')
                   order by x.id limit $2::integer) e) w
   order by w.id limit $2::integer
)
select count(*) filter (where ($3::text is null or v.state = $3::text)
                          and ($4::text is null or v.table_schema || '.' || v.table_name = $4::text)
                          and ($5::text is null or millrace_private.pk_text(v.record_pks) = $5::text)
                          and ($6::text is null or v.action = $6::text)
                          and ($7::text is null or position(lower($7::text) in lower(v.error)) > 0)
                          and ($8::timestamptz is null or v.committed_at >= $8::timestamptz)
                          and ($9::timestamptz is null or v.committed_at < $9::timestamptz)
                          and ($10::text is null or millrace_private.error_group(
                                 (select i.mark from millrace_private.installation i), v.stage, v.error) = $10::text))::integer as count,
       count(*) = $2::integer as is_estimate
  from looked k
  join millrace_private.message_list v on v.sink_no = $1::integer and v.lane = k.lane and v.id = k.id
