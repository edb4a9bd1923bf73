-- At most every two seconds. Every twelfth stays: see the table.
with last as materialized (
  select coalesce(max(b.seq), 0) as seq from millrace_private.capture_beats b where b.database_no = $1::integer
), fresh as (
  insert into millrace_private.capture_beats (database_no, seq, at, generation, next_id, lag_ms)
  select p.database_no, last.seq + 1, clock_timestamp(), $2::bigint,
         coalesce((select g.next_id from millrace_private.position_log g
                    where g.database_no = p.database_no order by g.seq desc limit 1), 0),
         $3::double precision
    from last
    join millrace_private.positions p on p.database_no = $1::integer
   where not exists (select from millrace_private.capture_beats b
                      where b.database_no = p.database_no and b.seq > last.seq - 12
                        and b.generation is not distinct from $2::bigint
                        and b.at between clock_timestamp() - interval '2 s' and clock_timestamp())
      on conflict do nothing
  returning seq
)
delete from millrace_private.capture_beats b
 using fresh f
 where b.database_no = $1::integer and (b.seq = f.seq - 24 and b.seq % 12 <> 0 or b.seq = f.seq - 7200)
