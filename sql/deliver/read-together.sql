-- As read-apart, for a sink without a single delivery state, and otherwise nothing: is_straight says so. Rows come together, as many
-- as have some 32 KB, in texts with a record separator between them, which no JSON has: a row of Postgres for each would be a packet and
-- ten values for each. codes: the first letter of each action, a capital where the record is not the whole row. committed_ms: of rows
-- whose id is a multiple of 32; last_ms: of the last one.
select s.is_straight, g.ids, g.codes, g.keys, g.records, g.committed_ms, g.last_ms
  from (select not exists (select from millrace_private.delivery_states a where a.sink_no = $1::integer) as is_straight) s
  left join lateral (
       select array_agg(w.id) as ids, string_agg(w.code, '') as codes, string_agg(w.record_pks, chr(30)) as keys,
              string_agg(w.record, chr(30)) as records,
              array_agg(date_part('epoch', w.committed_at) * 1000) filter (where w.id % 32 = 0) as committed_ms,
              date_part('epoch', max(w.committed_at)) * 1000 as last_ms
         from (select i.id, i.record_pks, i.record, i.committed_at,
                      case when i.unchanged_toast is null then left(i.action, 1) else upper(left(i.action, 1)) end as code,
                      sum(octet_length(i.record)) over (order by i.id rows unbounded preceding) - octet_length(i.record) as before
                 from millrace_private.messages i
                where i.sink_no = $1::integer and i.lane = $2::smallint and i.id > $3::bigint
                order by i.id limit $4::integer) w
        where w.before < $5::bigint
        group by w.before / 32768) g on s.is_straight
