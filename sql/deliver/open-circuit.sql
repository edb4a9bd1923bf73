insert into millrace_private.circuits as c (sink_no, reason, error, probe_at)
values ($1::integer, $2::text, $3::text, clock_timestamp() + $4::integer * interval '1 ms')
    on conflict (sink_no) do update
   set reason = excluded.reason, error = excluded.error, probe_at = excluded.probe_at
