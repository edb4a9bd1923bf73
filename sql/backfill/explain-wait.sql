update millrace_private.backfills b set reason = $2::text, remedy = $3::text, moved_at = null
 where b.no = $1::integer and b.state in ('waiting', 'running')
   and (b.reason, b.remedy) is distinct from ($2::text, $3::text)
