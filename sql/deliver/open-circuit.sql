insert into millrace_private.circuits as c (sink_no, reason, error, probe_at)
select l.sink_no, $2::text, $3::text, clock_timestamp() + $4::integer * interval '1 ms'
  from millrace_private.lanes l
 where l.sink_no = $1::integer and l.lane = $5::smallint and l.owner = $6::text and l.until > clock_timestamp()
    on conflict (sink_no) do update
   set reason = excluded.reason, error = excluded.error, probe_at = excluded.probe_at
returning c.probe_at
