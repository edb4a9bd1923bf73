select coalesce(millrace_private.is_fresh(w.at), false) as has_worker, w.at as worker_seen_at
  from (select (select b.at from millrace_private.worker_beats b order by b.seq desc limit 1) as at) w
