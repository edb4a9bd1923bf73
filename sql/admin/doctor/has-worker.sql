select coalesce(millrace_private.is_fresh((select b.at from millrace_private.worker_beats b order by b.seq desc limit 1)),
                false) as has_worker
