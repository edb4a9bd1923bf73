select b.keys from millrace_private.backfills b where b.no = $1::integer
